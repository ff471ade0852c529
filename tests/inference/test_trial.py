"""A device's trial: every way to fail ends in a reason, and none in ours."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from app.children import Verb
from inference import devices, plugins, trial
from inference.child import Child
from inference.errors import ModelMissing
from inference.trial import LIMITS_S, TryDevice, Verdict
from inference.types import DeviceTarget
from tests import broken_plugin

Launch = Callable[[Verb], Child]

pytestmark = pytest.mark.engine

WEBGPU = next((each for each in plugins.installed() if each.name == "webgpu"), None)
SHORT_S = 0.2
HANG_S = 2.0


def run(
    launch: Launch,
    task: TryDevice,
    stages: list[str] | None = None,
    *,
    register_s: float = LIMITS_S["register"],
) -> Verdict:
    def note(step: trial.Step) -> None:
        if stages is not None:
            stages.append(step)

    limits_s = {**LIMITS_S, "register": register_s}
    return trial.run(lambda: launch("trial"), task, on_stage=note, limits_s=limits_s)


@pytest.fixture
def task(tiny_model: Path) -> TryDevice:
    return TryDevice(str(tiny_model), devices.processor_target(), decode_s=SHORT_S)


@pytest.fixture
def expected(launch: Launch, task: TryDevice) -> TryDevice:
    """The same, with what the processor computes to compare with."""
    return replace(task, expected=run(launch, task).places)


def broken(task: TryDevice, library: str) -> TryDevice:
    target = DeviceTarget("gpu", "BrokenExecutionProvider", "Broken", library=library)
    return replace(task, target=target)


def test_the_processor_goes_through_every_stage_and_agrees_with_itself(
    launch: Launch, expected: TryDevice
) -> None:
    stages: list[str] = []

    verdict = run(launch, expected, stages)

    assert stages == list(LIMITS_S)
    assert verdict.reason == ""
    assert verdict.tokens_per_s > 0
    assert [each.likeliest for each in verdict.places] == [
        each.likeliest for each in expected.expected
    ]


def test_wrong_answers_are_noticed(launch: Launch, expected: TryDevice, tmp_path: Path) -> None:
    from inference.gguf import importer
    from tests.tiny_gguf import write_tiny_gguf

    write_tiny_gguf(tmp_path / "other.gguf", seed=1)
    importer.import_gguf(tmp_path / "other.gguf", tmp_path / "other")

    verdict = run(launch, replace(expected, folder=str(tmp_path / "other")))

    assert verdict.reason == "it computes other answers than the processor"


def test_a_process_that_ends_is_a_reason(
    launch: Launch, expected: TryDevice, tmp_path: Path
) -> None:
    plugin = broken_plugin.build(tmp_path, broken_plugin.ENDS)

    verdict = run(launch, broken(expected, plugin.library))

    assert verdict.reason == "it ended the process while its plug-in was loaded, by SIGABRT"


def test_a_process_that_hangs_is_a_reason(
    launch: Launch, expected: TryDevice, tmp_path: Path
) -> None:
    plugin = broken_plugin.build(tmp_path, broken_plugin.HANGS)

    verdict = run(launch, broken(expected, plugin.library), register_s=HANG_S)

    assert verdict.reason == "it did not answer in 2 s while its plug-in was loaded"


def test_a_plug_in_that_is_gone_is_a_reason(launch: Launch, expected: TryDevice) -> None:
    verdict = run(launch, broken(expected, "/nonexistent.so"))

    assert verdict.reason == "its plug-in could not be loaded"


@pytest.mark.skipif(WEBGPU is None, reason="the WebGPU plug-in is not installed")
def test_a_virtual_device_fails_with_the_reason(launch: Launch, expected: TryDevice) -> None:
    assert WEBGPU is not None
    target = DeviceTarget(
        "gpu",
        devices.WEBGPU_PROVIDER,
        "Virtual GPU",
        library=WEBGPU.library_path(),
        is_virtual=True,
    )

    verdict = run(launch, replace(expected, target=target))

    assert verdict.reason == "it is a virtual device that can run nothing"


def test_what_is_wrong_with_the_model_is_not_blamed_on_a_device(
    launch: Launch, task: TryDevice, tmp_path: Path
) -> None:
    with pytest.raises(ModelMissing):
        run(launch, replace(task, folder=str(tmp_path)))
