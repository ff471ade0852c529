"""Fills the devices' dialog, runs its tests, and hands on what a person wishes."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.messages import describe
from app.models.device_values import DeviceReport
from inference.types import DeviceChoice, DeviceTarget, DeviceWish
from ui.devices.desk import DeviceDesk, Tested, Trial, run_aside
from ui.devices.dialog import DevicesDialog
from ui.notices import translate_message
from ui.tasks import Tasks
from ui.theme import Theme

if TYPE_CHECKING:
    from app.models.installed import InstalledModel

_POLL_MS = 100


class Devices(QObject):
    """Opens the dialog, one at a time; GUI thread only.

    Signals:
        wish_chosen: Where models shall run; a `DeviceWish`.
        found_working: A device that is not in use was tested and works: it may be taken.
    """

    wish_chosen = Signal(str)
    found_working = Signal()

    def __init__(
        self,
        desk: Callable[[], DeviceDesk],
        find_model: "Callable[[], InstalledModel | None]",
        theme: Theme,
        tasks: Tasks,
        window: QWidget,
    ) -> None:
        """Make it; `desk` is asked for, and `find_model` asked what to test with, on threads."""
        super().__init__(window)
        self._desk = desk
        self._find_model = find_model
        self._theme = theme
        self._tasks = tasks
        self._window = window
        self._dialog: DevicesDialog | None = None
        self._device: DeviceChoice | None = None
        self._trial: Trial | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(_POLL_MS)
        self._timer.timeout.connect(self._show_stage)

    def show_device(self, device: DeviceChoice | None) -> None:
        """Take note where the model runs."""
        self._device = device
        if self._dialog is not None:
            self._dialog.show_now(device)

    def open(self, wish: DeviceWish) -> None:
        """Show the dialog and look for devices."""
        if self._dialog is not None:
            self._dialog.activateWindow()
            return
        dialog = self._dialog = DevicesDialog(self._theme, wish, self._window)
        dialog.show_now(self._device)
        dialog.wish_chosen.connect(self.wish_chosen)
        dialog.test_requested.connect(self._test)
        dialog.cancel_requested.connect(self._cancel)
        dialog.finished.connect(self._forget)
        dialog.open()
        self._look()

    def close(self) -> None:
        """End a test under way as soon as it can; never waits."""
        self._cancel()

    def _look(self) -> None:
        desk, find_model = self._desk, self._find_model
        future = run_aside(lambda: (desk().reports(), find_model() is not None))
        self._tasks.run(future, self._show_found, self._show_failure, self)

    def _show_found(self, found: tuple[tuple[DeviceReport, ...], bool]) -> None:
        if self._dialog is not None and self._trial is None:
            reports, has_model = found
            self._dialog.show_reports(reports, has_model=has_model)

    def _test(self, target: DeviceTarget) -> None:
        if self._trial is not None:
            return
        trial = self._trial = Trial(target)
        future = run_aside(partial(_run, self._desk, self._find_model, trial))
        done = partial(self._on_tested, trial)
        self._tasks.run(future, done, partial(self._on_failed, trial), self)
        self._show_stage()
        self._timer.start()

    def _cancel(self) -> None:
        if self._trial is not None:
            self._trial.cancel()

    def _show_stage(self) -> None:
        if self._dialog is not None and self._trial is not None and not self._trial.is_cancelled:
            self._dialog.show_stage(self._trial.target, self._trial.stage)

    def _on_tested(self, trial: Trial, tested: Tested | None) -> None:
        self._end_trial()
        if self._dialog is not None:
            self._dialog.show_result(trial.target, tested)
        is_used = self._device is not None and self._device.provider == trial.target.provider
        if tested is not None and tested.report.state == "works" and not is_used:
            self.found_working.emit()

    def _on_failed(self, trial: Trial, error: Exception) -> None:
        self._end_trial()
        if self._dialog is not None:
            self._dialog.show_result(trial.target, None)
        if not trial.is_cancelled:
            self._show_failure(error)

    def _end_trial(self) -> None:
        self._trial = None
        self._timer.stop()

    def _show_failure(self, error: Exception) -> None:
        if self._dialog is not None:
            notice = describe(error, translate_message)
            self._dialog.show_failure(f"{notice.message} {notice.action}")

    def _forget(self) -> None:
        self._cancel()
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None


def _run(
    find_desk: Callable[[], DeviceDesk],
    find_model: "Callable[[], InstalledModel | None]",
    trial: Trial,
) -> Tested | None:
    """Test a device afresh; return None where the model has gone."""
    model = find_model()
    if model is None:
        return None
    desk = find_desk()
    desk.retry(trial.target)
    report = desk.test(model, trial.target, trial.note)
    if report.state != "works":
        return Tested(report)
    return Tested(report, desk.measure(model, trial.target, trial.note))
