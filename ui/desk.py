"""What every part of the window shares; made once, before the window."""

from contextlib import ExitStack
from dataclasses import dataclass

from ui.settings.keeper import SettingsKeeper
from ui.tasks import Tasks
from ui.theme import Theme
from ui.turn_pump import TurnPump


@dataclass(frozen=True, slots=True)
class Desk:
    """The window's own tools.

    Attributes:
        closing: Unwound, last first, when the window has been closed.
    """

    theme: Theme
    tasks: Tasks
    pump: TurnPump
    settings: SettingsKeeper
    closing: ExitStack
