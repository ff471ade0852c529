"""The written byte-level tokenizer against an encoder and splitters written by hand."""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from inference.errors import ModelUnsupported
from inference.gguf.importer import import_gguf
from inference.gguf.pretokenizers import pretokenizer
from tests.splitters import DEEPSEEK_LETTERS, SPLITTERS
from tests.tiny_gguf import (
    CHAT_TEMPLATE,
    CONTROL_TOKENS,
    Shape,
    byte_alphabet,
    tiny_merges,
    write_tiny_gguf,
)


def greedy_merges() -> list[str]:
    """Return merges across every boundary a splitter could draw: a wrong one changes the ids."""
    alphabet = byte_alphabet()
    edges = [alphabet[byte] for byte in b"sSltdeEHB12 \n\r\t.!_/'" + "\u00e9".encode()]
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


def deepseek_knows(char: str) -> bool:
    """The splitter written by hand has only some of the letters with two cases."""
    return char.lower() == char.upper() or char.isascii() or char in DEEPSEEK_LETTERS


TRICKY = st.sampled_from(
    [
        *(" ", "  ", "\t", "\n", "\r\n", "\x85", "\xa0", "\u2003", "\u3000", "\u200b", "\x00"),
        *("'", "'s", "'S", "'ll", "'LL", "'RE", "'\u017f", "\u2019s", "'d", "d", "\u212a"),
        *("0", "12", "1234", "1111", "\u20a9 ", "\u00b2", "\u0663", "\u2460", "\u2167", "3.14"),
        *("THe", "aB", "\u01c5a", "\u02b0", "\u0301", "A\u0301b", "x/\n/", "'S'", "\u4f60B"),
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
    assume(pre != "deepseek-llm" or all(map(deepseek_knows, text)))
    whole = pre in {"llama-bpe", "tekken"}
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


@pytest.mark.parametrize(
    ("names", "known"),
    [
        (("llama3", "llama-v3", "falcon3", "pixtral"), "llama-bpe"),
        (("smaug-bpe",), "dbrx"),
        (("starcoder", "refact", "command-r", "codeshell"), "smollm"),
        (("phi-2", "olmo", "granite-docling"), "gpt-2"),
        (("deepseek-r1-qwen", "stablelm2"), "qwen2"),
        (("llama4",), "gpt-4o"),
    ],
)
def test_names_that_mean_the_same_cut_the_same(names: tuple[str, ...], known: str) -> None:
    assert [pretokenizer(name) for name in names] == [pretokenizer(known)] * len(names)


def test_dbrx_cuts_as_llama_does_but_merges_whole_tokens_and_has_no_bos() -> None:
    llama, dbrx = pretokenizer("llama-bpe"), pretokenizer("dbrx")

    assert dbrx.steps == llama.steps
    assert (llama.ignores_merges, llama.adds_bos) == (True, True)
    assert (dbrx.ignores_merges, dbrx.adds_bos) == (False, False)


@pytest.mark.parametrize("name", ["llama-bpe ", "poro-chat", "", "kimi-k2"])
def test_a_way_to_cut_that_nobody_knows_is_refused_by_name(name: str) -> None:
    with pytest.raises(ModelUnsupported) as caught:
        pretokenizer(name)

    assert caught.value.facts == {"what": f"pre-tokenizer {name}"}
