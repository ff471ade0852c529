"""Vocabularies of SentencePiece's kind against an encoder written by hand."""

import json
from pathlib import Path

import pytest
import tokenizers
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from inference.errors import ModelDamaged, ModelUnsupported
from inference.gguf.cursor import Cursor
from inference.gguf.importer import import_gguf
from inference.gguf.metadata import Metadata
from inference.gguf.tokenizer_files import tokenizer_files
from inference.gguf.vocabulary import Vocabulary
from inference.tokenizer import StreamingDecoder, Tokenizer
from tests.tiny_gguf import GgufBuilder, Shape, write_tiny_gguf
from tests.tiny_pieces import SPACE, Pieces

GEMMA = Pieces(
    control=["<unk>", "<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>"],
    user_defined=["\n", "\n\n", "\n\n\n", "<table>", "</s>"],
    adds_space=False,
)
LLAMA = Pieces(control=["<unk>", "<s>", "</s>", "[INST]", "[/INST]"])
KINDS = {"gemma": GEMMA, "llama": LLAMA}

TRICKY = st.sampled_from(
    [
        *(" ", "  ", "    ", "\n", "\n\n", "\r\n", "\t", "\xa0", "\u3000", "\x85"),
        *("the", " the", " to", "ted", "abcde", "dead bed", "abab", "...", "000", "user"),
        *("\u00e9", "e\u0301", "\u4f60\u4f60", "\u597d", "\U0001f468\u200d\U0001f469", "\x00"),
        *("<0x0A>", "<unk>", "<s", ">", "[INST", "]", "<start_of", "_turn>", "'d", "'th", "\u00b2"),
    ]
)
TEXTS = st.lists(
    TRICKY | st.sampled_from("abcdeot.'0 ") | st.characters(exclude_categories=["Cs"])
).map("".join)


def imported(folder: Path, pieces: Pieces, template: str | None = None) -> Path:
    path = folder / "tiny.gguf"
    write_tiny_gguf(path, shape=Shape(layers=1), metadata=pieces.metadata(template))
    import_gguf(path, folder / "model")
    return folder / "model"


@pytest.fixture(scope="module", params=KINDS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def pieces(name: str) -> Pieces:
    return KINDS[name]


@pytest.fixture(scope="module")
def folder(pieces: Pieces, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return imported(tmp_path_factory.mktemp("pieces"), pieces)


@pytest.fixture(scope="module")
def backend(folder: Path) -> tokenizers.Tokenizer:
    return tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))


@pytest.fixture(scope="module")
def tokenizer(folder: Path) -> Tokenizer:
    return Tokenizer.load(folder)


@settings(max_examples=400, deadline=None)
@given(text=TEXTS)
def test_ids_are_those_of_an_encoder_written_by_hand(
    pieces: Pieces, backend: tokenizers.Tokenizer, text: str
) -> None:
    assume(not any(token in text for token in pieces.control))
    expected = pieces.encode(text, begins=pieces.adds_space is not False)

    assert backend.encode(text, add_special_tokens=False).ids == expected


@settings(max_examples=300, deadline=None)
@given(text=TEXTS)
def test_decoding_gives_the_text_back(
    pieces: Pieces, backend: tokenizers.Tokenizer, text: str
) -> None:
    assume(not any(token in text for token in pieces.control))
    ids = backend.encode(text, add_special_tokens=False).ids

    # A space's stand-in inside a text is a space for SentencePiece too.
    assert backend.decode(ids, skip_special_tokens=False) == text.replace(SPACE, " ")


@settings(max_examples=300, deadline=None)
@given(parts=st.lists(TEXTS | st.sampled_from([*GEMMA.control, *LLAMA.control]), max_size=6))
def test_plain_text_makes_no_control_token_and_comes_back(
    pieces: Pieces, tokenizer: Tokenizer, parts: list[str]
) -> None:
    text = "".join(parts)
    ids = tokenizer.encode_plain(text)

    assert tokenizer.control_ids.isdisjoint(ids)
    assert set(range(len(pieces.control))) <= tokenizer.control_ids
    assert tokenizer.decode(ids) == text.replace(SPACE, " ")


@settings(max_examples=200, deadline=None)
@given(text=TEXTS)
def test_plain_text_is_encoded_as_the_library_does_it(
    pieces: Pieces, tokenizer: Tokenizer, text: str
) -> None:
    assume(not any(token in text for token in (*pieces.control, *pieces.user_defined)))
    starts = pieces.adds_space is not False

    assert tokenizer.encode_plain(text) == pieces.encode(text, begins=starts)
    assert tokenizer.encode_plain(text, begins=False) == pieces.encode(text, begins=False)


@settings(max_examples=200, deadline=None)
@given(text=TEXTS)
def test_streamed_text_is_the_text(tokenizer: Tokenizer, text: str) -> None:
    decoder = StreamingDecoder(tokenizer)
    given_pieces = [decoder.push(number) for number in tokenizer.encode_plain(text)]

    assert "".join([*given_pieces, decoder.finish()]) == text.replace(SPACE, " ")
    if "\ufffd" not in text:
        assert not any("\ufffd" in piece for piece in given_pieces)


def test_bos_is_one_id_and_added_as_the_file_says(
    pieces: Pieces, backend: tokenizers.Tokenizer
) -> None:
    assert backend.encode("").ids == [1]
    assert backend.encode(pieces.control[1], add_special_tokens=False).ids == [1]


def test_spaces_are_as_the_file_says_or_else_in_front(tmp_path: Path) -> None:
    spaces = {}
    for flag in (None, True, False):
        folder = tmp_path / str(flag)
        folder.mkdir()
        model = imported(folder, Pieces(control=LLAMA.control, adds_space=flag))
        spaces[flag] = Tokenizer.load(model).adds_space

    assert spaces == {None: True, True: True, False: False}


def test_the_lines_behind_control_tokens_of_phi3_are_not_read() -> None:
    pieces = Pieces(control=["<unk>", "<s>", "</s>", "<|endoftext|>", "<|user|>", "<|end|>"])
    eaters = {}
    for architecture in ("phi3", "llama"):
        pairs = {**pieces.metadata(None), "general.architecture": architecture}
        body = GgufBuilder({k: v for k, v in pairs.items() if v is not None}).build()
        cursor = Cursor(body, "tiny.gguf", at=len(b"GGUF") + 4 + 8 + 8)
        metadata = Metadata(body, cursor, sum(v is not None for v in pairs.values()))
        eaters[architecture] = Vocabulary.read(metadata, rows=len(pieces.tokens)).eats_space

    assert eaters == {"phi3": {4, 5}, "llama": frozenset()}


@pytest.mark.parametrize("token", ["<end_of_turn>", "<|im_end|>", "<|eot_id|>", "<|end|>"])
@pytest.mark.parametrize("kind", [1, 3, 4])
def test_ends_of_families_are_ends_and_special_whatever_kind_a_file_says(
    tmp_path: Path, token: str, kind: int
) -> None:
    pieces = Pieces(control=["<unk>", "<s>", "</s>", token])
    pieces.kinds[3] = kind
    folder = imported(tmp_path, pieces)

    ends = json.loads((folder / "genai_config.json").read_text())["model"]["eos_token_id"]
    assert ends == [2, 3]
    assert Tokenizer.load(folder).special_ids >= {1, 2, 3}


def test_what_is_struck_through_is_no_end_where_it_is_text(folder: Path, name: str) -> None:
    ends = json.loads((folder / "genai_config.json").read_text())["model"]["eos_token_id"]

    assert ends == ([2, 4] if name == "gemma" else [2])


def test_a_base_model_gets_no_template(folder: Path) -> None:
    assert not (folder / "chat_template.jinja").exists()
    settings_file = json.loads((folder / "tokenizer_config.json").read_text())
    assert "chat_template" not in settings_file


@pytest.mark.parametrize(
    ("key", "value", "error"),
    [
        ("scores", None, ModelDamaged),
        ("scores", [0.5], ModelDamaged),
        ("scores", ["a"], ModelDamaged),
        ("model", "unigram", ModelUnsupported),
    ],
)
def test_what_is_missing_or_unknown_is_refused(
    tmp_path: Path, key: str, value: object, error: type[Exception]
) -> None:
    metadata = {**LLAMA.metadata(None), f"tokenizer.ggml.{key}": value}
    path = write_tiny_gguf(tmp_path / "tiny.gguf", shape=Shape(layers=1), metadata=metadata)

    with pytest.raises(error):
        import_gguf(path, tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_scores_that_are_no_numbers_and_tokens_that_are_there_twice_are_damage(
    tmp_path: Path,
) -> None:
    scores = [*LLAMA.scores[:-1], float("nan")]
    tokens = [*LLAMA.tokens[:-1], LLAMA.tokens[-2]]
    for key, value in (("scores", scores), ("tokens", tokens)):
        pairs = {f"tokenizer.ggml.{key}": value}
        path = tmp_path / f"{key}.gguf"
        write_tiny_gguf(path, shape=Shape(layers=1), metadata={**LLAMA.metadata(None), **pairs})
        with pytest.raises(ModelDamaged):
            import_gguf(path, tmp_path / "model")


def test_a_vocabulary_that_would_lose_text_is_refused(tmp_path: Path) -> None:
    pieces = Pieces(control=LLAMA.control)
    pieces.tokens[pieces.tokens.index("<0x41>")] = "other"

    with pytest.raises(ModelUnsupported) as caught:
        imported(tmp_path, pieces)
    assert caught.value.facts == {"what": "a vocabulary without bytes"}


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    changes=st.lists(
        st.tuples(st.integers(24, 30_000), st.binary(min_size=1, max_size=8)),
        min_size=1,
        max_size=4,
    )
)
def test_random_bytes_end_in_a_tokenizer_or_in_damage(
    tmp_path: Path, changes: list[tuple[int, bytes]]
) -> None:
    pairs = {key: value for key, value in GEMMA.metadata(None).items() if value is not None}
    body = bytearray(GgufBuilder(pairs).build())
    for place, bad in changes:
        at = 24 + place % (len(body) - 40)
        body[at : at + len(bad)] = bad
    try:
        metadata = Metadata(bytes(body), Cursor(bytes(body), "bad.gguf", at=24), len(pairs))
        vocabulary = Vocabulary.read(metadata, rows=len(GEMMA.tokens))
        for name, parts in tokenizer_files(vocabulary, metadata, context_tokens=9).items():
            (tmp_path / name).write_bytes(b"".join(parts))
        tokenizer = Tokenizer.load(tmp_path)
    except (ModelDamaged, ModelUnsupported):
        return

    ids = tokenizer.encode_plain("the dead <end_of_turn> bed")
    assert tokenizer.control_ids.isdisjoint(ids)
