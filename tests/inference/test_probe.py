"""Finding devices: one process for each plug-in, and none takes another along."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from app.children import Verb
from inference import devices, plugins, probe
from inference.child import Child
from inference.devices import DeviceFound
from inference.plugins import Plugin
from inference.types import DeviceTarget
from tests import broken_plugin

Launch = Callable[[Verb], Child]

WEBGPU = next((each for each in plugins.installed() if each.name == "webgpu"), None)
HANG_S = 5.0

needs_webgpu = pytest.mark.skipif(WEBGPU is None, reason="the WebGPU plug-in is not installed")


def nobody() -> Child:
    raise AssertionError("a process was started")


@pytest.mark.skipif(sys.platform == "win32", reason="DirectML may be there")
def test_without_plug_ins_the_processor_is_found_and_no_process_started() -> None:
    found = probe.find(nobody, lambda: ())

    assert [each.target for each in found.devices] == [devices.processor_target()]
    assert not found.failures


@pytest.mark.engine
@needs_webgpu
def test_virtual_devices_are_found_with_the_switch_only(
    launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert WEBGPU is not None
    monkeypatch.setenv("VK_DRIVER_FILES", "/nonexistent")
    assert not any(
        each.target.is_virtual
        for each in probe.find(lambda: launch("probe"), lambda: (WEBGPU,)).devices
    )

    monkeypatch.setenv("SNUG_VIRTUAL_DEVICES", "1")
    found = probe.find(lambda: launch("probe"), lambda: (WEBGPU,))

    (virtual,) = (each for each in found.devices if each.target.is_virtual)
    assert virtual.target.kind == "gpu"
    assert virtual.target.name == "Virtual GPU (WebGPU)"
    assert virtual.plugin == f"webgpu {WEBGPU.version}"
    assert found.devices[-1] == virtual


@pytest.mark.engine
@needs_webgpu
def test_a_plug_in_that_ends_its_process_takes_no_other_along(
    launch: Launch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert WEBGPU is not None
    monkeypatch.setenv("SNUG_VIRTUAL_DEVICES", "1")
    broken = broken_plugin.build(tmp_path, broken_plugin.ENDS)

    found = probe.find(lambda: launch("probe"), lambda: (broken, WEBGPU))

    assert "Virtual GPU (WebGPU)" in [each.target.name for each in found.devices]
    assert set(found.failures) == {"broken 1.0", "broken.virtual 1.0"}
    assert "by SIGABRT" in found.failures["broken 1.0"]


@pytest.mark.engine
def test_a_plug_in_that_hangs_is_given_up(launch: Launch, tmp_path: Path) -> None:
    broken = broken_plugin.build(tmp_path, broken_plugin.HANGS)

    found = probe.find(lambda: launch("probe"), lambda: (broken,), limit_s=HANG_S)

    assert found.failures == {"broken 1.0": "did not answer"}
    assert [each.target.kind for each in found.devices] == ["cpu"]


@pytest.mark.engine
@pytest.mark.parametrize(
    "plugin",
    [Plugin("gone", "2", library="/nonexistent.so"), Plugin("none", module="no_such_module")],
    ids=["no library", "no package"],
)
def test_a_plug_in_that_is_damaged_is_named(launch: Launch, plugin: Plugin) -> None:
    found = probe.find(lambda: launch("probe"), lambda: (plugin,))

    assert list(found.failures.values()) == ["cannot be loaded"]


def test_devices_are_ranked_by_what_they_are() -> None:
    def found(kind: str, provider: str, **facts: bool) -> DeviceFound:
        is_virtual = facts.get("is_virtual", False)
        target = DeviceTarget(kind, provider, "x", is_virtual=is_virtual)  # type: ignore[arg-type]
        return DeviceFound(target, is_software=facts.get("is_software", False))

    best_first = [
        found("npu", "QNNExecutionProvider"),
        found("gpu", devices.OPENVINO_PROVIDER),
        found("gpu", devices.WEBGPU_PROVIDER),
        found("cpu", devices.CPU_PROVIDER),
        found("gpu", devices.WEBGPU_PROVIDER, is_software=True),
    ]

    assert [each.rank for each in best_first] == sorted({each.rank for each in best_first})
    assert found("npu", devices.OPENVINO_PROVIDER, is_virtual=True).rank == best_first[-1].rank
