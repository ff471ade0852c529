"""Keeps the sidebar and the store in step: list, search, rename, delete and bring back."""

import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Protocol, TypeVar

from PySide6.QtCore import QObject, Signal

from app.chat.values import Conversation, SearchHit
from ui.notices import NoticeBar, Remedy
from ui.sidebar import Sidebar
from ui.tasks import Tasks

T = TypeVar("T")

_TITLE_IN_NOTICE = 40


class Archive(Protocol):
    """The part of the chat service that this file uses."""

    def conversations(self) -> Future[tuple[Conversation, ...]]:
        """Return all conversations."""
        ...

    def search(self, query: str) -> Future[tuple[SearchHit, ...]]:
        """Return the messages that hold the words."""
        ...

    def rename(self, conversation_id: str, title: str) -> Future[None]:
        """Give another title."""
        ...

    def delete(self, conversation_id: str) -> Future[None]:
        """Take out of sight."""
        ...

    def undo_delete(self, conversation_id: str) -> Future[None]:
        """Bring back."""
        ...


class Conversations(QObject):
    """Acts on what the sidebar asks for; GUI thread only.

    Signals:
        listed: The list is known, for the first time or anew.
        title_changed: (title) of the open conversation.
        left: The open conversation was deleted.
        restored: (conversation_id): a deletion was undone.
        failed: (error).
    """

    listed = Signal()
    title_changed = Signal(str)
    left = Signal()
    restored = Signal(str)
    failed = Signal(object)

    def __init__(
        self,
        archive: Archive,
        sidebar: Sidebar,
        notices: NoticeBar,
        tasks: Tasks,
        *,
        now_s: Callable[[], float] = time.time,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._archive = archive
        self._sidebar = sidebar
        self._notices = notices
        self._tasks = tasks
        self._now_s = now_s
        self._known: tuple[Conversation, ...] = ()
        self._open_id = ""
        self._query = ""
        sidebar.search_changed.connect(self._search)
        sidebar.renamed.connect(self.rename)
        sidebar.delete_requested.connect(self.delete)

    @property
    def open_id(self) -> str:
        """Id of the open conversation; empty for a new chat."""
        return self._open_id

    @property
    def title(self) -> str:
        """Title of the open conversation; empty for a new chat."""
        return next((one.title for one in self._known if one.id == self._open_id), "")

    def set_open(self, conversation_id: str) -> None:
        """Remember which conversation the page shows."""
        self._open_id = conversation_id
        self._sidebar.set_open(conversation_id)
        self.title_changed.emit(self.title)

    def refresh(self) -> None:
        """Read the list anew; while a search is on, its results stay."""
        self._run(self._archive.conversations(), self._take_list)

    def rename(self, conversation_id: str, title: str) -> None:
        """Store a new title; an empty one changes nothing."""
        if not title.strip():
            return
        self._run(self._archive.rename(conversation_id, title), lambda _: self.refresh())

    def delete(self, conversation_id: str, title: str) -> None:
        """Take a conversation out of sight and offer to bring it back."""
        self._sidebar.model.take(conversation_id)
        if conversation_id == self._open_id:
            self.left.emit()

        def deleted(_: object) -> None:
            shown = title if len(title) <= _TITLE_IN_NOTICE else title[:_TITLE_IN_NOTICE] + "…"
            undo = Remedy(self.tr("Undo"), lambda: self._bring_back(conversation_id))
            self._notices.show_info(self.tr("“{}” was deleted.").format(shown), undo)
            self.refresh()

        self._run(self._archive.delete(conversation_id), deleted)

    def _bring_back(self, conversation_id: str) -> None:
        def restored(_: object) -> None:
            self.refresh()
            self.restored.emit(conversation_id)

        self._run(self._archive.undo_delete(conversation_id), restored)

    def _search(self, query: str) -> None:
        self._query = query
        if not query:
            self._show_list()
            return

        def found(hits: tuple[SearchHit, ...]) -> None:
            if query == self._query:
                self._sidebar.show_hits(hits)

        self._run(self._archive.search(query), found)

    def _take_list(self, conversations: tuple[Conversation, ...]) -> None:
        self._known = conversations
        if not self._query:
            self._show_list()
        self.title_changed.emit(self.title)
        self.listed.emit()

    def _show_list(self) -> None:
        self._sidebar.show_conversations(self._known, self._now_s())

    def _run(self, future: Future[T], done: Callable[[T], None]) -> None:
        self._tasks.run(future, done, self._fail, self)

    def _fail(self, error: Exception) -> None:
        if not self._query:
            self._show_list()
        self.failed.emit(error)
