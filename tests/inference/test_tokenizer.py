"""Text to ids and back: nothing is lost, and plain text never makes a control token."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
