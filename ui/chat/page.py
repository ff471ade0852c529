"""The chat page: the messages, the composer, and the turns between them."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QKeySequence,
    QResizeEvent,
    QShortcut,
)
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.chat.values import ContextUse, Message, OpenedConversation, TurnView
from app.errors import from_code
from ui.buttons import IconButton
from ui.chat.code_colors import CodeColoring
from ui.chat.composer import Composer
from ui.chat.draft_documents import DraftDocument
from ui.chat.empty_state import EmptyState
from ui.chat.file_dialog import choose_documents
from ui.chat.link_dialog import LinkDialog
from ui.chat.look import Look
from ui.chat.message_model import MessageModel
from ui.chat.sending import Sending
from ui.chat.view import COLUMN_PX, SIDE_PX, ChatView
from ui.chat.wording import number
from ui.tasks import Tasks
from ui.theme import Theme
from ui.turn_pump import TurnPump

if TYPE_CHECKING:
    from app.chat.service import ChatService
    from app.chat.turn import Turn

_JUMP_GAP_PX = 12


@dataclass(frozen=True, slots=True)
class _Draft:
    text: str
    documents: tuple[DraftDocument, ...]


class ChatPage(QWidget):
    """One conversation at a time; GUI thread only.

    Signals:
        conversation_changed: The first question of a new conversation was taken; its id.
        notice: Something went wrong that belongs to no message; an exception.
        attach_requested: Somebody wants to choose files; the page has opened the dialog.
        context_changed: How full the model's window is with the draft: used and limit, in tokens.
        turn_finished: An answer has ended; its `Message`.
    """

    conversation_changed = Signal(str)
    notice = Signal(object)
    attach_requested = Signal()
    context_changed = Signal(int, int)
    turn_finished = Signal(object)

    def __init__(
        self,
        chat: "ChatService",
        theme: Theme,
        tasks: Tasks,
        pump: TurnPump,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._chat = chat
        self._tasks = tasks
        self._pump = pump
        self._conversation_id = chat.new_id()
        self._is_new = True
        self._turns: list[Turn] = []
        self._drafts: dict[str, _Draft] = {}
        self._sending = Sending(self)
        self.model = MessageModel(self)
        look = Look(theme, CodeColoring(tasks, self), self)
        self.view = ChatView(self.model, look)
        self.composer = Composer(theme, tasks)
        self.empty = EmptyState(theme)
        self._jump = IconButton(theme, "down", self.tr("Go to the latest message"), parent=self)
        self._jump.setProperty("role", "jump")
        self._jump.hide()
        self.setObjectName("page")
        self.setAcceptDrops(True)
        self._lay_out()
        self._connect()

    @property
    def conversation_id(self) -> str:
        """The conversation on the page; of a new one nothing is kept yet."""
        return self._conversation_id

    def show_conversation(self, conversation_id: str | None, message_id: str = "") -> None:
        """Show a conversation, at one of its messages, or an empty page for a new one.

        Drafts wait where they were left.
        """
        self._leave()
        self._is_new = conversation_id is None
        self._conversation_id = conversation_id or self._chat.new_id()
        self.model.reset(())
        self._show_draft()
        self._refresh()
        self.composer.setFocus()
        if conversation_id is not None:
            asked_for = conversation_id

            def done(opened: OpenedConversation) -> None:
                if self._conversation_id == asked_for:
                    self._show_opened(opened)
                    self._show_message(message_id)

            self._tasks.run(self._chat.open(conversation_id), done, self.notice.emit, self)
        self._measure(self.composer.text)

    def attach(self, paths: list[Path]) -> None:
        """Read files, so that the next question can carry them."""
        for path in paths:
            self.composer.documents.add(self._chat.attach(self._conversation_id, path))
        self.composer.setFocus()

    def stop(self) -> None:
        """Stop the answer that is written, and those that wait."""
        for turn in self._turns:
            turn.cancel()

    def _lay_out(self) -> None:
        self._stack = QStackedWidget()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.view)
        self.composer.setMaximumWidth(COLUMN_PX)
        row = QHBoxLayout()
        row.setContentsMargins(SIDE_PX, 4, SIDE_PX, 12)
        row.addStretch(1)
        row.addWidget(self.composer, 1000)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._stack, 1)
        column.addLayout(row)
        self.setFocusProxy(self.composer)
        self.composer.setFocus()

    def _connect(self) -> None:
        self.composer.submitted.connect(self._send)
        self.composer.stop_requested.connect(self.stop)
        self.composer.attach_requested.connect(self._choose_files)
        self.composer.draft_changed.connect(self._measure)
        self.composer.documents.summarize_requested.connect(self._summarize)
        self.empty.suggested.connect(self._suggest)
        self.empty.attach_requested.connect(self._choose_files)
        self.view.link_activated.connect(lambda url: LinkDialog(url, self).open())
        self.view.regenerate_requested.connect(self._regenerate)
        self.view.at_end_changed.connect(self._show_jump)
        self._jump.clicked.connect(self.view.scroll_to_end)
        self._sending.taken.connect(self._on_taken)
        self._sending.rejected.connect(self._on_rejected)
        escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), self)
        escape.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        escape.activated.connect(self.stop)

    def _send(self) -> None:
        if self._sending.is_busy:
            return
        composer = self.composer
        text, attachments = composer.text, composer.documents.attachments
        self._sending.follow(
            self._chat.send(self._conversation_id, text.strip(), attachments), text
        )

    def _summarize(self, document: DraftDocument) -> None:
        if document.attachment is not None and not self._sending.is_busy:
            turn = self._chat.summarize(self._conversation_id, document.attachment)
            self._sending.follow(turn, "")

    def _regenerate(self) -> None:
        if self._turns or self._sending.is_busy:
            return
        turn = self._chat.regenerate(self._conversation_id)
        self.model.replace_last(turn.answer)
        self._follow(turn)
        self.view.scroll_to_end()

    def _on_taken(self, turn: "Turn", text: str) -> None:
        """Clear what was taken, and nothing before."""
        if turn.conversation_id != self._conversation_id:
            self._drafts.pop(turn.conversation_id, None)
        else:
            self.composer.take_out(text)
            if turn.question is not None:
                self.composer.documents.clear_ready(turn.question.attachments)
                self.model.append(turn.question, turn.answer)
            self._follow(turn)
            self.view.scroll_to_end()
        if self._is_new and turn.conversation_id == self._conversation_id:
            self._is_new = False
            self.conversation_changed.emit(turn.conversation_id)

    def _on_rejected(self, answer: Message) -> None:
        self.notice.emit(from_code(answer.error_code, answer.error_facts))

    def _follow(self, turn: "Turn") -> None:
        self._turns.append(turn)
        self._pump.follow(turn, lambda view: self._on_view(turn, view), self)
        self._refresh()

    def _on_view(self, turn: "Turn", view: TurnView) -> None:
        self.model.show_turn(turn.answer_id, view)
        if view.message is None:
            return
        if turn in self._turns:
            self._turns.remove(turn)
        self._refresh()
        self._announce(view.message)
        self.turn_finished.emit(view.message)
        self._measure(self.composer.text)

    def _announce(self, message: Message) -> None:
        said = (
            self.tr("Answer complete") if message.state == "complete" else self.tr("Answer ended")
        )
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self.view, said))

    def _show_opened(self, opened: OpenedConversation) -> None:
        self.model.reset(opened.messages, first_seen_id=opened.first_seen_id)
        for turn in self._chat.turns(self._conversation_id):
            if self.model.place_of(turn.answer_id) is None:
                if turn.question is not None or self.model.last() is None:
                    continue
                self.model.replace_last(turn.answer)
            self._follow(turn)
        self._refresh()

    def _show_message(self, message_id: str) -> None:
        at = self.model.place_of(message_id) if message_id else None
        if at is not None:
            self.view.scroll_to_row(at)

    def _leave(self) -> None:
        composer = self.composer
        draft = _Draft(composer.text, composer.documents.documents)
        if draft.text or draft.documents:
            self._drafts[self._conversation_id] = draft
        for turn in self._turns:
            self._pump.unfollow(turn)
        self._turns = []

    def _show_draft(self) -> None:
        draft = self._drafts.pop(self._conversation_id, _Draft("", ()))
        self.composer.set_text(draft.text)
        self.composer.documents.show_documents(draft.documents)

    def _suggest(self, text: str) -> None:
        self.composer.set_text(text)
        self.composer.setFocus()

    def _refresh(self) -> None:
        self.composer.show_running(bool(self._turns))
        has_messages = self.model.rowCount() > 0 or not self._is_new
        self._stack.setCurrentWidget(self.view if has_messages else self.empty)
        self._show_jump(self.view.is_at_end)

    def _measure(self, draft: str) -> None:
        asked_for = (self._conversation_id, draft)

        def done(use: ContextUse) -> None:
            if asked_for == (self._conversation_id, self.composer.text):
                self._show_context(use)

        future = self._chat.context_use(self._conversation_id, draft)
        self._tasks.run(future, done, self.notice.emit, self)

    def _show_context(self, use: ContextUse) -> None:
        self.context_changed.emit(use.used_tokens, use.limit_tokens)
        excess = use.used_tokens - use.limit_tokens if use.limit_tokens else 0
        if excess > 0:
            text = self.tr("Too long for the model by {} tokens; shorten it to send")
            self.composer.show_excess(text.format(number(excess)))
        else:
            self.composer.show_excess("")

    def _choose_files(self) -> None:
        self.attach_requested.emit()
        choose_documents(self, self.attach)

    def _show_jump(self, is_at_end: bool) -> None:
        self._jump.setVisible(not is_at_end and self._stack.currentWidget() is self.view)
        self._place_jump()

    def _place_jump(self) -> None:
        size = self._jump.sizeHint()
        left = (self.width() - size.width()) // 2
        top = self._stack.geometry().bottom() - size.height() - _JUMP_GAP_PX
        self._jump.setGeometry(left, top, size.width(), size.height())
        self._jump.raise_()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the button to the latest message above the composer."""
        super().resizeEvent(event)
        self._place_jump()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files, wherever on the page they are dropped."""
        if _files(event):
            event.acceptProposedAction()
            self._show_drop(is_over=True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Show that nothing would be dropped here any more."""
        self._show_drop(is_over=False)
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Attach what was dropped."""
        self._show_drop(is_over=False)
        event.acceptProposedAction()
        self.attach(_files(event))

    def _show_drop(self, *, is_over: bool) -> None:
        self.composer.setProperty("focused", is_over)
        self.composer.style().polish(self.composer)


def _files(event: QDropEvent) -> list[Path]:
    return [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
