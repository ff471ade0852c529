"""Every file of the corpus gives its text by place, or a clear reason."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from app.children import Verb
from app.documents.document import ReadDocument
from app.documents.intake import Intake
from app.documents.reader import read_document
from app.errors import DocumentError
from app.messages import describe
from inference.child import Child
from tests.app.documents.corpus_cases import CASES, Case

pytestmark = pytest.mark.corpus


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_file_is_read_as_a_person_would_read_it(
    corpus: Path, start: Callable[[], Child], name: str
) -> None:
    case = CASES[name]
    if case.refused is not None:
        with pytest.raises(DocumentError) as refused:
            read_document(corpus / name, launch=start)
        code, word = case.refused
        assert refused.value.code == code
        assert word in describe(refused.value).message
        return
    if case.password:
        with pytest.raises(DocumentError) as locked:
            read_document(corpus / name, launch=start, password="not this one")
        assert (locked.value.code, locked.value.facts["wrong"]) == ("document_locked", 1)
    document = read_document(corpus / name, launch=start, password=case.password)
    assert problems(document, case) == []


@pytest.mark.parametrize("name", sorted(name for name, case in CASES.items() if case.recognized))
def test_text_in_pictures_is_recognized(
    corpus: Path, launch: Callable[[Verb], Child], name: str
) -> None:
    intake = Intake(partial(launch, "document"), partial(launch, "ocr"))
    document = intake.read(corpus / name)
    for number, text in CASES[name].recognized.items():
        assert _flat(text) in _flat(document.pages[number - 1].text)
    assert document.report.ocr_confidence > 0.9


def test_every_file_of_the_corpus_has_its_case(corpus: Path) -> None:
    files = {path.name for path in corpus.iterdir() if path.is_file()} - {"manifest.json"}
    assert files == set(CASES)


def problems(document: ReadDocument, case: Case) -> list[str]:
    """Return what is not as `case` says."""
    report = document.report
    checks: list[tuple[str, object, object]] = [
        ("kind", document.kind, case.kind),
        ("unit", report.unit, case.unit),
        ("total", report.total, case.total),
        ("read", report.read, case.total),
        ("without text", report.without_text, case.without_text),
        ("title", document.title, document.title if case.title is None else case.title),
        ("tables", report.tables, report.tables if case.tables is None else case.tables),
        ("hidden", set(case.hidden) - {one.kind for one in report.hidden}, set()),
        ("left out", set(case.left_out) - {one.code for one in report.left_out}, set()),
    ]
    found = [f"{what}: {got}, not {wanted}" for what, got, wanted in checks if got != wanted]
    if len(document.pages) < case.total:
        return found
    for number, texts in case.said.items():
        page = _flat(document.pages[number - 1].text)
        for text in (texts,) if isinstance(texts, str) else texts:
            if _flat(text) not in page:
                found.append(f"{number}: no “{text}”")
    for number, label in case.labels.items():
        if document.pages[number - 1].label != label:
            found.append(f"{number}: label “{document.pages[number - 1].label}”")
    for number, part in case.parts.items():
        if document.pages[number - 1].part != part:
            found.append(f"{number}: part “{document.pages[number - 1].part}”")
    return found


def _flat(text: str) -> str:
    return "".join(text.split())
