"""Text to ids and back: nothing is lost, and plain text never makes a control token."""

from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import decoders, models, normalizers, pre_tokenizers

from inference.errors import ModelDamaged, ModelMissing
from inference.tokenizer import StreamingDecoder, Tokenizer

CONTROL = ("<|im_start|>", "<|im_end|>", "<|endoftext|>")

_fragments = st.sampled_from(
    ["<|", "|>", "<", "|", ">", "im", "_start", "_end", "im_end", "endoftext", "\n", " ", "a", "é"]
)
hostile_texts = st.lists(st.one_of(_fragments, st.sampled_from(CONTROL)), max_size=12).map("".join)
texts = st.one_of(st.text(max_size=60), hostile_texts)


@pytest.fixture(scope="module")
def tokenizer(tiny_model: Path) -> Tokenizer:
    return Tokenizer.load(tiny_model)


@given(text=texts)
def test_plain_text_makes_no_control_token_and_comes_back(tokenizer: Tokenizer, text: str) -> None:
    ids = tokenizer.encode_plain(text)

    assert tokenizer.control_ids.isdisjoint(ids)
    assert tokenizer.decode(ids) == text
    assert all(0 <= number < tokenizer.vocab_size for number in ids)


@given(text=texts)
def test_streamed_text_is_the_text(tokenizer: Tokenizer, text: str) -> None:
    ids = tokenizer.encode_plain(text)
    decoder = StreamingDecoder(tokenizer)
    pieces = [decoder.push(number) for number in ids]

    assert "".join([*pieces, decoder.finish()]) == text
    if "\ufffd" not in text:
        assert not any("\ufffd" in piece for piece in pieces)


@given(data=st.data())
def test_any_ids_stream_to_what_they_decode_to(tokenizer: Tokenizer, data: st.DataObject) -> None:
    ids = data.draw(st.lists(st.integers(0, tokenizer.vocab_size - 1), max_size=40))
    decoder = StreamingDecoder(tokenizer)

    streamed = "".join([*(decoder.push(number) for number in ids), decoder.finish()])

    assert streamed == tokenizer.decode(ids)


def test_control_tokens_of_a_template_are_meant(tokenizer: Tokenizer) -> None:
    assert set(tokenizer.encode("<|im_start|>user")) & tokenizer.control_ids
    assert {tokenizer.token_id(each) for each in CONTROL} <= tokenizer.control_ids


def test_lone_surrogates_do_not_stop_it(tokenizer: Tokenizer) -> None:
    assert tokenizer.decode(tokenizer.encode_plain("a\ud800b")) == "a?b"


def test_missing_and_broken_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing):
        Tokenizer.load(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{")
    with pytest.raises(ModelDamaged):
        Tokenizer.load(tmp_path)


def _of_a_hub(normalizer: Any, pre_tokenizer: Any, decoder: Any) -> tokenizers.Tokenizer:
    """Return a tokenizer as model folders of hubs have it, of letters and one control token."""
    vocabulary = {"\u2581": 0, "a": 1, "b": 2, "<": 3, "|": 4, "x": 5, ">": 6, "\u2581a": 7}
    backend = tokenizers.Tokenizer(models.BPE(vocabulary, [("\u2581", "a")]))
    backend.normalizer, backend.pre_tokenizer, backend.decoder = normalizer, pre_tokenizer, decoder
    backend.add_special_tokens(["<|x|>"])
    return backend


_METASPACE = decoders.Sequence(
    [decoders.Replace("\u2581", " "), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
)
_SPACES = normalizers.Replace(" ", "\u2581")


@pytest.mark.parametrize(
    ("normalizer", "pre_tokenizer", "decoder", "again"),
    [
        (
            normalizers.Sequence([normalizers.Prepend("\u2581"), _SPACES]),
            pre_tokenizers.Sequence([]),
            _METASPACE,
            True,
        ),
        (
            normalizers.Sequence([]),
            pre_tokenizers.Metaspace(prepend_scheme="first", split=False),
            decoders.Metaspace(),
            False,
        ),
        (
            normalizers.Sequence([]),
            pre_tokenizers.Metaspace(prepend_scheme="always", split=True),
            decoders.Metaspace(),
            True,
        ),
    ],
    ids=["a normalizer", "at the first", "at each"],
)
def test_a_space_in_front_is_added_once_however_a_folder_says_it(
    normalizer: Any, pre_tokenizer: Any, decoder: Any, again: bool
) -> None:
    whole = _of_a_hub(normalizer, pre_tokenizer, decoder)
    expected = whole.encode("a<|x|>a b", add_special_tokens=False).ids
    tokenizer = Tokenizer(_of_a_hub(normalizer, pre_tokenizer, decoder), {})

    assert tokenizer.adds_space
    assert tokenizer.adds_space_again is again
    assert tokenizer.encode("a<|x|>a b") == expected
    assert tokenizer.encode("<|x|> b") == [8, 0, 2]
    assert tokenizer.encode("ab", begins=False) == [1, 2]
    for text in ("a", " a", "b<|x|> a", "<|x|>"):
        ids = tokenizer.encode_plain(text)
        assert 8 not in ids
        assert tokenizer.decode(ids) == text


def test_what_has_no_space_in_front_gets_none(tokenizer: Tokenizer) -> None:
    backend = _of_a_hub(_SPACES, pre_tokenizers.Sequence([]), decoders.Replace("\u2581", " "))
    other = Tokenizer(backend, {})

    assert not tokenizer.adds_space
    assert not other.adds_space
    assert other.encode("a<|x|>a") == other.encode("a<|x|>a", begins=False) == [1, 8, 1]
