"""Devices in words."""

from PySide6.QtCore import QObject

from app.messages import readable_bytes
from app.models.device_values import DeviceBench, DeviceReport
from inference.types import DeviceChoice, DeviceKind
from ui.chat.wording import decimal, number


class DeviceWords(QObject):
    """Sentences about devices, in the window's language."""

    def kind(self, kind: DeviceKind) -> str:
        """Return what specialists call it."""
        return {"cpu": self.tr("CPU"), "gpu": self.tr("GPU"), "npu": self.tr("NPU")}[kind]

    def plain_kind(self, kind: DeviceKind) -> str:
        """Return what it is, in plain words."""
        texts = {
            "cpu": self.tr("Processor"),
            "gpu": self.tr("Graphics processor"),
            "npu": self.tr("AI processor"),
        }
        return texts[kind]

    def chosen(self, device: DeviceChoice) -> str:
        """Say where the model runs, and why there, where that was not wished for."""
        kind = self.kind(device.kind)
        if not device.reason:
            return self.tr("{} · {}").format(kind, device.name)
        return self.tr("{}, because {}").format(kind, device.reason)

    def state(self, report: DeviceReport) -> str:
        """Say what is known of a device."""
        if report.is_virtual:
            return self.tr("Only for preparing models on another computer; it cannot answer.")
        if report.state == "failed":
            return self.tr("Does not work: {}").format(report.reason)
        if report.state == "untested":
            return self.tr("Not tried yet")
        if report.tokens_per_s:
            return self.tr("Works · {} tokens/s").format(decimal(report.tokens_per_s))
        return self.tr("Works")

    def bench(self, bench: DeviceBench) -> str:
        """Say how fast it was."""
        parts = [
            self.tr("reads {} tokens/s").format(number(round(bench.prefill_tokens_per_s))),
            self.tr("writes {} tokens/s").format(decimal(bench.decode_tokens_per_s)),
        ]
        if bench.bandwidth_share:
            share = number(round(100 * bench.bandwidth_share))
            parts.append(self.tr("{} % of what the memory can deliver").format(share))
        if bench.peak_bytes:
            parts.append(self.tr("{} of memory").format(readable_bytes(bench.peak_bytes)))
        return self.tr("Measured: {}").format(", ".join(parts))

    def stage(self, stage: str) -> str:
        """Say what a test does now."""
        texts = {
            "register": self.tr("Starting its driver…"),
            "load": self.tr("Loading the model…"),
            "cache": self.tr("Making room for a conversation…"),
            "prefill": self.tr("Reading a text…"),
            "first_token": self.tr("Answering…"),
            "decode": self.tr("Measuring the speed…"),
        }
        if not stage:
            return self.tr("Beginning…")
        return texts.get(stage, self.tr("Measuring the speed…"))
