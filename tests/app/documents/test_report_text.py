from app.documents.report_text import left_out_text, report_lines
from app.documents.values import Hidden, IntakeReport, LeftOut


def test_a_report_says_all_that_was_found() -> None:
    report = IntakeReport(
        unit="page",
        total=12,
        read=11,
        without_text=2,
        unreadable=1,
        words=4200,
        ocr=3,
        ocr_confidence=0.874,
        tables=5,
        parts=1,
        hidden=(Hidden("comment", 4, 1, "No!"), Hidden("metadata", 0, 3, "For my eyes")),
        left_out=(LeftOut("embedded_left_out", "song.mp3"), LeftOut("scripts_left_out")),
    )
    assert list(report_lines(report)) == [
        "read: 11 of 12 pages, 4,200 words",
        "recognized in pictures: 3 pages, 87 % sure",
        "without text: 2 pages",
        "not readable, their text is only symbols: 1 page",
        "tables: 5",
        "attachments read: 1",
        "hidden, kept from the model: comment on 4, 1 word: “No!”",
        "hidden, kept from the model: metadata, 3 words: “For my eyes”",
        "left out: song.mp3 is inside the document and was not read.",
        "left out: It holds JavaScript, which was not run.",
    ]


def test_a_plain_document_has_one_line() -> None:
    report = IntakeReport("sheet", 1, 1, 0, 0, 1)
    assert list(report_lines(report)) == ["read: all of 1 sheet, 1 word"]


def test_a_thousand_hidden_notes_do_not_fill_the_screen() -> None:
    hidden = tuple(Hidden("comment", page, 1, "Note") for page in range(1, 1001))
    lines = list(report_lines(IntakeReport("page", 1000, 1000, 0, 0, 9, hidden=hidden)))
    assert (len(lines), lines[-1]) == (22, "and 980 more")


def test_what_has_no_name_is_told_without_one() -> None:
    assert left_out_text(LeftOut("embedded_left_out")) == (
        "A file inside the document was not read."
    )
