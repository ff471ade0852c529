"""Reads what is new in the answers on screen, thirty times a second.

Polling and not one signal per token: queued signals starved the event loop, a 33 ms timer kept it
within 5 ms, and no eye sees the difference.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import shiboken6
from PySide6.QtCore import QObject, QTimer

from app.chat.values import TurnView

_INTERVAL_MS = 33


class Viewable(Protocol):
    """What the pump needs of an `app.chat.turn.Turn`."""

    def view(self) -> TurnView:
        """Return the turn at this moment."""
        ...


@dataclass(slots=True, eq=False)
class _Follower:
    turn: Viewable
    on_view: Callable[[TurnView], None]
    owner: QObject
    revision: int = -1


class TurnPump(QObject):
    """Hands each change of the turns it follows to whoever shows them; GUI thread only.

    The timer runs only while turns are followed. A turn that has ended is let go after its last
    view has been handed over.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._followers: list[_Follower] = []
        self._timer = QTimer(self)
        self._timer.setInterval(_INTERVAL_MS)
        self._timer.timeout.connect(self._pump)

    @property
    def is_running(self) -> bool:
        """True while some turn is followed."""
        return self._timer.isActive()

    def follow(self, turn: Viewable, on_view: Callable[[TurnView], None], owner: QObject) -> None:
        """Call `on_view` with every change of `turn`, the present state first.

        Nothing is called once `owner` has been destroyed.
        """
        self._followers.append(_Follower(turn, on_view, owner))
        self._timer.start()

    def unfollow(self, turn: Viewable) -> None:
        """Call nobody about `turn` any more."""
        self._followers = [follower for follower in self._followers if follower.turn is not turn]
        if not self._followers:
            self._timer.stop()

    def _pump(self) -> None:
        for follower in list(self._followers):
            if follower not in self._followers:
                continue
            if not shiboken6.isValid(follower.owner):
                self._followers.remove(follower)
                continue
            view = follower.turn.view()
            if view.revision != follower.revision:
                follower.revision = view.revision
                follower.on_view(view)
            if view.message is not None and follower in self._followers:
                self._followers.remove(follower)
        if not self._followers:
            self._timer.stop()
