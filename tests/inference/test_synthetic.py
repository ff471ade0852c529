"""Models made on the spot: whole files that load, and names that are told from each other."""

from pathlib import Path

import pytest

from inference.gguf import importer
from inference.gguf.reader import GgufFile
from inference.synthetic import BODIES, SHAPES, Synthetic, write_synthetic
from inference.tokenizer import Tokenizer


@pytest.mark.parametrize("body", BODIES)
def test_every_type_becomes_a_model_folder(tmp_path: Path, body: str) -> None:
    which = Synthetic("tiny", body)
    size = write_synthetic(tmp_path / "model.gguf", which)

    report = importer.import_gguf(tmp_path / "model.gguf", tmp_path / "model")

    assert size == (tmp_path / "model.gguf").stat().st_size
    assert report.name == which.name
    assert report.context_tokens == SHAPES["tiny"].context_tokens


def test_the_same_name_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("first", "second"):
        write_synthetic(tmp_path / name, Synthetic("tiny", "q4_k_m"))

    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()


def test_words_become_tokens_of_several_letters(tmp_path: Path) -> None:
    write_synthetic(tmp_path / "model.gguf", Synthetic("tiny", "q4_0"))
    importer.import_gguf(tmp_path / "model.gguf", tmp_path / "model")
    tokenizer = Tokenizer.load(tmp_path / "model")
    text = "the office opens at nine, says Zoë"

    ids = tokenizer.encode_plain(text)

    assert tokenizer.decode(ids) == text
    assert len(ids) < len(text) * 0.8


def test_the_mixed_type_mixes_as_such_files_do(tmp_path: Path) -> None:
    write_synthetic(tmp_path / "model.gguf", Synthetic("tiny", "q4_k_m"))

    with GgufFile(tmp_path / "model.gguf") as file:
        kinds = {name: tensor.type.name for name, tensor in file.tensors.items()}

    assert kinds["blk.0.ffn_down.weight"] == "Q6_K"
    assert kinds["blk.1.ffn_down.weight"] == "Q4_K"
    assert kinds["blk.0.attn_q.weight"] == "Q4_K"


@pytest.mark.parametrize("name", ["synthetic:1b", "synthetic:9b-q4_0", "1b-q3_k", ""])
def test_a_name_of_nothing_is_refused_with_what_there_is(name: str) -> None:
    with pytest.raises(ValueError, match=r"135m.*q4_k_m"):
        Synthetic.parse(name)


def test_a_name_is_read_as_it_is_written() -> None:
    which = Synthetic("3b", "q4_k_m")

    assert Synthetic.parse(which.name) == which
    assert which.name == "synthetic:3b-q4_k_m"
