from app.documents.document import Line, Page
from app.documents.hyphens import joined


def _text(*lines: Line) -> list[str]:
    return [line.text for page in joined([Page(1, lines)]) for line in page.lines]


def test_a_divided_word_is_joined_where_it_stands_undivided_elsewhere() -> None:
    divided = Line("It is us\ufffeing a dual\ufffeencoder.")
    assert _text(divided, Line("Using an encoder helps.")) == [
        "It is using a dual\ufffeencoder.",
        "Using an encoder helps.",
    ]


def test_a_word_is_joined_whose_end_is_no_word() -> None:
    assert _text(Line("They exam\ufffeine COVID\ufffe19 and Berlin\ufffeMitte.")) == [
        "They examine COVID\ufffe19 and Berlin\ufffeMitte."
    ]


def test_what_is_bold_at_the_start_stays_so() -> None:
    divided = Line("Us\ufffeing it helps.", lead_chars=6)
    first, _ = joined([Page(1, (divided, Line("using")))])[0].lines
    assert (first.text, first.text[: first.lead_chars]) == ("Using it helps.", "Using")


def test_other_pages_are_not_touched() -> None:
    pages = (Page(1, (Line("Nothing to join."),)), Page(2, (Line("At the end of a li\ufffe"),)))
    assert joined(pages) == pages
