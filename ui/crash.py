"""What happens to an error that nobody expected: logged, shown, and the window goes on.

An error of the environment that reaches the hook is known and belongs into the notice bar; anything
else is Snug's own fault. The log gets the kind of error and where it was raised, but never its
message: that may hold what a person wrote.
"""

import logging
import sys
import threading
import traceback
from types import TracebackType

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.errors import AppError
from inference.errors import InferenceError
from ui.labels import text_label

_log = logging.getLogger(__name__)


class CrashHook(QObject):
    """Stands in for `sys.excepthook` and its brother for threads.

    Signals:
        known: (error): the environment's fault.
        crashed: (report: str): ours, as it may be shown and copied.
    """

    known = Signal(object)
    crashed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._before = sys.excepthook
        self._thread_before = threading.excepthook

    def install(self) -> None:
        """Take over from the hook that is there."""
        sys.excepthook = self.handle
        threading.excepthook = self._handle_thread

    def uninstall(self) -> None:
        """Give back to the hook that was there."""
        sys.excepthook = self._before
        threading.excepthook = self._thread_before

    def handle(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """Show `error`; on another thread than the GUI's it is handed over by the signal."""
        if issubclass(kind, KeyboardInterrupt):
            QGuiApplication.quit()
        elif isinstance(error, AppError | InferenceError):
            self.known.emit(error)
        else:
            report = report_of(kind, trace)
            _log.error("unexpected error\n%s", report)
            self.crashed.emit(report)

    def _handle_thread(self, arguments: threading.ExceptHookArgs) -> None:
        if arguments.exc_value is not None:
            self.handle(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)


def report_of(kind: type[BaseException], trace: TracebackType | None) -> str:
    """Return where `kind` was raised, innermost last, without its message."""
    frames = [
        f"{frame.name} ({frame.filename.replace(chr(92), '/').rsplit('/', 1)[-1]}:{frame.lineno})"
        for frame in traceback.extract_tb(trace)
    ]
    return "\n".join([*frames, kind.__name__])


class CrashDialog(QDialog):
    """Says that Snug made a mistake, shows what may be passed on, and goes on or ends."""

    def __init__(self, report: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Snug made a mistake"))
        self.setMinimumWidth(520)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 18)
        column.setSpacing(12)
        column.addWidget(text_label(self.tr("Snug made a mistake"), "title"))
        explanation = self.tr(
            "Your conversations are safe. You can go on, or close Snug and start it again."
            " The report below holds nothing you wrote."
        )
        column.addWidget(text_label(explanation, wrap=True))
        self._report = QPlainTextEdit(report)
        self._report.setReadOnly(True)
        self._report.setTabChangesFocus(True)
        self._report.setAccessibleName(self.tr("Report"))
        self._report.setFixedHeight(140)
        column.addWidget(self._report)
        buttons = QDialogButtonBox()
        copy = QPushButton(self.tr("Copy report"))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(report))
        go_on = QPushButton(self.tr("Go on"))
        go_on.setProperty("role", "primary")
        go_on.clicked.connect(self.accept)
        end = QPushButton(self.tr("Close Snug"))
        end.clicked.connect(self.reject)
        buttons.addButton(copy, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.addButton(go_on, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.addButton(end, QDialogButtonBox.ButtonRole.RejectRole)
        column.addWidget(buttons)
        go_on.setDefault(True)
        self.rejected.connect(QGuiApplication.quit, Qt.ConnectionType.QueuedConnection)


class CrashReports(QObject):
    """Shows one crash dialog at a time over a window."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._dialog: CrashDialog | None = None

    def show(self, report: str) -> None:
        """Show `report`, unless an earlier one is still there: what follows it is its echo."""
        if self._dialog is None:
            self._dialog = CrashDialog(report, self._window)
            self._dialog.finished.connect(self._forget)
            self._dialog.open()

    def _forget(self) -> None:
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None
