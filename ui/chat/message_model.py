"""The messages of the open conversation as a list that views can watch."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.chat.values import Message, Stage, TurnView
from ui.chat.rows import Fold, Row

_NO_PARENT = QModelIndex()
RowRole = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class _Progress:
    stage: Stage = "waiting"
    done: int = 0
    total: int = 0


_DONE = _Progress("done")


class MessageModel(QAbstractListModel):
    """Messages, oldest first, and how far the ones that grow have come; GUI thread only.

    What a person unfolded stays so while the program runs, in whatever conversation it is.
    """

    def __init__(
        self, parent: QObject | None = None, *, clock_s: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(parent)
        self._clock_s = clock_s
        self._thinking_since_s: dict[str, float] = {}
        self._unfolded: dict[str, frozenset[Fold]] = {}
        self._summary = ""
        self._messages: list[Message] = []
        self._progress: dict[str, _Progress] = {}
        self._first_seen_id = ""

    def reset(
        self, messages: Sequence[Message], *, first_seen_id: str = "", summary: str = ""
    ) -> None:
        """Show another conversation; `summary` is told instead of what `first_seen_id` cut off."""
        self.beginResetModel()
        self._summary = summary
        self._messages = list(messages)
        self._progress = {}
        self._first_seen_id = first_seen_id
        self.endResetModel()

    def append(self, *messages: Message) -> None:
        """Put messages at the end."""
        start = len(self._messages)
        self.beginInsertRows(_NO_PARENT, start, start + len(messages) - 1)
        self._messages += messages
        self.endInsertRows()
        if start:
            self._tell(start - 1)

    def replace_last(self, message: Message) -> None:
        """Put another version in the place of the last answer."""
        self._messages[-1] = message
        self._tell(len(self._messages) - 1)

    def show_turn(self, answer_id: str, view: TurnView) -> None:
        """Show how far an answer has come; harmless where it is not in the list."""
        at = self._find(answer_id)
        if at is None:
            return
        if view.message is not None:
            self._progress.pop(answer_id, None)
            self._thinking_since_s.pop(answer_id, None)
            self._messages[at] = view.message
        else:
            self._progress[answer_id] = _Progress(view.stage, view.done, view.total)
            self._messages[at] = replace(
                self._messages[at],
                text=view.text,
                thought=view.thought,
                thought_s=view.thought_s or self._thinking_s(answer_id, view),
            )
        self._tell(at)
        if view.first_seen_id:
            self.see_from(view.first_seen_id, view.running_summary)

    def see_from(self, message_id: str, summary: str) -> None:
        """Show where the model begins to see, and what it is told instead of what is above."""
        if (message_id, summary) == (self._first_seen_id, self._summary):
            return
        before = self._find(self._first_seen_id)
        self._first_seen_id, self._summary = message_id, summary
        for at in (before, self._find(message_id)):
            if at is not None:
                self._tell(at)

    def toggle(self, at: int, fold: Fold) -> None:
        """Fold what is unfolded, unfold what is folded."""
        message_id = self._messages[at].id
        unfolded = self._unfolded.get(message_id, frozenset())
        self._unfolded[message_id] = unfolded ^ {fold}
        self._tell(at)

    def row(self, at: int) -> Row:
        """Return the message at a place, as the view shows it."""
        message = self._messages[at]
        default = _Progress() if message.state == "streaming" else _DONE
        progress = self._progress.get(message.id, default)
        is_first_seen = at > 0 and message.id == self._first_seen_id
        return Row(
            message,
            progress.stage,
            progress.done,
            progress.total,
            is_first_seen=is_first_seen,
            summary=self._summary if is_first_seen else "",
            unfolded=self._unfolded.get(message.id, frozenset()),
            is_last=at == len(self._messages) - 1,
            number=at + 1,
            count=len(self._messages),
        )

    def text(self, at: int) -> str:
        """Return the text at a place."""
        return self._messages[at].text

    def last(self) -> Message | None:
        """Return the last message, or None."""
        return self._messages[-1] if self._messages else None

    def messages(self) -> tuple[Message, ...]:
        """Return all messages, oldest first."""
        return tuple(self._messages)

    def place_of(self, message_id: str) -> int | None:
        """Return where a message stands, or None."""
        return self._find(message_id)

    def _thinking_s(self, answer_id: str, view: TurnView) -> float:
        """Return how long the model has thought so far, as seen from here."""
        if view.stage != "thinking":
            return 0.0
        now_s = self._clock_s()
        return now_s - self._thinking_since_s.setdefault(answer_id, now_s)

    def _find(self, message_id: str) -> int | None:
        # What changes is nearly always at the end.
        places = range(len(self._messages) - 1, -1, -1)
        return next((at for at in places if self._messages[at].id == message_id), None)

    def _tell(self, at: int) -> None:
        index = self.index(at)
        self.dataChanged.emit(index, index)

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _NO_PARENT) -> int:
        """Return the number of messages."""
        return 0 if parent.isValid() else len(self._messages)

    def data(
        self,
        index: QModelIndex | QPersistentModelIndex,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        """Return a message's text, or its `Row` for `RowRole`."""
        if not index.isValid() or not 0 <= index.row() < len(self._messages):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._messages[index.row()].text
        return self.row(index.row()) if role == RowRole else None
