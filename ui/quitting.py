"""Ends the window properly when the system asks the process to end."""

import os
import signal
from collections.abc import Callable

from PySide6.QtCore import QSocketNotifier
from PySide6.QtWidgets import QApplication

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def quit_on_signals(application: QApplication) -> Callable[[], None]:
    """Close all windows on Ctrl+C and on a request to end; return what undoes this.

    Python runs its signal handlers between two of its own instructions, and Qt's event loop waits
    in none of them, so the signal arrives through a pipe that the loop watches. Windows has no such
    signals: there the system closes the window itself.
    """
    if os.name != "posix":
        return lambda: None
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    notifier = QSocketNotifier(reader, QSocketNotifier.Type.Read, application)
    notifier.activated.connect(lambda *_: application.closeAllWindows())
    fd_before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    before = {number: signal.signal(number, lambda *_: None) for number in _SIGNALS}

    def undo() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(fd_before)
        notifier.setEnabled(False)
        os.close(reader)
        os.close(writer)

    return undo
