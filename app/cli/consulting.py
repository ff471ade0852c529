"""Answers from documents on the command line: by passages where they are long, with citations."""

import contextlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from app import messages
from app.children import command
from app.cli.output import Output
from app.documents.ability import AbilityBook
from app.documents.asking import Asker, AskStage, DocumentAnswer
from app.documents.document import ReadDocument
from app.documents.places import in_words
from app.documents.retrieval import DocumentIndex, IndexedDocument
from app.documents.values import Citation
from app.models.embedding import embedding_folder
from app.models.installed import InstalledModels
from app.models.runner import ModelRunner
from app.paths import Paths
from inference import child
from inference.embedding import EmbeddingClient

_STAGES = {
    "testing": "Testing whether the model may answer: {done} of {total}",
    "writing": "Asking the model",
}


def indexed(documents: Sequence[ReadDocument]) -> list[IndexedDocument]:
    """Return documents under ids of this run."""
    return [IndexedDocument(str(number), each) for number, each in enumerate(documents, 1)]


def ask_by_passages(
    documents: Sequence[ReadDocument],
    question: str,
    *,
    runner: ModelRunner | None,
    places: Paths,
    output: Output,
) -> DocumentAnswer:
    """Answer a question from the passages of documents; blocks."""
    output.status("Searching the documents…")
    with contextlib.closing(
        EmbeddingClient(lambda: child.start(command("embed")), lambda: embedding_folder(places))
    ) as embedding:
        embed = embedding.embed if embedding.is_available else None
        retrieved = DocumentIndex(indexed(documents), embed).retrieve(question)
    try:
        return _asker(runner, places).ask(
            question, retrieved, cancelled=threading.Event(), on_stage=_teller(output)
        )
    finally:
        output.clear_status()


def _asker(runner: ModelRunner | None, places: Paths) -> Asker:
    abilities = AbilityBook(
        places.abilities, lambda model_id: InstalledModels(places.models).get(model_id).sha256
    )
    return Asker(runner, abilities)


def show_answer(answer: DocumentAnswer, output: Output) -> None:
    """Print an answer from passages with its places."""
    notice = messages.describe_code(answer.note, answer.note_facts)
    if answer.verdict == "answered":
        output.line(answer.text)
        output.line()
        show_citations(answer.citations, output)
        output.note(notice.message)
        return
    output.line(f"{notice.message} {notice.action}" if answer.citations else notice.message)
    output.line()
    show_citations(answer.citations, output)


def show_citations(citations: Sequence[Citation], output: Output) -> None:
    """Print what an answer rests on, each place once."""
    shown: set[int] = set()
    for citation in citations:
        if citation.number in shown:
            continue
        shown.add(citation.number)
        quote = " … ".join(" ".join(each.split()) for each in citation.marked)
        place = in_words(citation.place)
        output.line(f"[{citation.number}] {citation.name}, {place}: {quote or citation.passage}")


def as_json(answer: DocumentAnswer) -> dict[str, Any]:
    """Return the object that `--json` prints for an answer from passages."""
    return {
        "text": answer.text,
        "verdict": answer.verdict,
        "note": asdict(messages.describe_code(answer.note, answer.note_facts)),
        "citations": [asdict(citation) for citation in answer.citations],
        "usage": asdict(answer.usage),
    }


def _teller(output: Output) -> Callable[[AskStage, int, int], None]:
    def tell(stage: AskStage, done: int, total: int) -> None:
        output.status(_STAGES[stage].format(done=done, total=total))

    return tell
