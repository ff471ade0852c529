"""A place is named as a person would look for it, whatever the document is made of."""

from typing import get_args

import pytest

from app.documents.places import in_words, units
from app.documents.rendering import coverage_line, markdown
from app.documents.summary import Summary
from app.documents.values import Coverage, Place, Statement, Unit


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (Place(3), "p. 3"),
        (Place(3, "slide", 3, label="Plans"), "slide 3"),
        (Place(2, "sheet", 2, label="Costs", cells="B4:F4"), "sheet “Costs”, B4:F4"),
        (Place(2, "sheet", 2, cells="B4:F4"), "sheet 2, B4:F4"),
        (Place(5, "section", 5, label="The sea"), "section 5, “The sea”"),
        (Place(7, "page", 3, "contract.pdf"), "contract.pdf › p. 3"),
        (Place(9, "sheet", 1, "all.zip › costs.xlsx", "Q1"), "all.zip › costs.xlsx › sheet “Q1”"),
        (Place(1, "message", 1), "message 1"),
        (Place(1, "image", 1), "picture 1"),
    ],
)
def test_a_place_in_words(place: Place, words: str) -> None:
    assert in_words(place) == words


def test_a_chapter_under_its_own_heading_is_not_named_twice() -> None:
    place = Place(5, "section", 5, label="The sea")
    assert in_words(place, heading="The sea") == "section 5"


def test_a_long_label_is_cut() -> None:
    assert len(in_words(Place(1, "sheet", 1, label="x" * 300))) < 80


def test_the_document_stands_before_the_place() -> None:
    assert in_words(Place(2), name="rules.pdf") == "rules.pdf › p. 2"


@pytest.mark.parametrize("unit", get_args(Unit))
def test_a_summary_of_every_kind_of_unit_is_shown(unit: Unit) -> None:
    statement = Statement("A point.", 1, "", "A point.", written=False)
    summary = Summary("a", "a", "en", "", (), (statement,), Coverage(unit, 1, 1, 0, 0))
    assert in_words(Place(1, unit)) in markdown(summary)
    assert f"1 of 1 {units(unit, 1)} read." in markdown(summary)


def test_coverage_tells_blank_pages_from_scans_that_were_not_read() -> None:
    coverage = Coverage("page", total=9, read=7, ocr=2, without_text=2, blank=1)
    summary = Summary("a", "a", "en", "", (), (), coverage)
    assert coverage_line(summary) == (
        "7 of 9 pages read, 2 of them by text recognition, 1 of them blank, 2 without text "
        "(scans that were not read)."
    )
