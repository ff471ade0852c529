"""Places in a summary lead to their pages."""

from dataclasses import replace

import pytest

from app.documents.options import Style
from app.documents.rendering import markdown
from app.documents.summary import Summary
from app.documents.summary_sources import sources_of
from app.documents.values import Coverage, Place, Statement

SUMMARY = Summary(
    name="report.pdf",
    title="",
    language="en",
    about="",
    sections=(),
    statements=(
        Statement("Costs *fell*.", 3, "", "The costs fell.", written=True),
        Statement("Sales rose.", 7, "Sales", "Sales rose.", written=False, place=Place(7)),
        Statement("Sales rose.", 9, "Sales", "Sales rose again.", written=True),
    ),
    coverage=Coverage("page", 9, 9, 0, 0),
)


@pytest.mark.parametrize("style", ["points", "paragraph", "facts", "actions"])
def test_every_place_is_found_in_order(style: Style) -> None:
    summary = replace(SUMMARY, style=style)
    text = markdown(summary)
    sources = sources_of(summary, text, {"report.pdf": "d1"})
    assert [source.place.page for source in sources] == [3, 7, 9]
    assert [source.number for source in sources] == [1, 2, 3]
    starts = [text[source.at :].lstrip("(").split(")")[0].split(" ·")[0] for source in sources]
    assert [start.split(" |")[0] for start in starts] == ["p. 3", "p. 7", "p. 9"]
    assert {source.document_id for source in sources} == {"d1"}
    assert sources[0].marked == ("The costs fell.",)


def test_a_statement_that_the_text_does_not_hold_has_no_source() -> None:
    assert sources_of(SUMMARY, "Something else.", {}) == ()
