"""`snug models compare`, as a person and as a program call it, with tiny models."""

import json
import shutil
from pathlib import Path

import pytest

from app.cli import parser
from tests.tiny_gguf import write_tiny_gguf

pytestmark = pytest.mark.engine

TEXT = "they said that the number of people in a place is more than one could see in a day. " * 20


@pytest.fixture(scope="module")
def other_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from inference.gguf import importer

    folder = tmp_path_factory.mktemp("other")
    write_tiny_gguf(folder / "other.gguf", seed=5, types=("Q4_0",))
    importer.import_gguf(folder / "other.gguf", folder / "other", accuracy_level=1)
    return folder / "other"


@pytest.fixture
def two(data_dir: Path, tiny_model: Path, other_model: Path) -> Path:
    shutil.copytree(tiny_model, data_dir / "models" / "tiny")
    shutil.copytree(other_model, data_dir / "models" / "other")
    return data_dir


def run(*words: str) -> int:
    return parser.run(["models", "compare", *words])


def test_a_program_gets_every_figure(
    two: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "text.txt").write_text(TEXT, "utf-8")

    status = run(
        *("tiny@cpu", "other@cpu", "--prompt", "hot water", "--answer-tokens", "6"),
        *("--document", str(tmp_path / "text.txt"), "--text-tokens", "40", "--json"),
    )

    said = json.loads(capsys.readouterr().out)
    assert status == 0
    assert [each["id"] for each in said["contenders"]] == ["tiny", "other"]
    for each in said["contenders"]:
        assert each["stage"] == "done"
        assert each["load_s"] > 0
        assert each["peak_bytes"] > 0
        assert each["ttft_s"] > 0
        assert each["prefill_tokens_per_s"] > 0
        assert each["device"]["kind"] == "cpu"
        assert len(each["answers"]) == 1
        assert each["text"]["bits_per_byte"] > 0
    first, second = (each["text"] for each in said["contenders"])
    assert first["tokens"] <= 39
    assert first["characters_read"] == second["characters_read"]
    assert said["differences"]


def test_a_person_reads_a_table_answers_and_what_differs(
    two: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("tiny", "other", "--prompt", "hot water", "--answer-tokens", "6") == 0

    out = capsys.readouterr().out
    lines = out.splitlines()
    assert any(line.startswith("writing, tokens/s") for line in lines)
    assert not any(line.startswith("text, bits per byte") for line in lines)
    assert "> hot water" in lines
    assert out.rstrip().endswith("1 of 1 answers differ.")


def test_equal_answers_are_told_once(two: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("tiny@cpu", "tiny", "--prompt", "hot water", "--answer-tokens", "6") == 0

    out = capsys.readouterr().out
    assert out.count("[all the same]") == 1
    assert "All answers are the same, word for word." in out


def test_a_damaged_model_is_named_and_the_other_one_measured(
    two: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = two / "models" / "other" / "model.onnx.data"
    damaged = bytearray(data.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    data.write_bytes(damaged)

    assert run("tiny", "other", "--prompt", "hot water", "--answer-tokens", "4", "--json") == 1

    first, second = json.loads(capsys.readouterr().out)["contenders"]
    assert (first["stage"], first["error"]) == ("done", "")
    assert (second["stage"], second["error"]) == ("failed", "model_damaged")


def test_an_unknown_model_is_named_before_anything_runs(
    two: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status = run("tiny", "nobody", "--document", "not-there.txt")

    assert status != 0
    assert "nobody" in capsys.readouterr().err
