"""`snug bench` on a model made on the spot."""

import argparse
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from app import paths
from app.cli import bench, bench_table
from app.cli.output import Output

# What programs have read since the first version.
FIRST_FIELDS = {
    "model",
    "device",
    "threads",
    "versions",
    "load_s",
    "ttft_s",
    "peak_bytes",
    "results",
}


def measured(tmp_path: Path, *arguments: str, as_json: bool) -> tuple[int, str]:
    parser = argparse.ArgumentParser()
    bench.register(parser.add_subparsers())
    options = parser.parse_args(["bench", *arguments])
    out = io.StringIO()
    output = Output(as_json=as_json, out=out, err=io.StringIO())
    return bench.run(options, paths.Paths(tmp_path), output), out.getvalue()


@pytest.mark.engine
def test_json_has_the_first_versions_fields_and_the_suites_that_were_asked_for(
    tmp_path: Path,
) -> None:
    status, text = measured(
        tmp_path, "--model", "synthetic:tiny-q4_0", "--suite", "all", "--rounds", "1", as_json=True
    )

    found = json.loads(text)
    assert status == 0
    assert found.keys() >= FIRST_FIELDS
    assert found["model"] == "synthetic:tiny-q4_0"
    assert found.keys() >= {"sessions", "lanes", "drafts", "devices"}
    names = [result["name"] for result in found["results"]]
    assert names == ["prefill@128", "prefill@512", "decode@128"]
    assert all(result["ratio_llama_cpp"] is None for result in found["results"])


@pytest.mark.engine
def test_people_get_a_table_of_the_threads_they_asked_for(tmp_path: Path) -> None:
    status, text = measured(
        tmp_path,
        *("--model", "synthetic:tiny-q4_k", "--suite", "lanes", "--threads", "1"),
        as_json=False,
    )

    assert status == 0
    assert "1 threads" in text
    assert "chat turn beside a batch" in text


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--model", "synthetic:9b-q4_0"), "a synthetic model is SHAPE-TYPE"),
        (
            ("--model", "synthetic:tiny-q4_0", "--against", "llama.cpp", "--llama-python", "/none"),
            "cannot import llama_cpp",
        ),
    ],
)
def test_what_cannot_be_measured_is_a_matter_of_usage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], complaint: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        measured(tmp_path, *arguments, as_json=True)

    assert ended.value.code == 2
    assert complaint in capsys.readouterr().err


def test_the_file_must_be_the_one_the_model_was_made_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "llama_cpp.py").write_text("")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    other = tmp_path / "other.gguf"
    other.write_bytes(b"GGUF")

    with pytest.raises(SystemExit) as ended:
        measured(
            tmp_path,
            *("--model", "synthetic:tiny-q4_0", "--against", "llama.cpp", "--gguf", str(other)),
            *("--llama-python", sys.executable),
            as_json=True,
        )

    assert ended.value.code == 2
    assert "was not made of other.gguf" in capsys.readouterr().err


def test_a_table_leaves_out_what_was_not_measured() -> None:
    result: dict[str, Any] = {
        "name": "decode@128",
        "tokens_per_s": 20.0,
        "bare_tokens_per_s": 20.0,
        "ratio": 1.0,
        "llama_cpp_tokens_per_s": None,
        "ratio_llama_cpp": None,
        "bandwidth_share": 0.73,
    }
    facts = {
        "model": "m",
        "device": {"kind": "cpu", "name": "c", "reason": "the GPU failed"},
        "threads": 2,
        "versions": {"onnxruntime": "1"},
        "load_s": 1.0,
        "ttft_s": 0.1,
        "peak_bytes": 1,
        "load": {"load_s": 1.0, "llama_cpp_load_s": None, "ratio_llama_cpp": None},
        "weight_bytes": 10,
        "read_bytes_per_s": (1e9, 2e9),
        "results": [result],
    }
    out = io.StringIO()

    bench_table.show(facts, Output(as_json=False, out=out))

    lines = out.getvalue().splitlines()
    assert "because the GPU failed" in lines
    assert lines[-1].split() == ["decode@128", "20.0", "20.0", "1.000", "73%"]
    assert not any("None" in line for line in lines)
