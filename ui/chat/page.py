"""The chat page: the messages, the composer, and the turns between them."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QKeySequence,
    QShortcut,
)
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.chat.values import (
    AnswerSettings,
    Attachment,
    Message,
    OpenedConversation,
)
from ui.chat.asking import Asking
from ui.chat.code_colors import CodeColoring
from ui.chat.composer import LIBRARY_KEYS, Composer
from ui.chat.context_watch import ContextWatch
from ui.chat.draft_documents import DraftDocument
from ui.chat.drafts import Drafts
from ui.chat.drop_veil import DropVeil
from ui.chat.empty_state import EmptyState
from ui.chat.file_dialog import choose_documents
from ui.chat.file_drop import FileDrop, Unusable
from ui.chat.intake import Intake
from ui.chat.jump_button import JumpButton
from ui.chat.link_dialog import LinkDialog
from ui.chat.look import Look
from ui.chat.message_model import MessageModel
from ui.chat.overflow_choice import OverflowChoice
from ui.chat.summary_menu import SummaryMenu
from ui.chat.turns import Turns
from ui.chat.unlocking import Unlocking
from ui.chat.view import COLUMN_PX, SIDE_PX, ChatView
from ui.chat.warming import Warming
from ui.tasks import Tasks
from ui.theme import Theme
from ui.turn_pump import TurnPump

if TYPE_CHECKING:
    from app.chat.service import ChatService


class ChatPage(QWidget):
    """One conversation at a time; GUI thread only.

    Signals:
        conversation_changed: The first question of a new conversation was taken; its id.
        notice: Something went wrong that belongs to no message; an exception.
        attach_requested: Somebody wants to choose files; the page has opened the dialog.
        context_changed: How full the model's window is with the draft: used and limit, in tokens.
        turn_finished: An answer has ended; its `Message`.
        said: Something that needs no answer; a sentence.
        documents_changed: The documents of the conversation, or how far they are, are other ones.
        conversation_shown: Another conversation is on the page.
        citation_activated: Show what an answer rests on; a `Citation`.
        document_opened: Show a document; its id.
    """

    conversation_changed = Signal(str)
    notice = Signal(object)
    attach_requested = Signal()
    context_changed = Signal(int, int)
    turn_finished = Signal(object)
    said = Signal(str)
    documents_changed = Signal()
    conversation_shown = Signal()
    citation_activated = Signal(object)
    document_opened = Signal(str)

    def __init__(
        self,
        chat: "ChatService",
        theme: Theme,
        tasks: Tasks,
        pump: TurnPump,
        *,
        pasted: Path | None = None,
        parent: QWidget | None = None,
    ) -> None:
        """Make the page; `pasted` is the folder for pictures from the clipboard."""
        super().__init__(parent)
        self._chat = chat
        self._tasks = tasks
        self._context = ContextWatch(chat, tasks, self)
        self._warming = Warming(chat, self)
        self._overflow = OverflowChoice(chat, tasks, self)
        self.model = MessageModel(self)
        self._turns = Turns(self.model, pump, self)
        look = Look(theme, CodeColoring(tasks, self), self)
        self.view = ChatView(self.model, look)
        self.composer = Composer(theme, tasks)
        self._drafts = Drafts(self.composer)
        self._intake = Intake(chat, self.composer.documents, tasks, pasted, self)
        self.summary_menu = SummaryMenu(self)
        self._asking = Asking(
            chat,
            composer=self.composer,
            drafts=self._drafts,
            model=self.model,
            turns=self._turns,
            parent=self,
        )
        self.empty = EmptyState(theme)
        self._stack = QStackedWidget()
        self._jump = JumpButton(theme, self._stack, self)
        self.setObjectName("page")
        self._lay_out()
        self._connect()
        self.offer_library(is_offered=False)

    @property
    def conversation_id(self) -> str:
        """The conversation on the page; of a new one nothing is kept yet."""
        return self._asking.conversation_id

    def show_conversation(self, conversation_id: str | None, message_id: str = "") -> None:
        """Show a conversation, at one of its messages, or an empty page for a new one.

        Drafts wait where they were left.
        """
        self._leave()
        self._asking.turn_to(conversation_id)
        self._intake.conversation_id = self.conversation_id
        self.model.reset(())
        self._drafts.show(self.conversation_id)
        self._refresh()
        self.conversation_shown.emit()
        self.composer.setFocus()
        if conversation_id is not None:
            asked_for = conversation_id

            def done(opened: OpenedConversation) -> None:
                if self.conversation_id == asked_for:
                    self._show_opened(opened)
                    self._show_message(message_id)

            self._tasks.run(self._chat.open(conversation_id), done, self.notice.emit, self)
        self._context.overflow = AnswerSettings().overflow
        self._measure()
        self.warm()

    def attach(self, paths: list[Path]) -> None:
        """Read files, and those in folders, so that the next question can carry them."""
        self._intake.conversation_id = self.conversation_id
        self._intake.add(paths)
        self.composer.setFocus()

    def offer_library(self, is_offered: bool) -> None:
        """Let questions go to the library, where there is something in it."""
        self._has_library = is_offered
        self.composer.offer_library(is_offered)

    def choose_files(self) -> None:
        """Ask for files to attach."""
        self.attach_requested.emit()
        choose_documents(self, self.attach)

    def ask_about(self, name: str) -> None:
        """Begin a question about a document."""
        if not self.composer.text.strip():
            self.composer.set_text(self.tr("In “{}”: ").format(name))
        self.composer.setFocus()

    @property
    def can_summarize(self) -> bool:
        """Whether a summary can be asked for now."""
        return not self._asking.is_busy

    def summarize(self, attachments: tuple[Attachment, ...]) -> None:
        """Have documents summarized as the menu says, each and together."""
        self._asking.summarize(attachments, self.summary_menu.options)

    def show_summary_options(self, button: QWidget) -> None:
        """Let a person choose how summaries are made."""
        self.summary_menu.popup(button.mapToGlobal(button.rect().bottomLeft()))

    def close_intake(self) -> None:
        """Remove what was kept for as long as the window is open."""
        self._intake.clear()

    def warm(self) -> None:
        """Have the idle model read ahead what is certain of the next question."""
        self._warming.read(*self._draft())

    def use_settings(self, conversation_id: str, settings: AnswerSettings) -> None:
        """Take note that a conversation's answers are made in another way from now on."""
        if conversation_id == self.conversation_id:
            self._context.overflow = settings.overflow
            self._measure()

    def stop(self) -> None:
        """Stop the answer that is written, and those that wait."""
        self._turns.stop()

    def _lay_out(self) -> None:
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
        self.composer.submitted.connect(self._asking.send)
        self.composer.stop_requested.connect(self.stop)
        self.composer.attach_requested.connect(self.choose_files)
        self.composer.draft_changed.connect(self._on_draft_changed)
        self.composer.documents.ready_changed.connect(self._on_documents_changed)
        self._context.measured.connect(self.context_changed)
        self._context.excess_found.connect(self.composer.show_excess)
        self._context.cut_found.connect(self.composer.show_cut)
        self._context.failed.connect(self.notice)
        self.take_drops(self)
        self._connect_documents()
        self.empty.suggested.connect(self._suggest)
        self.empty.attach_requested.connect(self.choose_files)
        self.view.link_activated.connect(lambda url: LinkDialog(url, self).open())
        # The button that was pressed goes, and would hand its focus to whatever comes first.
        self.view.regenerate_requested.connect(self.composer.setFocus)
        self.view.continue_requested.connect(self.composer.setFocus)
        self.view.overflow_chosen.connect(lambda _: self.composer.setFocus())
        self.view.regenerate_requested.connect(self._asking.regenerate)
        self.view.continue_requested.connect(self._asking.go_on)
        self.view.overflow_chosen.connect(
            lambda chosen: self._overflow.make(self.conversation_id, chosen)
        )
        self._overflow.made.connect(self._on_overflow_chosen)
        self._overflow.failed.connect(self.notice)
        self._turns.changed.connect(self._refresh)
        self._turns.ended.connect(self._on_ended)
        self.view.at_end_changed.connect(self._show_jump)
        self._jump.clicked.connect(self.view.scroll_to_end)
        self._asking.asked.connect(self.view.scroll_to_end)
        self._asking.begun.connect(self._on_begun)
        self._asking.failed.connect(self.notice)
        escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), self)
        escape.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        escape.activated.connect(self.stop)
        library = QShortcut(QKeySequence(LIBRARY_KEYS), self)
        library.activated.connect(self._toggle_library)

    def take_drops(self, widget: QWidget) -> None:
        """Take what is dropped on a widget as if it were dropped on the page."""
        drop = FileDrop(widget)
        drop.hovered.connect(DropVeil(widget).show_over)
        drop.dropped.connect(self.attach)
        drop.image_dropped.connect(self._intake.add_image)
        drop.refused.connect(self._on_refused)

    def _connect_documents(self) -> None:
        documents = self.composer.documents
        documents.summarize_requested.connect(self._on_summarize)
        documents.options_requested.connect(self.show_summary_options)
        documents.open_requested.connect(self.document_opened)
        documents.changed.connect(self.documents_changed)
        Unlocking(documents, self)
        self.composer.field.files_pasted.connect(self.attach)
        self.composer.field.image_pasted.connect(self._intake.add_image)
        self._intake.failed.connect(self.notice)
        self._intake.said.connect(self.said)
        self.view.citation_activated.connect(self.citation_activated)
        self.view.attachment_activated.connect(self.document_opened)
        self.model.modelReset.connect(self.documents_changed)
        self.model.rowsInserted.connect(self.documents_changed)

    def _toggle_library(self) -> None:
        if self._has_library:
            self.composer.ask_library(not self.composer.asks_library)

    def _on_summarize(self, document: DraftDocument) -> None:
        if document.attachment is not None:
            self.summarize((document.attachment,))

    def _on_refused(self, kind: Unusable) -> None:
        if kind == "mail":
            self.said.emit(self.tr("Save the mail as a file first, then drop that file here."))
        else:
            self.said.emit(
                self.tr("Snug fetches nothing from the web. Save it as a file first, then drop it.")
            )

    def _on_overflow_chosen(self, conversation_id: str, settings: AnswerSettings) -> None:
        self.use_settings(conversation_id, settings)
        if conversation_id == self.conversation_id:
            self._asking.ask_again()

    def _on_begun(self, conversation_id: str) -> None:
        self._refresh()
        self.conversation_changed.emit(conversation_id)

    def _on_ended(self, answer: Message) -> None:
        self._announce(answer)
        self.turn_finished.emit(answer)
        self._measure()

    def _announce(self, message: Message) -> None:
        said = (
            self.tr("Answer complete") if message.state == "complete" else self.tr("Answer ended")
        )
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self.view, said))

    def _show_opened(self, opened: OpenedConversation) -> None:
        self._context.overflow = opened.settings.overflow
        self.model.reset(
            opened.messages,
            first_seen_id=opened.first_seen_id,
            summary=opened.running_summary,
        )
        for turn in self._chat.turns(self.conversation_id):
            if self.model.place_of(turn.answer_id) is None:
                if turn.question is not None or self.model.last() is None:
                    continue
                self.model.replace_last(turn.answer)
            self._turns.follow(turn)
        self._refresh()

    def _show_message(self, message_id: str) -> None:
        at = self.model.place_of(message_id) if message_id else None
        if at is not None:
            self.view.scroll_to_row(at)

    def _leave(self) -> None:
        self._warming.stop()
        self._drafts.keep(self.conversation_id)
        self._turns.leave()

    def _suggest(self, text: str) -> None:
        self.composer.set_text(text)
        self.composer.setFocus()

    def _refresh(self) -> None:
        self.composer.show_running(self._turns.are_running)
        has_messages = self.model.rowCount() > 0 or not self._asking.is_new
        self._stack.setCurrentWidget(self.view if has_messages else self.empty)
        self._show_jump(self.view.is_at_end)

    def _draft(self) -> tuple[str, str, tuple[Attachment, ...]]:
        composer = self.composer
        return self.conversation_id, composer.text, composer.documents.attachments

    def _measure(self) -> None:
        self._context.measure(*self._draft())

    def _on_draft_changed(self) -> None:
        self._measure()
        self._warming.note_draft(*self._draft())

    def _on_documents_changed(self) -> None:
        self._measure()
        self.warm()

    def _show_jump(self, is_at_end: bool) -> None:
        is_offered = not is_at_end and self._stack.currentWidget() is self.view
        self._jump.offer(is_offered=is_offered)
