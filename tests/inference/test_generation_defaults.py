"""How a model wants its answers drawn."""

import json
from pathlib import Path
from typing import Any

import pytest

from inference.generation_defaults import read
from inference.types import Sampling

OWN = Sampling()
BUILT = {
    "do_sample": False,
    "temperature": 1.0,
    "top_k": 50,
    "top_p": 1.0,
    "repetition_penalty": 1.0,
}


def write(folder: Path, *, own: Any = None, search: Any = None) -> Path:
    if own is not None:
        (folder / "generation_config.json").write_text(json.dumps(own))
    if search is not None:
        (folder / "genai_config.json").write_text(json.dumps({"search": search}))
    return folder


@pytest.mark.parametrize("search", [None, BUILT, 3, {"temperature": "hot"}])
def test_where_nothing_is_said_snugs_own_defaults_hold(tmp_path: Path, search: Any) -> None:
    assert read(write(tmp_path, search=search)) == OWN


def test_the_models_own_file_counts_more_than_the_runtimes(tmp_path: Path) -> None:
    own = {"temperature": 0.6, "top_k": 20, "min_p": 0.05, "do_sample": True}
    search = {"temperature": 0.7, "top_p": 0.8, "repetition_penalty": 1.05, "do_sample": False}

    assert read(write(tmp_path, own=own, search=search)) == Sampling(
        temperature=0.6, top_p=0.8, top_k=20, min_p=0.05, repetition_penalty=1.05
    )


def test_a_runtime_that_samples_means_its_values(tmp_path: Path) -> None:
    sampling = read(write(tmp_path, search={**BUILT, "do_sample": True}))

    assert (sampling.temperature, sampling.top_p, sampling.top_k) == (1.0, 1.0, 50)


def test_not_sampling_is_greedy_only_where_the_model_says_so_itself(tmp_path: Path) -> None:
    assert read(write(tmp_path, search={"do_sample": False})).temperature == OWN.temperature
    assert read(write(tmp_path, own={"do_sample": False})).temperature == 0


@pytest.mark.parametrize(
    "bad",
    [
        {"temperature": -1},
        {"temperature": 1e400},
        {"top_k": 1e400},
        {"top_p": 0},
        {"top_k": -3},
        {"top_k": 2.5},
        {"min_p": 1},
        {"repetition_penalty": 0},
        {"temperature": None},
        {"top_k": True},
        {"top_p": [0.9]},
    ],
    ids=str,
)
def test_a_value_that_cannot_be_meant_is_passed_over_alone(tmp_path: Path, bad: Any) -> None:
    good = {"temperature": 0.5, "top_p": 0.7, "top_k": 7, "min_p": 0.2, "repetition_penalty": 1.3}
    sampling = read(write(tmp_path, own={**good, **bad}))

    expected = {name: value for name, value in good.items() if name not in bad}
    assert sampling == Sampling(**expected)  # type: ignore[arg-type]


def test_a_file_that_is_no_json_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "generation_config.json").write_bytes(b"\xff{")

    assert read(tmp_path) == OWN
