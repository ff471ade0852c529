"""Lets the idle model read ahead what is certain of the next question."""

from typing import Protocol

from PySide6.QtCore import QObject, QTimer

from app.chat.values import Attachment

_AFTER_DRAFT_MS = 350


class Warm(Protocol):
    """The part of the chat service that reads ahead; nothing here ever blocks."""

    def warm(
        self, conversation_id: str, draft: str = "", attachments: tuple[Attachment, ...] = ()
    ) -> None:
        """Read history and draft ahead."""
        ...

    def cool(self) -> None:
        """Read nothing ahead any more."""
        ...


class Warming(QObject):
    """Calls for it at once when something is certain, and for a draft once typing has paused.

    A draft is looked at a quarter of a second after the last letter; what is added makes it 0.6 s.
    """

    def __init__(self, warm: Warm, parent: QObject) -> None:
        super().__init__(parent)
        self._warm = warm
        self._next: tuple[str, str, tuple[Attachment, ...]] = ("", "", ())
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_AFTER_DRAFT_MS)
        self._timer.timeout.connect(self._run)

    def note_draft(
        self, conversation_id: str, draft: str, attachments: tuple[Attachment, ...]
    ) -> None:
        """Read a draft ahead unless it goes on."""
        self._next = (conversation_id, draft, attachments)
        self._timer.start()

    def read(self, conversation_id: str, draft: str, attachments: tuple[Attachment, ...]) -> None:
        """Read ahead now."""
        self._next = (conversation_id, draft, attachments)
        self._run()

    def stop(self) -> None:
        """Read nothing ahead any more."""
        self._timer.stop()
        self._warm.cool()

    def _run(self) -> None:
        self._timer.stop()
        self._warm.warm(*self._next)
