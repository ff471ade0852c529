"""Questions on their way to the service, and answers that are asked for once more."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.chat.values import Attachment, Message
from app.documents.options import SummaryOptions
from app.errors import from_code
from ui.chat.composer import Composer
from ui.chat.drafts import Drafts
from ui.chat.message_model import MessageModel
from ui.chat.sending import Sending
from ui.chat.turns import Turns

if TYPE_CHECKING:
    from app.chat.service import ChatService
    from app.chat.turn import Turn


class Asking(QObject):
    """Sends what stands in the composer; it is cleared once it is kept, and not before.

    Signals:
        asked: An answer to something new is on its way.
        begun: (conversation_id): the first question of a new conversation was kept.
        failed: (error): what was asked is not kept.
    """

    asked = Signal()
    begun = Signal(str)
    failed = Signal(object)

    def __init__(
        self,
        chat: "ChatService",
        *,
        composer: Composer,
        drafts: Drafts,
        model: MessageModel,
        turns: Turns,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._chat = chat
        self._composer = composer
        self._drafts = drafts
        self._model = model
        self._turns = turns
        self._sending = Sending(self)
        self._sending.taken.connect(self._on_taken)
        self._sending.rejected.connect(self._on_rejected)
        self.conversation_id = chat.new_id()
        self.is_new = True

    def turn_to(self, conversation_id: str | None) -> None:
        """Ask in another conversation from now on, or in a new one."""
        self.is_new = conversation_id is None
        self.conversation_id = conversation_id or self._chat.new_id()

    def send(self) -> None:
        """Send what is written."""
        if self._sending.is_busy:
            return
        text, attachments = self._composer.text, self._composer.documents.attachments
        if self._composer.asks_library:
            turn = self._chat.ask_library(self.conversation_id, text.strip())
            self._sending.follow(turn, text)
            return
        self._sending.follow(self._chat.send(self.conversation_id, text.strip(), attachments), text)

    @property
    def is_busy(self) -> bool:
        """Whether a question is on its way."""
        return self._sending.is_busy

    def summarize(self, attachments: tuple[Attachment, ...], options: SummaryOptions) -> None:
        """Ask for a summary of documents that are ready, each and together."""
        if attachments and not self._sending.is_busy:
            turn = self._chat.summarize(self.conversation_id, attachments, options)
            self._sending.follow(turn, "")

    def regenerate(self) -> None:
        """Ask for another last answer."""
        if self._turns.are_running or self._sending.is_busy:
            return
        turn = self._chat.regenerate(self.conversation_id)
        self._model.replace_last(turn.answer)
        self._turns.follow(turn)
        self.asked.emit()

    def ask_again(self) -> None:
        """Go on with what a full window kept from being answered, and lose nothing of it."""
        last = self._model.last()
        if last is not None and last.can_go_on:
            self.go_on()
        else:
            self.regenerate()

    def go_on(self) -> None:
        """Let the last answer grow where it stands."""
        if self._turns.are_running or self._sending.is_busy:
            return
        turn = self._chat.continue_answer(self.conversation_id)
        if self._model.place_of(turn.answer_id) is None:
            self._sending.follow(turn, "")
            return
        self._model.replace_last(turn.answer)
        self._turns.follow(turn)

    def _on_taken(self, turn: "Turn", text: str) -> None:
        if turn.conversation_id != self.conversation_id:
            self._drafts.forget(turn.conversation_id)
            return
        self._composer.take_out(text)
        if turn.question is not None:
            self._composer.documents.clear_ready(turn.question.attachments)
            self._model.append(turn.question, turn.answer)
        self._turns.follow(turn)
        self.asked.emit()
        if self.is_new:
            self.is_new = False
            self.begun.emit(turn.conversation_id)

    def _on_rejected(self, answer: Message) -> None:
        self.failed.emit(from_code(answer.error_code, answer.error_facts))
