"""The decision for a device, with real processes and plug-ins that fail for real."""

import shutil
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from app.children import Verb
from app.models.device_trust import DeviceTrust
from app.models.device_values import Decision
from app.models.devices import DeviceService
from app.models.installed import InstalledModel
from app.paths import Paths
from inference import devices, plugins, probe
from inference.child import Child
from inference.errors import Cancelled, ModelMissing
from inference.plugins import Plugin
from inference.trial import LIMITS_S
from tests import broken_plugin

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(sys.platform == "win32", reason="DirectML may be there"),
]

Launch = Callable[[Verb], Child]

WEBGPU = tuple(each for each in plugins.installed() if each.name == "webgpu")
PROCESSOR = devices.processor_target()
VIRTUAL = "the GPU cannot be used: it is a virtual device that can run nothing"

needs_webgpu = pytest.mark.skipif(not WEBGPU, reason="the WebGPU plug-in is not installed")


class Bench:
    """A service of which can be told what it started."""

    def __init__(self, data: Path, launch: Launch, tiny_model: Path) -> None:
        self.started: Counter[Verb] = Counter()
        self.paths = Paths(data)
        self.model = InstalledModel("tiny", "Tiny", tiny_model, "", 0, "llama", "", 2048, "")
        self._launch = launch

    def service(
        self, installed: Sequence[Plugin], *, probe_limit_s: float = probe.LIMIT_S
    ) -> DeviceService:
        return DeviceService(
            self.paths,
            self._start,
            installed=lambda: installed,
            probe_limit_s=probe_limit_s,
            measure_s=0.5,
        )

    def _start(self, verb: Verb) -> Child:
        self.started[verb] += 1
        return self._launch(verb)


@pytest.fixture
def bench(data_dir: Path, launch: Launch, tiny_model: Path) -> Bench:
    return Bench(data_dir, launch, tiny_model)


@pytest.fixture
def virtual(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SNUG_VIRTUAL_DEVICES", "1")


@pytest.mark.parametrize(
    ("wish", "reason"),
    [
        ("auto", ""),
        ("cpu", ""),
        (PROCESSOR.name, ""),
        ("gpu", "no GPU was found that Snug can use"),
        ("npu", "no NPU was found that Snug can use"),
        ("Some GPU", "there is no device named Some GPU"),
    ],
)
def test_without_plug_ins_the_processor_is_taken_and_no_process_started(
    bench: Bench, wish: str, reason: str
) -> None:
    assert bench.service(()).decide(bench.model, wish) == Decision(PROCESSOR, reason)
    assert not bench.started


@needs_webgpu
@pytest.mark.usefixtures("virtual")
def test_a_device_that_fails_leaves_the_processor_with_the_reason(bench: Bench) -> None:
    service = bench.service(WEBGPU)

    for wish in ("auto", "gpu", "Virtual GPU (WebGPU)"):
        assert service.decide(bench.model, wish) == Decision(PROCESSOR, VIRTUAL)

    processor, gpu = service.reports()
    assert (processor.target, processor.state) == (PROCESSOR, "works")
    assert processor.tokens_per_s > 0
    assert (gpu.state, gpu.reason, gpu.is_virtual) == (
        "failed",
        "it is a virtual device that can run nothing",
        True,
    )


@needs_webgpu
@pytest.mark.usefixtures("virtual")
def test_a_verdict_is_remembered_until_somebody_asks_for_another(bench: Bench) -> None:
    bench.service(WEBGPU).decide(bench.model, "auto")
    tried = bench.started["trial"]

    again = bench.service(WEBGPU)
    assert again.decide(bench.model, "auto").reason == VIRTUAL
    assert bench.started["trial"] == tried

    again.retry(again.reports()[-1].target)
    assert again.reports()[-1].state == "untested"
    assert again.decide(bench.model, "auto").reason == VIRTUAL
    assert bench.started["trial"] > tried


@needs_webgpu
@pytest.mark.usefixtures("virtual")
def test_another_version_of_the_plug_in_is_tried_anew(bench: Bench) -> None:
    bench.service(WEBGPU).decide(bench.model, "auto")
    tried = bench.started["trial"]

    newer = bench.service((replace(WEBGPU[0], version="99"),))

    assert newer.reports()[-1].state == "untested"
    newer.decide(bench.model, "auto")
    assert bench.started["trial"] > tried


@pytest.mark.parametrize(
    ("behavior", "limit_s", "what"),
    [
        (broken_plugin.ENDS, probe.LIMIT_S, "ended the process that asked it, by SIGABRT"),
        (broken_plugin.HANGS, 3.0, "did not answer"),
    ],
)
def test_a_plug_in_that_cannot_be_asked_is_a_reason(
    bench: Bench, tmp_path: Path, behavior: str, limit_s: float, what: str
) -> None:
    broken = broken_plugin.build(tmp_path, behavior)
    service = bench.service((broken,), probe_limit_s=limit_s)

    decision = service.decide(bench.model, "auto")

    assert decision == Decision(PROCESSOR, f"the plug-in broken 1.0 {what}")
    assert [(each.state, each.reason) for each in service.reports()] == [
        ("works", ""),
        ("failed", f"its plug-in {what}"),
    ]


@needs_webgpu
@pytest.mark.usefixtures("virtual")
def test_a_damaged_model_is_no_verdict_on_a_device(bench: Bench, tmp_path: Path) -> None:
    broken = replace(bench.model, folder=tmp_path / "broken")
    shutil.copytree(bench.model.folder, broken.folder)
    (broken.folder / "model.onnx").unlink()
    service = bench.service(WEBGPU)

    assert service.decide(broken, "gpu") == Decision(PROCESSOR)
    assert DeviceTrust(bench.paths.devices).entries() == ()
    with pytest.raises(ModelMissing):
        service.test(broken, service.reports()[-1].target, lambda _stage: None)


def test_the_processor_can_be_measured(bench: Bench) -> None:
    stages: list[str] = []

    report = bench.service(()).test(bench.model, PROCESSOR, stages.append)

    assert report.state == "works"
    assert report.tokens_per_s > 0
    assert stages == list(LIMITS_S)


@needs_webgpu
@pytest.mark.usefixtures("virtual")
def test_a_device_that_fails_in_earnest_is_not_taken_again(bench: Bench) -> None:
    service = bench.service(WEBGPU)
    target = service.reports()[-1].target

    service.distrust(bench.model, target, "it ended the process while it answered")

    reason = "the GPU cannot be used: it ended the process while it answered"
    assert service.decide(bench.model, "gpu") == Decision(PROCESSOR, reason)
    assert not bench.started["trial"]


@pytest.mark.device
@pytest.mark.timeout(600)
@needs_webgpu
@pytest.mark.usefixtures("software_gpu")
def test_a_gpu_that_is_slower_than_the_processor_runs_only_when_asked_for(bench: Bench) -> None:
    service = bench.service(WEBGPU)

    decision = service.decide(bench.model, "auto")
    assert decision == Decision(PROCESSOR, "it answers faster than the GPU here")

    wished = service.decide(bench.model, "gpu")
    assert wished.target is not None
    assert (wished.target.kind, wished.reason) == ("gpu", "")
    assert service.decide(bench.model, wished.target.name) == wished
    gpu = service.reports()[-1]
    assert (gpu.state, gpu.is_software) == ("works", True)
    assert gpu.tokens_per_s > 0


@pytest.mark.device
@pytest.mark.timeout(600)
@needs_webgpu
def test_a_driver_that_went_away_is_tried_anew_and_is_the_reason(
    bench: Bench, software_gpu: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.service(WEBGPU).decide(bench.model, "gpu")
    monkeypatch.setenv("VK_DRIVER_FILES", str(software_gpu.with_name("gone.json")))

    decision = bench.service(WEBGPU).decide(bench.model, "gpu")

    assert decision == Decision(
        PROCESSOR,
        "the GPU cannot be used: its driver has no usable Vulkan adapter",
    )


@pytest.mark.device
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("virtual")
def test_an_npu_that_cannot_compile_leaves_the_processor(
    bench: Bench, openvino_runtime: Path
) -> None:
    (library,) = openvino_runtime.parents[1].glob(
        "lib/python*/site-packages/onnxruntime_ep_openvino/lib*_openvino_plugin.so"
    )
    service = bench.service((Plugin("openvino", "1.8.1", library=str(library)),))

    decision = service.decide(bench.model, "npu")

    assert decision.target == PROCESSOR
    assert decision.reason == ("the NPU cannot be used: its driver has no compiler for models")
    npus = [each for each in service.reports() if each.target.kind == "npu"]
    assert len({each.target.name for each in npus}) == len(npus) > 0
    assert {each.state for each in npus} == {"failed"}


@needs_webgpu
@pytest.mark.usefixtures("virtual")
def test_a_trial_ends_with_the_service_and_is_no_verdict(bench: Bench) -> None:
    service = bench.service(WEBGPU)
    target = service.reports()[-1].target

    def close(_stage: str) -> None:
        service.close()

    with pytest.raises(Cancelled):
        service.test(bench.model, target, close)

    assert bench.service(WEBGPU).reports()[-1].state == "untested"
