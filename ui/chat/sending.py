"""Between asking and knowing that the question is kept: what was written must not be lost."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

if TYPE_CHECKING:
    from app.chat.turn import Turn

_POLL_MS = 10


class Sending(QObject):
    """Watches one question until the service has taken or refused it.

    Signals:
        taken: The question is kept; its `Turn`, and the text that was written.
        rejected: It is not, and the text must stay; the `Message` that says why.
    """

    taken = Signal(object, str)
    rejected = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._turn: Turn | None = None
        self._text = ""
        self._timer = QTimer(self)
        self._timer.setInterval(_POLL_MS)
        self._timer.timeout.connect(self._look)

    @property
    def is_busy(self) -> bool:
        """Whether a question is on its way."""
        return self._turn is not None

    def follow(self, turn: "Turn", text: str) -> None:
        """Watch a turn; `text` is what was written for it."""
        self._turn, self._text = turn, text
        self._timer.start()

    def _look(self) -> None:
        turn = self._turn
        if turn is None:
            return
        message = turn.view().message
        if not turn.is_kept and message is None:
            return
        self._timer.stop()
        self._turn = None
        if turn.is_kept:
            self.taken.emit(turn, self._text)
        elif message is not None:
            self.rejected.emit(message)
