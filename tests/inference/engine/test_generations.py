"""The engine elsewhere: with genai 0.13.1 on ONNX Runtime 1.24.4, and on a GPU.

That pair is the one which has DirectML.
"""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from inference.gguf import importer
from tests.inference.engine import exercise

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def exact_starter(starter_gguf: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The starter at accuracy level 1."""
    folder = tmp_path_factory.mktemp("exact") / "starter"
    importer.import_gguf(starter_gguf, folder, accuracy_level=1)
    return folder


def run(
    python: Path, folder: Path, result: Path, *, checks: str, webgpu: str = ""
) -> dict[str, str]:
    """Run the exercises in another process, and return its runtime's versions."""
    done = subprocess.run(
        [python, exercise.__file__, str(folder), str(result), checks, webgpu],
        env=os.environ | {"PYTHONPATH": str(exercise.ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
    )
    assert done.returncode == 0, done.stderr
    versions: dict[str, str] = json.loads(done.stdout)
    return versions


def test_it_is_the_other_generation_and_computes_the_same(
    second_runtime: Path, tiny_model: Path, tmp_path: Path
) -> None:
    versions = run(second_runtime, tiny_model, tmp_path / "second.npz", checks="all")

    assert versions["onnxruntime-genai"] == "0.13.1"
    assert versions["onnxruntime"] == "1.24.4"
    first = exercise.reference(exercise.load(tiny_model), exercise.some_ids(tiny_model))
    with np.load(tmp_path / "second.npz") as second:
        for name, logits in first.items():
            assert exercise.apart(logits, second[name]) <= exercise.TOLERANCE, name


@pytest.mark.starter
def test_the_starter_is_the_same_where_it_is_exact(
    second_runtime: Path, exact_starter: Path, tmp_path: Path
) -> None:
    run(second_runtime, exact_starter, tmp_path / "second.npz", checks="logits")

    first = exercise.reference(exercise.load(exact_starter), exercise.some_ids(exact_starter))
    with np.load(tmp_path / "second.npz") as second:
        for name, logits in first.items():
            assert exercise.apart(logits, second[name]) <= exercise.TOLERANCE, name


@pytest.mark.starter
def test_the_starter_does_all_of_it(
    second_runtime: Path, starter_model: Path, tmp_path: Path
) -> None:
    run(second_runtime, starter_model, tmp_path / "second.npz", checks="all")


@pytest.mark.parametrize("generation", ["installed", "second"])
def test_a_gpu_does_all_of_it(
    software_gpu: Path,
    tiny_model: Path,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    generation: str,
) -> None:
    """Played by the processor, but with a GPU's driver, shaders and memory."""
    assert software_gpu.is_file()
    plugin = find_spec("onnxruntime_ep_webgpu")
    assert plugin is not None
    assert plugin.submodule_search_locations is not None
    (library,) = Path(plugin.submodule_search_locations[0]).glob("*onnxruntime_providers_webgpu.*")
    python = Path(sys.executable)
    if generation == "second":
        python = request.getfixturevalue("second_runtime")

    run(python, tiny_model, tmp_path / "gpu.npz", checks="all", webgpu=str(library))
