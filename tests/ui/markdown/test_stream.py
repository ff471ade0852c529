"""Segments: nothing of a text is lost, and growing gives what parsing at once gives."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from ui.markdown.stream import MarkdownStream, segments

_PIECES = st.sampled_from(
    [
        "word",
        "two words",
        " ",
        "  ",
        "    ",
        "\t",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        "# ",
        "## ",
        "- ",
        "* ",
        "+ ",
        "1. ",
        "2) ",
        "9. ",
        "> ",
        "```",
        "```python\n",
        "~~~",
        "---",
        "***",
        "===",
        "**bold**",
        "_it_",
        "`code`",
        "| a | b |\n",
        "|---|---|\n",
        "|:-:|",
        "|",
        "[a](https://a.example)",
        "[x](javascript:alert(1))",
        "![alt](file:///etc/passwd)",
        "<img src=x>",
        "<b>",
        "&amp;",
        "\\",
        "[a]: http://b.example\n",
        "[ ] ",
        "\x1b[31m",
        "\x00",
        "\u202e",
        "é",
        "漢字",
        "שלום",
        "*",
        "-",
        "#",
    ]
)
_TEXTS = st.lists(_PIECES, max_size=30).map("".join)


@settings(deadline=None)
@given(_TEXTS | st.text(max_size=300))
def test_the_sources_of_all_segments_joined_are_the_text(text: str) -> None:
    assert "".join(segment.source for segment in segments(text)) == text


@settings(max_examples=500, deadline=None)
@given(_TEXTS, st.lists(st.integers(1, 12), min_size=1, max_size=40))
@example("- a\n***bold***\n\nend", [1])
@example("para\n```x`y\nz", [1])
@example("1. a\n1. b\n\n1. c\n# x\n1. d\n", [1])
@example("word\nword|\n|---|---|\n", [1])
def test_a_text_that_grows_ends_as_one_that_came_at_once(text: str, steps: list[int]) -> None:
    stream = MarkdownStream()
    at = index = 0
    while at < len(text):
        at += steps[index % len(steps)]
        index += 1
        stream.update(text[:at])
    assert stream.update(text) == segments(text)


@settings(deadline=None)
@given(_TEXTS, _TEXTS, _TEXTS)
def test_a_text_that_changes_anywhere_ends_as_one_that_came_at_once(
    start: str, before: str, after: str
) -> None:
    stream = MarkdownStream()
    stream.update(start + before + start)
    assert stream.update(start + after + start) == segments(start + after + start)


def test_what_cannot_change_any_more_stays_the_same_object() -> None:
    stream = MarkdownStream()
    text = "one\n\n```\ncode\n```\n\ntwo\n\n| a |\n|---|\n| 1 |\n\n"
    first = stream.update(text + "three\n")
    second = stream.update(text + "three\nand more")
    assert [a is b for a, b in zip(first, second, strict=True)] == [True, True, True, True, False]


def test_the_items_of_a_long_list_are_not_parsed_again() -> None:
    stream = MarkdownStream()
    text = "".join(f"{n}. item\n" for n in range(3, 40))
    whole = stream.update(text)
    assert [segment.blocks for segment in whole[:-1]] == [6] * 6
    assert '<ol start="39">' in whole[-1].html
    assert stream.update(text + "40. item\n")[0] is whole[0]


def test_what_is_beyond_the_limit_comes_as_plain_text() -> None:
    text = "word " * 50_000
    shown = segments(text)
    assert [segment.kind for segment in shown] == ["prose"] + ["plain"] * 3
    assert "".join(segment.source for segment in shown) == text
