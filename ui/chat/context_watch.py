"""How full the model's window would be with the draft, and what sending it would do."""

from concurrent.futures import Future
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from app.chat.values import Attachment, ContextUse, Overflow
from ui.chat.wording import rough
from ui.tasks import Tasks


class Measuring(Protocol):
    """The part of the chat service that counts."""

    def context_use(
        self, conversation_id: str, draft: str, attachments: tuple[Attachment, ...] = ()
    ) -> Future[ContextUse]:
        """Return how full the window would be."""
        ...


class ContextWatch(QObject):
    """Measures beside everything else; an answer about a draft that is gone is not heard.

    Signals:
        measured: How full the window is: used and limit, in tokens.
        excess_found: By how much the draft is too long, in words; empty where it fits.
        cut_found: What sending does to older messages, in words; empty where it does nothing.
        failed: (error).
    """

    measured = Signal(int, int)
    excess_found = Signal(str)
    cut_found = Signal(str)
    failed = Signal(object)

    def __init__(self, measuring: Measuring, tasks: Tasks, parent: QObject) -> None:
        super().__init__(parent)
        self._measuring = measuring
        self._tasks = tasks
        self._asked = 0
        self.overflow: Overflow = "drop"

    def measure(
        self, conversation_id: str, draft: str, attachments: tuple[Attachment, ...]
    ) -> None:
        """Measure the draft with its documents; what was asked before no longer matters."""
        self._asked += 1
        asked = self._asked

        def done(use: ContextUse) -> None:
            if asked == self._asked:
                self._show(use)

        future = self._measuring.context_use(conversation_id, draft, attachments)
        self._tasks.run(future, done, self.failed.emit, self)

    def _show(self, use: ContextUse) -> None:
        self.measured.emit(use.used_tokens, use.limit_tokens)
        excess = ""
        if use.over_tokens:
            text = self.tr("This is about {} tokens too long for this model.")
            excess = text.format(rough(use.over_tokens))
        self.excess_found.emit(excess)
        hint = self._cut() if use.is_cut_next and not excess else ""
        if use.by_passages:
            hint = self.tr("Too long to be read whole: the answer comes from the passages that fit")
        self.cut_found.emit(hint)

    def _cut(self) -> str:
        texts: dict[Overflow, str] = {
            "drop": self.tr("Older messages will leave the model's view"),
            "summarize": self.tr("Older messages will be summarized for the model"),
            "ask": self.tr("The conversation is too long: Snug will ask what to do"),
        }
        return texts[self.overflow]
