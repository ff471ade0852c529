"""What a summary makes of sheets, mails, slides, minutes and short notes."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from app.documents.digesting import digest, make_digest
from app.documents.document import Kind, Line, Page, ReadDocument
from app.documents.evidence import Digest
from app.documents.facts import facts_in
from app.documents.mail_text import author_of, without_frames
from app.documents.options import Style, SummaryOptions
from app.documents.reader import read_document
from app.documents.tables import figure
from app.documents.tasks import Task, task_in
from app.documents.values import IntakeReport, Unit
from inference.child import Child

SHEET = (
    "Region | Sales | Year",
    "North | 1,200 | 2023",
    "South | 950 | 2024",
    "West | 400 | 2022",
    "Total | 2,550 |",
)
MAIL = (
    "From: Anna Berg <anna@example.org>",
    "Date: 3 May 2024",
    "Subject: Budget",
    "Hello all,",
    "We agreed to postpone the new roof until the spring of next year.",
    "On 2 May 2024, Tom Hill wrote:",
    "> The offer of the roofer is 12,000 euros and it is valid until June.",
    "-- ",
    "Anna Berg, the office on the second floor of the house is open.",
)


def document(unit: Unit, *pages: Sequence[Line], kind: Kind = "text") -> ReadDocument:
    made = tuple(Page(number, tuple(lines)) for number, lines in enumerate(pages, 1))
    report = IntakeReport(unit, len(made), len(made), 0, 0, 0)
    return ReadDocument("file", 0, "", kind, "", report, made)


def digested(made: ReadDocument, style: Style = "points") -> Digest:
    return make_digest(made, SummaryOptions(style=style), lambda stage: None)


def lines(*texts: str) -> list[Line]:
    return [Line(text, 10.0) for text in texts]


def test_a_sheet_is_counted_and_compared_and_never_read_as_prose() -> None:
    rows = [Line(text, cells=f"A{n}:C{n}") for n, text in enumerate(SHEET, 1)]
    found = digested(document("sheet", rows)).evidence
    assert [item.shown for item in found] == [
        "Table with 4 rows; columns: Region, Sales, Year.",
        "Sales: from 400 (West) to 1,200 (North).",
    ]
    assert found[1].cells == "A2:C4"
    assert found[0].computed == ("4",)
    assert not any(item.passage for item in found)


def test_a_sheet_is_digested_behind_the_walls_too(
    tmp_path: Path, start: Callable[[], Child]
) -> None:
    path = tmp_path / "sales.csv"
    rows = ("Region,Sales,Year", "North,1200,2023", "South,950,2024", "West,400,2022")
    path.write_text("\n".join(rows))
    found = digest(read_document(path, launch=start), launch=start)
    assert "Sales: from 400 (West)" in " ".join(item.shown for item in found.evidence)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,234.5", 1234.5),
        ("1.234,5", 1234.5),
        ("12 %", 12.0),
        ("(40)", -40.0),
        ("-3", -3.0),
        ("North", None),
        ("", None),
    ],
)
def test_figures_of_both_ways_to_write_them(text: str, value: float | None) -> None:
    assert figure(text) == value


def test_a_message_tells_who_wrote_what_and_quotes_lose_their_marks() -> None:
    page = without_frames(Page(1, tuple(lines(*MAIL)), unit="message"))
    texts = [line.text for line in page.lines if line.text]
    assert texts[0] == "Anna Berg · 3 May 2024"
    assert texts[2] == "Tom Hill · 2 May 2024"
    assert texts[3].startswith("The offer of the roofer")
    assert not any("office on the second floor" in text for text in texts)
    assert author_of(texts[0]) == ("Anna Berg", "3 May 2024")


def test_minutes_of_a_mail_say_who_and_when() -> None:
    (item,) = digested(document("message", lines(*MAIL), kind="mail"), "minutes").evidence
    assert "roofer" in item.shown
    assert item.row == ("Tom Hill", "2 May 2024")


def test_history_that_every_answer_quotes_counts_once() -> None:
    quoted = "> The offer of the roofer is 12,000 euros and it is valid until June."
    pages = [lines(f"From: P{n}", f"Date: {n} May 2024", quoted) for n in range(1, 4)]
    found = digested(document("message", *pages, kind="mail")).evidence
    assert sum("roofer" in item.shown for item in found) == 1


def test_the_points_of_a_slide_are_points_of_their_own() -> None:
    slide = [
        Line("Plans", 30.0, bold=True),
        Line("Open a second library in the north", 18.0),
        Line("Hire two people for the desk", 18.0),
    ]
    found = digested(document("slide", slide, kind="pptx")).evidence
    assert {item.shown for item in found} <= {line.text for line in slide}
    assert found


def test_of_a_short_note_only_a_third_is_shown() -> None:
    texts = [f"The {word} room of the library is open on every day." for word in ("red", "old")]
    texts += ["Readers must return the books on time.", "The desk takes a fee of 2 euros a week."]
    assert len(digested(document("section", lines(*texts))).evidence) <= 2


@pytest.mark.parametrize(
    ("sentence", "task"),
    [
        ("Jamal will send the budget to all by 12 May.", Task("Jamal", "12 May")),
        ("Action: Tom to call the landlord before Friday.", Task("", "Friday")),
        ("The supplier shall deliver the chairs.", Task("The supplier", "")),
        ("Karin übernimmt die Einladung bis zum 3. Juni.", Task("Karin", "3. Juni")),
        ("The lease was signed in March by both sides.", None),
        ("It will be sunny in the north on Friday.", None),
    ],
)
def test_tasks_are_found_with_person_and_day(sentence: str, task: Task | None) -> None:
    found = task_in(sentence)
    assert (found and found.due) == (task and task.due)
    if task and task.person:
        assert found
        assert found.person == task.person


def test_a_row_of_actions_is_the_sentence_itself() -> None:
    note = "Jamal will send the budget to all members by 12 May."
    (item,) = digested(document("section", lines(note, "The coffee was good.")), "actions").evidence
    assert (item.text, item.row) == (note, ("Jamal", "12 May"))


def test_facts_are_amounts_dates_and_things_that_were_counted() -> None:
    assert facts_in("The fee of 2 euros is due on 3 May 2024.", "en") == ("2 euros", "3 May 2024")
    assert facts_in("Nothing of the kind was ever said there.", "en") == ()
