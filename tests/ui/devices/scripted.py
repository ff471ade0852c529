"""Devices that are there, work or fail as a test says."""

import threading
from collections.abc import Callable
from dataclasses import replace

from app.models.device_values import DeviceBench, DeviceReport
from app.models.installed import InstalledModel
from inference.types import DeviceTarget

GPU = DeviceTarget("gpu", "WebGpuExecutionProvider", "Radeon", vendor="AMD", driver="24.1")
CPU = DeviceTarget("cpu", "CPUExecutionProvider", "Ryzen")
NPU = DeviceTarget("npu", "VirtualProvider", "Virtual", is_virtual=True)
FAILED = DeviceReport(GPU, "failed", "its driver refused the model", memory_bytes=8_000_000_000)
WORKING = replace(FAILED, state="works", reason="", tokens_per_s=21.04)
BENCH = DeviceBench(812.3, 31.42, 420_000_000, 0.712)
PROCESSOR = DeviceReport(CPU, "works")


class ScriptedDevices:
    """Finds what the test says; a test runs stage by stage, as far as it is let."""

    def __init__(self) -> None:
        self.found: tuple[DeviceReport, ...] = (FAILED, PROCESSOR)
        self.result: DeviceReport | Exception = WORKING
        self.forgotten: list[DeviceTarget] = []
        self.go_on = threading.Event()

    def reports(self) -> tuple[DeviceReport, ...]:
        return self.found

    def retry(self, target: DeviceTarget) -> None:
        self.forgotten.append(target)

    def test(
        self, model: InstalledModel, target: DeviceTarget, on_status: Callable[[str], None]
    ) -> DeviceReport:
        on_status("load")
        self.go_on.wait(10)
        on_status("decode")
        if isinstance(self.result, Exception):
            raise self.result
        return self.result

    def measure(
        self, model: InstalledModel, target: DeviceTarget, on_status: Callable[[str], None]
    ) -> DeviceBench:
        on_status("round 1 of 1")
        return BENCH
