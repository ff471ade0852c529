"""`snug models search` and `info`, which ask nobody unless they are told to."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.cli import parser
from app.models.device_trust import DeviceTrust, Entry
from app.paths import Paths
from app.settings import Settings
from tests import fake_hub
from tests.fake_hub import REPOSITORY, FakeHub, noise

DISTILLS = "onnxruntime/DeepSeek-R1-Distill-ONNX"


class Said:
    """Exit status and output of one command."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *words: str) -> None:
        self.status = parser.run(["models", *words])
        self.out, self.err = capsys.readouterr()

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def ids(self) -> list[str]:
        return [model["id"] for model in self.json["models"]]


@pytest.fixture
def places(data_dir: Path) -> Paths:
    return Paths(data_dir)


@pytest.fixture
def hub(places: Paths) -> Iterator[FakeHub]:
    """The only hub there is, with a folder for the processor and a script beside it."""
    files = {
        "README.md": b"# Tiny",
        "cpu_and_mobile/cpu-int4/genai_config.json": b"{}",
        "cpu_and_mobile/cpu-int4/model.onnx": noise(900),
        "cpu_and_mobile/cpu-int4/run.py": b"print()",
        "cuda/cuda-fp16/genai_config.json": b"{}",
        "cuda/cuda-fp16/model.onnx": noise(2000),
        "tiny-Q4_0.gguf": noise(700),
    }
    with fake_hub.serve(files) as serving:
        replace(Settings(), hub_endpoint=serving.url).save(places.settings)
        yield serving


def test_search_finds_models_of_both_catalogs_by_language_and_task(
    places: Paths, capsys: pytest.CaptureFixture[str]
) -> None:
    german = Said(capsys, "search", "GERMAN", "--json")
    assert german.status == 0
    assert {"standard", "phi-4-mini"} <= set(german.ids)
    assert not {"starter", "phi-3-mini-4k"} & set(german.ids)
    assert Said(capsys, "search", "code", "formulas", "--json").ids == ["standard"]


def test_search_says_size_speed_and_what_it_is(
    places: Paths, capsys: pytest.CaptureFixture[str]
) -> None:
    (model,) = Said(capsys, "search", "phi-4", "--json").json["models"]
    assert model["repository"] == "microsoft/Phi-4-mini-instruct-onnx"
    speed = model["tokens_per_s"]
    assert speed is None or (0 < speed["least"] < speed["most"] and not speed["measured"])
    people = Said(capsys, "search", "phi-4").out
    assert people.startswith("phi-4-mini ")
    assert model["about"] in people


def test_search_names_a_pasted_repository_and_asks_nobody(
    places: Paths, hub: FakeHub, capsys: pytest.CaptureFixture[str]
) -> None:
    said = Said(capsys, "search", f"https://huggingface.co/{REPOSITORY}/tree/main", "--json")
    assert said.json == {"models": [], "repository": REPOSITORY}
    assert f"snug models add {REPOSITORY}" in Said(capsys, "search", REPOSITORY).out
    assert Said(capsys, "info", REPOSITORY, "--json").json["remote"] is None
    assert hub.asked == []


def test_search_for_what_is_not_there_says_how_to_name_a_repository(
    places: Paths, capsys: pytest.CaptureFixture[str]
) -> None:
    said = Said(capsys, "search", "nothing of the kind")
    assert said.status == 0
    assert "owner/name" in said.out


def test_info_says_what_a_model_needs_and_where_that_was_read(
    places: Paths, capsys: pytest.CaptureFixture[str]
) -> None:
    (model,) = Said(capsys, "info", "llama-3.2-3b", "--json").json["models"]
    assert model["context_tokens"] == 131072
    assert model["memory_needed_bytes"] > model["about_bytes"]
    assert model["sources"]["repository"].startswith("https://")
    people = Said(capsys, "info", "llama-3.2-3b").out
    assert "Llama 3.2 Community License, https://" in people
    assert "German" in people
    assert model["sources"]["repository"] in people


def test_info_by_repository_names_every_model_in_it(
    places: Paths, capsys: pytest.CaptureFixture[str]
) -> None:
    ids = Said(capsys, "info", DISTILLS.lower(), "--json").ids
    assert ids == ["deepseek-r1-1.5b", "deepseek-r1-7b", "deepseek-r1-14b"]


def test_info_of_a_model_that_was_used_says_its_measured_speed(
    places: Paths, capsys: pytest.CaptureFixture[str]
) -> None:
    trust = DeviceTrust(places.devices)
    trust.note(Entry("CPUExecutionProvider", "", "", "cpu", "starter", tokens_per_s=98.4))
    (model,) = Said(capsys, "info", "starter", "--json").json["models"]
    assert model["tokens_per_s"] == {"least": 98.4, "most": 98.4, "measured": True}
    assert "98 tokens/s (measured)" in Said(capsys, "info", "starter").out


def test_info_of_an_unknown_name_fails_with_a_sentence(
    places: Paths, capsys: pytest.CaptureFixture[str]
) -> None:
    said = Said(capsys, "info", "nothing", "--json")
    assert said.status != 0
    assert json.loads(said.err)["error"]["code"]


def test_info_remote_lists_the_variants_and_marks_the_best(
    places: Paths, hub: FakeHub, capsys: pytest.CaptureFixture[str]
) -> None:
    remote = Said(capsys, "info", REPOSITORY, "--remote", "--json").json["remote"]
    assert remote["commit"] == fake_hub.COMMIT
    by_name = {variant["name"]: variant for variant in remote["variants"]}
    assert set(by_name) == {"cpu_and_mobile/cpu-int4", "cuda/cuda-fp16", "tiny-Q4_0.gguf"}
    best = by_name["cpu_and_mobile/cpu-int4"]
    assert best["chosen"]
    assert best["bytes"] == 902
    assert "run.py" not in str(best["files"])
    assert sum(variant["chosen"] for variant in by_name.values()) == 1
    people = Said(capsys, "info", REPOSITORY, "--remote").out
    assert "cpu_and_mobile/cpu-int4  (best for the processor)" in people
    assert "gpu, fp16, 2 files" in people


def test_info_remote_of_a_model_that_comes_from_no_hub_fails(
    places: Paths, hub: FakeHub, capsys: pytest.CaptureFixture[str]
) -> None:
    assert Said(capsys, "info", "starter", "--remote").status != 0
    assert hub.asked == []
