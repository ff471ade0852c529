"""The same model on other devices and in other runtimes than the processor and its own.

packaging/check.py prepares what they need; without that they are skipped.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.children import Verb, command
from inference import agreement, child, devices, probe, trial
from inference.child import Child
from inference.devices import OPENVINO_PROVIDER
from inference.trial import TryDevice, Verdict
from inference.types import DeviceTarget
from tests.conftest import ROOT

Launch = Callable[[Verb], Child]

pytestmark = [pytest.mark.engine, pytest.mark.device, pytest.mark.timeout(600)]

MEASURE_S = 0.5
CPU = devices.processor_target()


def run(launch: Callable[[], Child], model: Path, target: DeviceTarget, like: Verdict) -> Verdict:
    return trial.run(launch, TryDevice(str(model), target, like.places, 2, MEASURE_S))


def on_processor(launch: Launch, model: Path) -> Verdict:
    return run(lambda: launch("trial"), model, CPU, Verdict())


def assert_agrees(verdict: Verdict, expected: Verdict) -> None:
    assert verdict.reason == ""
    assert verdict.tokens_per_s > 0
    comparison = agreement.compare(expected.places, verdict.places)
    assert comparison.is_same_text
    assert comparison.kl <= agreement.MOST_KL


@pytest.fixture
def elsewhere() -> Iterator[Callable[[Path], Child]]:
    """Start a trial with the Python of another environment; the test ends it."""
    started: list[Child] = []

    def start(python: Path) -> Child:
        started.append(child.start([str(python), *command("trial")[1:]], {"PWD": str(ROOT)}))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.connection.close()


@pytest.mark.usefixtures("software_gpu")
@pytest.mark.parametrize(
    "model", ["tiny_model", pytest.param("starter_model", marks=pytest.mark.starter)]
)
def test_webgpu_computes_what_the_processor_computes(
    launch: Launch, request: pytest.FixtureRequest, model: str
) -> None:
    folder: Path = request.getfixturevalue(model)
    (gpu,) = (
        each.target
        for each in probe.find(lambda: launch("probe")).devices
        if each.target.provider == devices.WEBGPU_PROVIDER
    )
    expected = on_processor(launch, folder)

    verdict = run(lambda: launch("trial"), folder, gpu, expected)

    assert_agrees(verdict, expected)


def test_openvino_computes_what_the_processor_computes(
    launch: Launch,
    elsewhere: Callable[[Path], Child],
    openvino_runtime: Path,
    tiny_model: Path,
) -> None:
    target = DeviceTarget("cpu", OPENVINO_PROVIDER, "OpenVINO", options={"device_type": "CPU"})
    expected = on_processor(launch, tiny_model)

    verdict = run(lambda: elsewhere(openvino_runtime), tiny_model, target, expected)

    assert_agrees(verdict, expected)


@pytest.mark.parametrize(
    "model", ["tiny_model", pytest.param("starter_model", marks=pytest.mark.starter)]
)
def test_the_older_generation_computes_what_the_newer_computes(
    launch: Launch,
    elsewhere: Callable[[Path], Child],
    second_runtime: Path,
    request: pytest.FixtureRequest,
    model: str,
) -> None:
    folder: Path = request.getfixturevalue(model)
    expected = on_processor(launch, folder)

    verdict = run(lambda: elsewhere(second_runtime), folder, CPU, expected)

    assert_agrees(verdict, expected)
