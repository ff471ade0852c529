"""The order in which pieces of text are read, on pages of rectangles."""

import math

import pytest

from app.documents.ocr.lines import Sheet, lines_of
from app.documents.ocr.order import arrange
from app.documents.ocr.pieces import Piece, confidence

HEIGHT = 30.0
PITCH = 42.0
SHEET = Sheet(1600, 2000, 0.36)


def piece(
    text: str, left: float, top: float, *, height: float = HEIGHT, width: float = 0, turn: float = 0
) -> Piece:
    """Return a piece as wide as its text, on a page turned by `turn` radians."""
    wide = width or len(text) * height * 0.5
    corners = [(left, top), (left + wide, top), (left + wide, top + height), (left, top + height)]
    cos, sin = math.cos(turn), math.sin(turn)
    return Piece(tuple((x * cos - y * sin, x * sin + y * cos) for x, y in corners), text, 0.99)


def column(name: str, left: float, top: float, count: int, *, turn: float = 0) -> list[Piece]:
    """Return lines of running text called `name1`, `name2` ..."""
    words = "with some words that fill it"
    return [
        piece(f"{name}{row} {words}", left, top + row * PITCH, turn=turn)
        for row in range(1, count + 1)
    ]


def names(pieces: list[Piece]) -> list[str]:
    """Return the first word of each line in the order in which it is read."""
    return [line.text.split()[0] for line in lines_of(pieces, SHEET) if line.text]


def test_columns_are_read_one_after_the_other() -> None:
    pieces = column("right", 800, 100, 8) + column("left", 100, 100, 8)
    wanted = [f"left{row}" for row in range(1, 9)] + [f"right{row}" for row in range(1, 9)]
    assert names(pieces) == wanted


def test_three_columns_on_a_page_that_lies_askew() -> None:
    pieces = [
        each
        for name, left in (("c", 1100), ("a", 60), ("b", 580))
        for each in column(name, left, 100, 6, turn=0.012)
    ]
    assert names(pieces) == [f"{name}{row}" for name in "abc" for row in range(1, 7)]


def test_a_heading_over_two_columns_divides_them() -> None:
    across = piece("Heading that goes over both of the columns of it", 100, 460, height=44)
    pieces = [
        *column("right-below", 800, 540, 6),
        *column("left-below", 100, 540, 6),
        across,
        *column("right-above", 800, 100, 6),
        *column("left-above", 100, 100, 6),
    ]
    order = [name.rstrip("123456") for name in names(pieces)]
    wanted = ["left-above", "right-above", "Heading", "left-below", "right-below"]
    assert list(dict.fromkeys(order)) == wanted
    assert len(order) == 25


def test_a_table_is_read_row_by_row() -> None:
    rows = [("Item", "Amount", "Price"), ("Wood", "28", "120.00"), ("Nails", "3", "7.35")]
    pieces = [
        piece(cell, left, 100 + index * PITCH)
        for left, cells in zip((100, 600, 1000), zip(*rows, strict=True), strict=True)
        for index, cell in enumerate(cells)
    ]
    lines = [line.text for line in lines_of(pieces, SHEET) if line.text]
    assert lines == ["Item | Amount | Price", "Wood | 28 | 120.00", "Nails | 3 | 7.35"]


def test_marks_of_a_list_stay_with_what_they_mark() -> None:
    pieces = column("second", 180, 400, 4) + column("first", 180, 100, 4)
    pieces += [piece("2.", 100, 400 + PITCH), piece("1.", 100, 100 + PITCH)]
    lines = [line.text for line in lines_of(pieces, SHEET) if line.text]
    assert lines[0].startswith("1. first1")
    assert lines[4].startswith("2. second1")


def test_words_of_one_line_are_joined_by_a_space() -> None:
    pieces = [piece("much wood", 330, 102), piece("So", 100, 100, width=200)]
    assert [line.text for line in lines_of(pieces, SHEET)] == ["So much wood"]


def test_chinese_is_joined_without_a_space() -> None:
    pieces = [piece("新鲜甘草", 100, 100, width=120), piece("黄酮养分", 225, 100, width=120)]
    assert [line.text for line in lines_of(pieces, SHEET)] == ["新鲜甘草黄酮养分"]


def test_paragraphs_are_parted_and_headings_are_higher() -> None:
    pieces = [
        piece("A heading", 100, 60, height=48),
        *column("first", 100, 100, 4),
        *column("second", 100, 100 + 5 * PITCH, 4),
    ]
    lines = lines_of(pieces, SHEET)
    heights = {line.height for line in lines[1:] if line.text}
    assert len(heights) == 1
    assert lines[0].height > 1.2 * heights.pop()
    assert [index for index, line in enumerate(lines) if not line.text] == [1, 6]


def test_a_divided_word_is_marked() -> None:
    pieces = [
        piece("The neighbors paid in fire-", 100, 100),
        piece("wood and in Anglo-", 100, 142),
        piece("Saxon coins.", 100, 184),
    ]
    texts = [line.text for line in lines_of(pieces, SHEET)]
    assert texts == ["The neighbors paid in fire\ufffe", "wood and in Anglo-", "Saxon coins."]


def test_what_is_uncertain_is_left_out_and_boxes_are_shares() -> None:
    unsure = Piece(piece("?", 800, 100).corners, "%%", 0.3)
    (line,) = lines_of([piece("Total", 160, 200, width=320), unsure], SHEET)
    assert line.text == "Total"
    assert line.box == (0.1, 0.1, 0.3, 0.115)


def test_a_script_that_is_not_known_is_no_text() -> None:
    sparse = Piece(piece("x" * 40, 100, 100).corners, ",    ,    ,", 0.85)
    known = piece("Known words", 100, 200)
    assert [line.text for line in lines_of([sparse, known], SHEET)] == ["Known words"]
    assert confidence([sparse]) == 0
    assert 0.1 < confidence([sparse, known]) < 0.5
    assert confidence([known]) == pytest.approx(0.99)


def test_a_line_along_the_margin_comes_last() -> None:
    upright = ((10.0, 700.0), (40.0, 700.0), (40.0, 100.0), (10.0, 100.0))
    margin = Piece(upright, "arXiv 2103", 0.99)
    blocks = arrange([margin, *column("text", 100, 100, 4)])
    assert blocks[-1].rows[0].pieces == (margin,)


def test_nothing_is_read_of_nothing() -> None:
    assert lines_of([], SHEET) == ()
