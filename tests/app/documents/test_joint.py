"""Several documents at once, and a summary in another language."""

import threading
from collections.abc import Callable
from pathlib import Path

from app.documents.ability import Ability, AbilityBook
from app.documents.checking import faults
from app.documents.options import SummaryOptions
from app.documents.reader import read_document
from app.documents.rendering import markdown
from app.documents.summarizer import Summaries, Summarizer
from app.documents.translating import translation_faults
from inference.child import Child
from tests.fakes import FakeGenerator

Start = Callable[[], Child]

SHARED = "Every reader must return the books on the last day of the loan."


def summarize(folder: Path, start: Start, *texts: str) -> Summaries:
    documents = []
    for number, text in enumerate(texts, 1):
        path = folder / f"rules{number}.txt"
        path.write_text(text)
        documents.append(read_document(path, launch=start))
    abilities = AbilityBook(folder / "abilities.json", str)
    return Summarizer(None, abilities, launch=start).run_all(
        documents, on_update=lambda index, view: None, cancelled=threading.Event()
    )


def test_what_two_documents_say_alike_stands_once_with_its_document(
    tmp_path: Path, start: Start
) -> None:
    made = summarize(tmp_path, start, f"{SHARED}\n", f"{SHARED}\n")
    assert len(made.each) == 2
    assert made.joint
    (statement,) = made.joint.statements
    assert statement.name == "rules1.txt"
    assert "rules1.txt › section 1" in markdown(made.joint)


def test_documents_that_disagree_on_a_figure_are_shown_both(tmp_path: Path, start: Start) -> None:
    first = "The library takes a fee of 2 euros for each week that a book is late.\n"
    made = summarize(tmp_path, start, first, first.replace("2 euros", "3 euros"))
    assert made.joint
    ((one, other),) = made.joint.disagreements
    assert ("2 euros" in one.text, "3 euros" in other.text) == (True, True)
    assert "The documents disagree" in markdown(made.joint)


def test_one_document_has_no_joint_summary(tmp_path: Path, start: Start) -> None:
    assert summarize(tmp_path, start, f"{SHARED}\n").joint is None


def test_a_model_that_failed_the_test_translates_nothing_and_that_is_said(
    tmp_path: Path, start: Start
) -> None:
    path = tmp_path / "rules.txt"
    path.write_text(f"{SHARED}\n")
    abilities = AbilityBook(tmp_path / "abilities.json", str)
    abilities.put("fake", "en", Ability(0, 3, 6, 1.0))
    with FakeGenerator() as generator:
        summary = Summarizer(generator, abilities, launch=start).run(
            read_document(path, launch=start),
            on_update=lambda view: None,
            cancelled=threading.Event(),
            options=SummaryOptions(language="de"),
        )
    assert summary.also == "summary_not_translated"
    assert summary.statements[0].text == SHARED
    assert abilities.get("fake", "en:translation:de") == Ability(
        0,
        2,
        4,
        abilities.get("fake", "en:translation:de").seconds,  # type: ignore[union-attr]
    )


def test_a_translation_that_loses_something_does_not_stand() -> None:
    text = "The customer may not leave within 30 days."
    good = "Der Kunde darf nicht innerhalb von 30 Tagen gehen und die Frist ist so."
    assert not translation_faults(text, good, "de")
    assert "number" in translation_faults(text, good.replace("30", "3"), "de")
    assert "meaning" in translation_faults(text, good.replace(" nicht", ""), "de")
    assert "language" in translation_faults(text, text, "de")


def test_a_statement_put_together_from_two_sentences_does_not_stand() -> None:
    passage = (
        "Microsoft announced two new computing chips at a conference in November.",
        "Sam Altman will be leading a new advanced research team.",
    )
    joined = "Microsoft announced two new computing chips and a new advanced research team."
    assert "joined" in faults(joined, passage, "en")
    assert "joined" not in faults("Microsoft announced two new computing chips.", passage, "en")
