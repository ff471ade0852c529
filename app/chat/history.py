"""A conversation's messages as the model is told them.

A question that carries documents is told with their text before it, fenced as data. A question
that never got any answer is left out, or a model would find two questions in a row, which many chat
templates refuse; its documents go to the next question, unless they were too long to be read at
all. So may those of a question that was answered from passages. A summary is told as what it is: an
answer, asked for by the document's name.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from app.chat import prompts
from app.chat.values import Attachment, Message
from inference.errors import ContextOverflow
from inference.types import ChatMessage

Fence = Callable[[Attachment], str]


@dataclass(frozen=True, slots=True)
class Told:
    """One message as the model is told it, and the stored message it comes from."""

    message_id: str
    told: ChatMessage


@dataclass(slots=True)
class _Teller:
    """Walks through a conversation; a question waits until its answer is known to exist."""

    fence: Fence
    with_asked: bool = False
    told: list[Told] = field(default_factory=list)
    question: Message | None = None
    carried: tuple[Attachment, ...] = ()

    def ask(self, question: Message) -> None:
        self.drop_question()
        self.question = question

    def answer(self, answer: Message) -> None:
        if not answer.text:
            self.drop_question(answer.error_code)
            return
        self.tell_question()
        self.told.append(Told(answer.id, ChatMessage("assistant", answer.text)))

    def tell_question(self) -> None:
        if self.question is None:
            return
        documents = self.carried
        if self.question.kind == "chat":
            documents += self.question.attachments
        elif self.question.kind == "ask":
            # It was answered from passages: what comes next may want the whole of them.
            kept = documents + (self.question.attachments if self.with_asked else ())
            told = ChatMessage("user", _asked(self.question))
            self.told.append(Told(self.question.id, told))
            self.question, self.carried = None, kept
            return
        parts = [*(self.fence(attachment) for attachment in documents), _asked(self.question)]
        content = "\n\n".join(part for part in parts if part)
        self.told.append(Told(self.question.id, ChatMessage("user", content)))
        self.question, self.carried = None, ()

    def drop_question(self, error_code: str = "") -> None:
        if self.question is None:
            return
        if self.question.kind == "chat" and error_code != ContextOverflow.code:
            self.carried += self.question.attachments
        self.question = None


def tell(messages: Sequence[Message], fence: Fence, *, with_asked: bool = False) -> list[Told]:
    """Return what the model is told, oldest first; the last message is the question to answer.

    With `with_asked` documents that were asked by passages are told with the next wish.
    """
    teller = _Teller(fence, with_asked)
    for message in messages:
        if message.role == "user":
            teller.ask(message)
        else:
            teller.answer(message)
    teller.tell_question()
    return teller.told


def _asked(question: Message) -> str:
    if question.kind == "summary":
        names = ", ".join(attachment.name for attachment in question.attachments)
        return prompts.summary_question().format(names=names)
    return question.text
