"""Runs the window: the application object, the crash hook, one window a data folder.

What the composition root calls is `run(places, Settings.load(places.settings), build)`, where
`build` gets a `Desk`, makes the services without opening the store or loading a model, and returns
the window::

    unlocking = Unlocking(places)                        # app.store.unlocking
    desk.closing.callback(service.close)                 # for each service, the runner first
    chat = ChatService(unlocking.open, runner, ...)
    return MainWindow(
        chat=chat, models=models, runner=runner, keys=unlocking, desk=desk,
        look_at_machine=lambda: fit.look(places.models),
    )

`build` is called only where no other window has the data folder, and what it left in `closing` is
closed, the last one first, before the folder is given up. It must stay light: the window is painted
first, and `MainWindow.start` then opens the store and loads the model on other threads.
"""

import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress

from PySide6.QtCore import QCoreApplication, Qt, QTimer
from PySide6.QtWidgets import QApplication

from app.paths import Paths
from app.settings import Settings
from ui.crash import CrashHook, CrashReports
from ui.desk import Desk
from ui.garbage import GuiGarbage
from ui.main_window import MainWindow
from ui.plurals import EnglishPlurals
from ui.quitting import quit_on_signals
from ui.settings.keeper import SettingsKeeper
from ui.single_instance import SingleInstance
from ui.tasks import Tasks
from ui.theme import Theme
from ui.turn_pump import TurnPump

_SETTLED_MS = 1500
# How long another thread may hold the interpreter's lock while the event loop wants it.
_SWITCH_S = 0.001


def run(
    places: Paths,
    settings: Settings,
    build: Callable[[Desk], MainWindow],
    *,
    on_painted: Callable[[], None] | None = None,
) -> int:
    """Show the window that `build` makes until it is closed; return the exit status.

    `on_painted` is called after the first paint, before the store is opened: for measuring.
    """
    sys.setswitchinterval(_SWITCH_S)
    application = QApplication(sys.argv[:1])
    application.setApplicationName("Snug")
    application.setDesktopFileName("snug")
    application.installTranslator(EnglishPlurals(application))
    instance = SingleInstance(places)
    if not instance.acquire():
        with suppress(OSError):
            instance.request_raise()
        said = QCoreApplication.translate(
            "application", "Snug is already open: its window comes to the front."
        )
        sys.stdout.write(f"{said}\n")
        return 0
    hook = CrashHook()
    theme = Theme(settings.theme)
    theme.apply(application)
    tasks = Tasks()
    with ExitStack() as closing:
        closing.callback(instance.release)
        hook.install()
        closing.callback(hook.uninstall)
        closing.callback(tasks.close)
        garbage = GuiGarbage()
        closing.callback(garbage.close)
        keeper = SettingsKeeper(settings, places.settings, tasks)
        window = build(Desk(theme, tasks, TurnPump(), keeper, closing))
        _connect(window, instance, hook, on_painted)
        closing.callback(quit_on_signals(application))
        window.show()
        QTimer.singleShot(_SETTLED_MS, garbage.settle)
        return application.exec()


def _connect(
    window: MainWindow,
    instance: SingleInstance,
    hook: CrashHook,
    on_painted: Callable[[], None] | None,
) -> None:
    def begin() -> None:
        if on_painted is not None:
            on_painted()
        window.start()

    # Queued, so that the paint has reached the screen before the work begins.
    window.painted.connect(begin, Qt.ConnectionType.QueuedConnection)
    instance.raise_requested.connect(window.come_to_front)
    hook.known.connect(window.show_error)
    hook.crashed.connect(CrashReports(window).show)
