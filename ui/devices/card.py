"""One device: what it is, what is known of it, and a test."""

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout

from app.messages import readable_bytes
from app.models.device_values import DeviceBench, DeviceReport
from ui.devices.words import DeviceWords
from ui.labels import IconLabel, text_label
from ui.theme import Theme


class DeviceCard(QFrame):
    """Shows a report; while a test runs, how far that is.

    Signals:
        test_requested: Try it with the model in use, and measure it.
        cancel_requested: End the test.
    """

    test_requested = Signal()
    cancel_requested = Signal()

    def __init__(self, theme: Theme, report: DeviceReport) -> None:
        super().__init__()
        self.setObjectName("card")
        self._words = DeviceWords(self)
        self._report = report
        target = report.target
        self._icon = IconLabel(theme, "chip")
        self._state = text_label(wrap=True)
        self._details = text_label(self._details_of(report), "muted", wrap=True)
        self._details.setVisible(bool(self._details.text()))
        self._measured = text_label(role="muted", wrap=True)
        self._measured.hide()
        self._test = QPushButton()
        self._test.setProperty("role", "small")
        self._test.clicked.connect(self.test_requested)
        self._cancel = QPushButton(self.tr("Cancel"))
        self._cancel.setProperty("role", "small")
        self._cancel.clicked.connect(self.cancel_requested)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 0)
        self._bar.setAccessibleName(self.tr("Test of {}").format(target.name))
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(text_label(self._words.kind(target.kind), "badge"))
        head.addWidget(text_label(target.name, "title", wrap=True), 1)
        state = QHBoxLayout()
        state.setSpacing(7)
        state.addWidget(self._icon)
        state.addWidget(self._state, 1)
        state.addWidget(self._test)
        state.addWidget(self._cancel)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self._details)
        column.addLayout(state)
        column.addWidget(self._measured)
        column.addWidget(self._bar)
        self.show_report(report)

    @property
    def report(self) -> DeviceReport:
        """What is known of the device."""
        return self._report

    @property
    def is_testing(self) -> bool:
        """Whether a test runs."""
        return not self._bar.isHidden()

    @property
    def state_text(self) -> str:
        """What is said of the device now."""
        return self._state.text()

    def buttons(self) -> tuple[QPushButton, ...]:
        """Return what can be pressed, shown or not."""
        return self._test, self._cancel

    @property
    def measured_text(self) -> str:
        """How fast it was found to be, or empty."""
        return self._measured.text()

    def show_bench(self, bench: DeviceBench) -> None:
        """Say how fast it was."""
        self._state.setText(self._words.state(replace(self._report, tokens_per_s=0.0)))
        self._measured.setText(self._words.bench(bench))
        self._measured.show()

    def show_report(self, report: DeviceReport) -> None:
        """Say what is known now; a test is over."""
        self._report = report
        icons = {"works": ("check", "ok"), "failed": ("warning", "warning")}
        unknown = ("info", "muted")
        self._icon.set_icon(*(unknown if report.is_virtual else icons.get(report.state, unknown)))
        self._state.setText(self._words.state(report))
        is_failed = report.state == "failed"
        name = self.tr("Try again") if is_failed else self.tr("Test this device")
        self._test.setText(name)
        self._test.setAccessibleName(self.tr("{}: {}").format(name, report.target.name))
        self._test.setVisible(not report.is_virtual)
        if self._cancel.hasFocus():
            self._test.setFocus()
        self._cancel.hide()
        self._bar.hide()

    def show_stage(self, stage: str) -> None:
        """Say what the test does now."""
        self._icon.set_icon("chip", "accent")
        self._state.setText(self._words.stage(stage))
        self._cancel.show()
        if self._test.hasFocus():
            self._cancel.setFocus()
        self._test.hide()
        self._bar.show()

    def show_stopping(self) -> None:
        """Say that the test ends as soon as it can."""
        self._state.setText(self.tr("Stopping…"))
        self._cancel.setEnabled(False)

    def offer_test(self, *, is_offered: bool) -> None:
        """Let it be tested or not: one device at a time, and only with a model."""
        self._test.setEnabled(is_offered)
        self._cancel.setEnabled(True)

    def _details_of(self, report: DeviceReport) -> str:
        target = report.target
        parts = [self._words.plain_kind(target.kind), target.vendor]
        if report.memory_bytes:
            parts.append(readable_bytes(report.memory_bytes))
        if target.driver:
            parts.append(self.tr("driver {}").format(target.driver))
        if report.is_software:
            parts.append(self.tr("imitated by the processor, and slower than it"))
        parts.append(report.plugin)
        return " · ".join(part for part in parts if part)
