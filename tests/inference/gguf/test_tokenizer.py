"""The written tokenizer against an encoder and splitters written by hand from the patterns.

The splitters walk through the text character by character, so they share no regular expression
engine with the `tokenizers` library.
"""

import itertools
import json
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from inference.gguf.importer import import_gguf
from tests.tiny_gguf import (
    CHAT_TEMPLATE,
    CONTROL_TOKENS,
    Shape,
    byte_alphabet,
    tiny_merges,
    write_tiny_gguf,
)

SPACES = frozenset("\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | frozenset(
    map(chr, range(0x2000, 0x200B))
)
CONTRACTIONS = ("s", "t", "re", "ve", "m", "ll", "d")

Splitter = Callable[[str], Iterator[str]]


def is_letter(char: str) -> bool:
    return unicodedata.category(char).startswith("L")


def is_number(char: str) -> bool:
    return unicodedata.category(char).startswith("N")


def is_other(char: str) -> bool:
    return not (char in SPACES or is_letter(char) or is_number(char))


def run_end(text: str, at: int, accepts: Callable[[str], bool]) -> int:
    while at < len(text) and accepts(text[at]):
        at += 1
    return at


def contraction_end(text: str, at: int, *, any_case: bool) -> int:
    if text[at] != "'":
        return at
    rest = text[at + 1 : at + 3]
    if any_case:
        rest = rest.lower().replace("\u017f", "s")  # the long s is an s in another case
    ends = [at + 1 + len(each) for each in CONTRACTIONS if rest.startswith(each)]
    return ends[0] if ends else at


def spaces_end(text: str, at: int) -> int:
    """`\\s+(?!\\S)|\\s+`: a run leaves its last character to the word behind it."""
    end = run_end(text, at, SPACES.__contains__)
    return end - 1 if end < len(text) and end - at > 1 else end


def gpt2(text: str) -> Iterator[str]:
    at = 0
    while at < len(text):
        start = at
        at = contraction_end(text, start, any_case=False)
        for accepts in (is_letter, is_number, is_other):
            if at == start:
                begin = start + (text[start] == " ")
                end = run_end(text, begin, accepts)
                at = end if end > begin else start
        if at == start:
            at = spaces_end(text, start)
        yield text[start:at]


def smollm(text: str) -> Iterator[str]:
    at = 0
    for index, char in enumerate(text):
        if is_number(char):
            yield from gpt2(text[at:index])
            yield char
            at = index + 1
    yield from gpt2(text[at:])


def modern(text: str, *, digits: int) -> Iterator[str]:
    at = 0
    while at < len(text):
        start = at
        at = modern_end(text, start, digits)
        yield text[start:at]


def modern_end(text: str, start: int, digits: int) -> int:
    end = contraction_end(text, start, any_case=True)
    if end > start:
        return end
    first = text[start]
    begin = start + (first not in "\r\n" and not is_letter(first) and not is_number(first))
    end = run_end(text, begin, is_letter)
    if end > begin:
        return end
    if is_number(first):
        return min(run_end(text, start, is_number), start + digits)
    begin = start + (first == " ")
    end = run_end(text, begin, is_other)
    if end > begin:
        return run_end(text, end, "\r\n".__contains__)
    end = run_end(text, start, SPACES.__contains__)
    lines = max(text.rfind("\n", start, end), text.rfind("\r", start, end)) + 1
    return lines if lines > start else spaces_end(text, start)


SPLITTERS: dict[str, Splitter] = {
    "gpt-2": gpt2,
    "smollm": smollm,
    "qwen2": lambda text: modern(text, digits=1),
    "llama-bpe": lambda text: modern(text, digits=3),
}


def greedy_merges() -> list[str]:
    """Return merges across every boundary a splitter could draw: a wrong one changes the ids."""
    alphabet = byte_alphabet()
    edges = [alphabet[byte] for byte in b"sSltdeE12 \n\r\t.!_'" + "\u00e9".encode()]
    pairs = [f"{left} {right}" for left in edges for right in edges]
    one, line, space = alphabet[ord("1")], alphabet[ord("\n")], alphabet[ord(" ")]
    runs = [f"{each * 2} {each}" for each in (one, line, space)]
    runs += [f"{each * 3} {each}" for each in (one, line, space)]
    return [*runs[3:], *runs[:3], *pairs, *tiny_merges()]


MERGES = list(dict.fromkeys(greedy_merges()))
TOKENS = [*CONTROL_TOKENS, *byte_alphabet()]
TOKENS += dict.fromkeys(merge.replace(" ", "") for merge in MERGES)


class ByteTokens:
    """Byte-pair encoding as the papers describe it."""

    def __init__(self) -> None:
        merges = [tuple(merge.split(" ")) for merge in MERGES]
        self.ids = {token: number for number, token in enumerate(TOKENS)}
        self.ranks = {merge: rank for rank, merge in enumerate(merges)}

    def encode(self, piece: str, *, takes_whole_tokens: bool) -> list[int]:
        alphabet = byte_alphabet()
        parts = [alphabet[byte] for byte in piece.encode()]
        if takes_whole_tokens and (whole := self.ids.get("".join(parts))) is not None:
            return [whole]
        while True:
            pairs = [(self.ranks.get(pair, len(self.ranks)), at) for at, pair in pairs_of(parts)]
            rank, at = min(pairs, default=(len(self.ranks), 0))
            if rank == len(self.ranks):
                return [self.ids[part] for part in parts]
            parts[at : at + 2] = [parts[at] + parts[at + 1]]


def pairs_of(parts: list[str]) -> Iterator[tuple[int, tuple[str, str]]]:
    return enumerate(itertools.pairwise(parts))


BYTE_TOKENS = ByteTokens()


@pytest.fixture(scope="module", params=SPLITTERS)
def pre(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def tokenizer(pre: str, tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    folder = tmp_path_factory.mktemp("tokenizer")
    kinds = [3] * len(CONTROL_TOKENS) + [1] * (len(TOKENS) - len(CONTROL_TOKENS))
    vocabulary = {"tokens": TOKENS, "token_type": kinds, "merges": MERGES}
    metadata = {f"tokenizer.ggml.{key}": value for key, value in vocabulary.items()}
    path = folder / "tiny.gguf"
    write_tiny_gguf(path, pre=pre, shape=Shape(layers=1), metadata=metadata)
    import_gguf(path, folder / "model")
    return Tokenizer.from_file(str(folder / "model" / "tokenizer.json"))


TRICKY = st.sampled_from(
    [
        *(" ", "  ", "\t", "\n", "\r\n", "\x85", "\xa0", "\u2003", "\u3000", "\u200b", "\x00"),
        *("'", "'s", "'S", "'ll", "'LL", "'RE", "'\u017f", "\u2019s", "'d", "d", "\u212a"),
        *("0", "12", "1234", "\u00b2", "\u0663", "\u2460", "\u2167", "3.14"),
        *("the", " the", " water", "THE", "\u00e9", "e\u0301", "\u00df", "\u4f60\u597d", "\u0e01"),
        *("\U0001f468\u200d\U0001f469", "<|im_en", "d|>", ".", " !", "--", "_", "\u2581"),
    ]
)
# Unassigned characters are left out: libraries differ in what later Unicode versions assigned.
TEXTS = st.lists(
    TRICKY
    | st.sampled_from(" \n\r\t'sSltdeE12.!_\u00e9")
    | st.characters(exclude_categories=["Cn", "Cs"])
).map("".join)


@settings(max_examples=300, deadline=None)
@given(text=TEXTS)
def test_ids_are_those_of_an_encoder_written_by_hand(
    pre: str, tokenizer: Tokenizer, text: str
) -> None:
    assume(not any(token in text for token in CONTROL_TOKENS))
    pieces = SPLITTERS[pre](text)
    whole = pre == "llama-bpe"
    encoded = [BYTE_TOKENS.encode(piece, takes_whole_tokens=whole) for piece in pieces]
    expected = [each for ids in encoded for each in ids]

    assert tokenizer.encode(text, add_special_tokens=False).ids == expected


@settings(max_examples=200, deadline=None)
@given(text=TEXTS)
def test_decoding_gives_the_text_back(tokenizer: Tokenizer, text: str) -> None:
    ids = tokenizer.encode(text, add_special_tokens=False).ids

    assert tokenizer.decode(ids, skip_special_tokens=False) == text


def test_control_tokens_are_one_id_each_and_special(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode("".join(CONTROL_TOKENS), add_special_tokens=False).ids

    assert ids == list(range(len(CONTROL_TOKENS)))
    assert tokenizer.decode(ids, skip_special_tokens=True) == ""


@pytest.mark.parametrize(
    ("metadata", "starts"),
    [
        ({}, False),
        ({"tokenizer.ggml.add_bos_token": True}, True),
        ({"tokenizer.ggml.add_bos_token": None}, True),
        ({"tokenizer.ggml.add_bos_token": None, "tokenizer.ggml.bos_token_id": None}, False),
    ],
)
def test_bos_is_added_as_the_file_says_or_else_as_its_family_does(
    tmp_path: Path, metadata: dict[str, object], starts: bool
) -> None:
    path = write_tiny_gguf(
        tmp_path / "tiny.gguf", pre="llama-bpe", shape=Shape(layers=1), metadata=metadata
    )
    import_gguf(path, tmp_path / "model")
    tokenizer = Tokenizer.from_file(str(tmp_path / "model" / "tokenizer.json"))

    assert (tokenizer.encode("a").ids[0] == 1) is starts


def test_user_defined_tokens_are_never_cut_and_are_text(tmp_path: Path) -> None:
    path = tmp_path / "tiny.gguf"
    tokens = [*CONTROL_TOKENS, *byte_alphabet(), "<tool>"]
    kinds = [3] * len(CONTROL_TOKENS) + [1] * 256 + [4]
    vocabulary = {"tokens": tokens, "token_type": kinds, "merges": []}
    metadata = {f"tokenizer.ggml.{key}": value for key, value in vocabulary.items()}
    write_tiny_gguf(path, shape=Shape(layers=1), metadata=metadata)
    import_gguf(path, tmp_path / "model")
    tokenizer = Tokenizer.from_file(str(tmp_path / "model" / "tokenizer.json"))

    ids = tokenizer.encode("<tool>").ids

    assert ids == [len(tokens) - 1]
    assert tokenizer.decode(ids, skip_special_tokens=True) == "<tool>"


def test_the_runtime_is_told_every_token_that_ends_an_answer(tmp_path: Path) -> None:
    path = write_tiny_gguf(tmp_path / "tiny.gguf", shape=Shape(layers=1))
    import_gguf(path, tmp_path / "model")

    model = json.loads((tmp_path / "model" / "genai_config.json").read_text())["model"]

    assert model["eos_token_id"] == [2, 0]  # the file's own first, then <|endoftext|>
    assert (model["bos_token_id"], model["pad_token_id"]) == (1, 2)


def test_the_chat_template_comes_along_unchanged(tmp_path: Path) -> None:
    path = write_tiny_gguf(tmp_path / "tiny.gguf", shape=Shape(layers=1))
    import_gguf(path, tmp_path / "model")

    assert (tmp_path / "model" / "chat_template.jinja").read_text() == CHAT_TEMPLATE
    settings_file = json.loads((tmp_path / "model" / "tokenizer_config.json").read_text())
    assert settings_file["chat_template"] == CHAT_TEMPLATE
