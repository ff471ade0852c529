"""An answer from documents as Markdown, and where in its text its citations belong."""

from collections.abc import Callable
from dataclasses import replace

from app import messages
from app.documents.asking import DocumentAnswer
from app.documents.rendering import quoted
from app.documents.values import Citation

_MOST_QUOTED_CHARS = 300


def answer_markdown(
    answer: DocumentAnswer, translate: Callable[[str], str] = str
) -> tuple[str, tuple[Citation, ...]]:
    """Return what is shown of `answer`: the model's sentence, or the passages in its place.

    Nothing of a document can become markup.
    """
    if answer.verdict == "answered":
        text = quoted(answer.text)
        return text, tuple(replace(each, at=len(text)) for each in answer.citations)
    notice = messages.describe_code(answer.note, answer.note_facts, translate)
    text = f"*{quoted(notice.message)}*"
    if answer.citations:
        text = f"*{quoted(f'{notice.message} {notice.action}')}*"
    placed: list[Citation] = []
    for citation in answer.citations:
        quote = " … ".join(" ".join(each.split()) for each in citation.marked)
        text += f"\n\n> {quoted(quote or _beginning(citation.passage))}"
        placed.append(replace(citation, at=len(text)))
    return text, tuple(placed)


def _beginning(passage: str) -> str:
    shown = " ".join(passage.split())
    if len(shown) <= _MOST_QUOTED_CHARS:
        return shown
    return shown[:_MOST_QUOTED_CHARS].rpartition(" ")[0] + " …"
