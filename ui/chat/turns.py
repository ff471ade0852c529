"""The turns under way in the conversation on the page."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.chat.values import TurnView
from ui.chat.message_model import MessageModel
from ui.turn_pump import TurnPump

if TYPE_CHECKING:
    from app.chat.turn import Turn


class Turns(QObject):
    """Lets the answers of the page's turns grow in its list; GUI thread only.

    Signals:
        changed: One has begun or ended.
        ended: One has ended; its answer as it was kept, a `Message`.
    """

    changed = Signal()
    ended = Signal(object)

    def __init__(self, model: MessageModel, pump: TurnPump, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model
        self._pump = pump
        self._turns: list[Turn] = []

    @property
    def are_running(self) -> bool:
        """Whether one is under way."""
        return bool(self._turns)

    def follow(self, turn: "Turn") -> None:
        """Show a turn until it has ended."""
        self._turns.append(turn)
        self._pump.follow(turn, lambda view: self._on_view(turn, view), self)
        self.changed.emit()

    def stop(self) -> None:
        """Stop the answer that is written, and those that wait."""
        for turn in self._turns:
            turn.cancel()

    def leave(self) -> None:
        """Look at none of them any more; they go on."""
        for turn in self._turns:
            self._pump.unfollow(turn)
        self._turns = []

    def _on_view(self, turn: "Turn", view: TurnView) -> None:
        self._model.show_turn(turn.answer_id, view)
        if view.message is None:
            return
        if turn in self._turns:
            self._turns.remove(turn)
        self.changed.emit()
        self.ended.emit(view.message)
