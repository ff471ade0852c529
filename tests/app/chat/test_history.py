from hypothesis import given
from hypothesis import strategies as st

from app.chat.history import tell
from app.chat.values import Attachment, Message, MessageKind, MessageState
from app.documents.values import IntakeReport

REPORT = IntakeReport("page", 1, 1, 0, 0, 1)


def attachment(name: str) -> Attachment:
    return Attachment(name, f"{name}.pdf", 1, REPORT)


def ask(name: str, *documents: str, kind: MessageKind = "chat") -> Message:
    attachments = tuple(attachment(document) for document in documents)
    text = name if kind == "chat" else ""
    return Message(name, "c", "user", text, 0.0, kind=kind, attachments=attachments)


def answer(text: str, error_code: str = "") -> Message:
    state: MessageState = "failed" if error_code else "complete"
    return Message(text or "empty", "c", "assistant", text, 0.0, state, error_code=error_code)


def told(*messages: Message) -> list[tuple[str, str]]:
    entries = tell(messages, lambda attachment: f"[{attachment.document_id}]")
    return [(entry.told.role, entry.told.content) for entry in entries]


def test_documents_stand_before_the_question_that_carries_them() -> None:
    assert told(ask("q1", "a", "b"), answer("a1"), ask("q2")) == [
        ("user", "[a]\n\n[b]\n\nq1"),
        ("assistant", "a1"),
        ("user", "q2"),
    ]


def test_a_question_without_an_answer_leaves_its_documents_to_the_next() -> None:
    messages = [ask("q1", "a"), answer("", "worker_died"), ask("q2", "b")]
    assert told(*messages) == [("user", "[a]\n\n[b]\n\nq2")]


def test_a_document_that_was_too_long_is_not_passed_on() -> None:
    messages = [ask("q1", "a"), answer("", "context_overflow"), ask("q2")]
    assert told(*messages) == [("user", "q2")]


def test_an_answer_that_was_cut_off_is_told_as_far_as_it_went() -> None:
    messages = [ask("q1"), answer("half", "worker_died"), ask("q2")]
    assert told(*messages) == [("user", "q1"), ("assistant", "half"), ("user", "q2")]


def test_a_summary_is_told_without_the_document() -> None:
    messages = [ask("s", "a", kind="summary"), answer("the summary"), ask("why?")]
    assert told(*messages) == [
        ("user", "Summarize a.pdf."),
        ("assistant", "the summary"),
        ("user", "why?"),
    ]


def test_a_question_of_documents_alone_is_told_as_their_text() -> None:
    message = Message("m", "c", "user", "", 0.0, attachments=(attachment("a"),))
    assert told(message) == [("user", "[a]")]


PAIRS = st.tuples(
    st.lists(st.sampled_from("abc"), max_size=2),
    st.sampled_from(["", "text"]),
    st.sampled_from(["", "worker_died", "context_overflow"]),
)


@given(st.lists(PAIRS, max_size=12))
def test_roles_always_take_turns_and_the_last_question_is_there(
    pairs: list[tuple[list[str], str, str]],
) -> None:
    messages: list[Message] = []
    for number, (documents, text, error_code) in enumerate(pairs):
        messages += [ask(f"q{number}", *documents), answer(text, error_code)]
    roles = [role for role, _ in told(*messages, ask("last"))]
    assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]
