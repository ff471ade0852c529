import pytest

from app.documents.document import Line
from app.documents.viewing_marks import fold, mark_lines

PAGE = (
    "The farm sold wheat to the\r\n"
    "neighbors, who paid in \ufb01rewood and in co\ufffe\r\n"
    "operation. It didn\u2019t rain.\r\n"
)


@pytest.mark.parametrize(
    ("mark", "start", "end"),
    [
        ("The farm sold wheat to the neighbors", "The farm", "neighbors"),
        ("who paid in firewood and in cooperation.", "who paid", "operation."),
        ("who paid in firewood and in co-operation.", "who paid", "operation."),
        ("IT DIDN'T RAIN.", "It didn", "rain."),
    ],
)
def test_a_sentence_is_found_however_it_was_broken(mark: str, start: str, end: str) -> None:
    ((first, last),) = fold(PAGE).spans(mark)
    assert first == PAGE.index(start)
    assert last == PAGE.index(end) + len(end) - 1


def test_what_does_not_stand_there_is_not_marked() -> None:
    assert fold(PAGE).spans("The farm bought rye from its neighbors in spring") == []
    assert fold(PAGE).spans("  \n") == []


def test_a_sentence_with_a_header_in_its_middle_is_marked_in_two_parts() -> None:
    page = (
        "In the year after the flood the council decided to\n"
        "Annual report 17\n"
        "build the wall again, higher and with a gate of oak.\n"
    )
    mark = page.replace("Annual report 17\n", "").replace("\n", " ").strip()
    marked = "".join(page[first : last + 1] for first, last in fold(page).spans(mark))
    assert "Annual report" not in marked
    assert len(marked) > 0.6 * len(mark)


def test_each_place_is_marked_when_a_word_stands_several_times() -> None:
    assert len(fold("one two one two one").spans("one")) == 3


def test_a_part_of_a_recognized_line_is_marked_by_its_share() -> None:
    lines = (
        Line("0123456789", box=(0.1, 0.1, 0.6, 0.15)),
        Line("", box=()),
        Line("abcdefghij", box=(0.1, 0.2, 0.6, 0.25)),
    )
    boxes = mark_lines(lines, ("56789 abcde",))
    first, second = boxes
    assert first == pytest.approx((0.35, 0.1, 0.6, 0.15))
    assert second == pytest.approx((0.1, 0.2, 0.35, 0.25))


def test_a_line_that_is_written_downwards_is_marked_downwards() -> None:
    lines = (Line("縦書きの行です", box=(0.8, 0.1, 0.85, 0.8)),)
    (box,) = mark_lines(lines, ("の行",))
    assert box == pytest.approx((0.8, 0.4, 0.85, 0.6))
