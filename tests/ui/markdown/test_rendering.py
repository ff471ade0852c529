"""What a model writes cannot make the window load, run or misread anything."""

from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ui.markdown.links import is_allowed
from ui.markdown.stream import segments
from ui.markdown.values import Segment

_TAGS = {
    *("p", "br", "b", "i", "s", "a", "code", "pre", "ul", "ol", "li", "blockquote", "hr"),
    *("table", "thead", "tbody", "tr", "th", "td", "h1", "h2", "h3", "h4", "h5", "h6"),
}
_ATTRIBUTES = {"href", "start", "align", "width", "cellspacing", "cellpadding"}


class _Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name == "href"]


def _see(html: str) -> _Seen:
    seen = _Seen()
    seen.feed(html)
    return seen


def _html(text: str) -> str:
    return "".join(segment.html for segment in segments(text))


def _only(text: str) -> Segment:
    (segment,) = segments(text)
    return segment


_HOSTILE = st.lists(
    st.sampled_from(
        [
            "<img src=x>",
            "![a](",
            "[a](",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "smb://host/x",
            "data:text/html,x",
            "https://ok.example",
            ")",
            " ",
            "\n",
            "<script>",
            "<",
            ">",
            '"',
            "'",
            "&lt;",
            "<https://ok.example>",
            "<javascript:x>",
            "`",
            "|",
            "|-|\n",
            "JaVaScRiPt:",
            "\t",
            "[b]: javascript:x\n",
            "[b]",
            "\\",
            "&#106;avascript:",
            "mailto:a@b.example",
            "onload=x",
        ]
    ),
    max_size=25,
).map("".join)


@settings(deadline=None)
@given(_HOSTILE | st.text(max_size=200))
def test_no_text_yields_anything_but_the_few_tags_and_allowed_links(text: str) -> None:
    seen = _see(_html(text))
    assert seen.tags <= _TAGS
    assert seen.attributes <= _ATTRIBUTES
    assert all(is_allowed(link) for link in seen.links)


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "file:///etc/passwd", "smb://host/share", "ms-msdt:/id", "data:x", "x"],
)
def test_a_link_that_is_not_allowed_stays_text(url: str) -> None:
    assert "<a" not in _html(f"[click]({url})")
    assert url in _html(f"[click]({url})")


def test_an_image_becomes_words() -> None:
    assert _html("![the alt](https://a.example/x.png)") == "<p>[image: the alt]</p>"


def test_html_is_shown_and_not_obeyed() -> None:
    assert _html("<img src=x> <b>") == "<p>&lt;img src=x&gt; &lt;b&gt;</p>"


def test_escape_sequences_and_control_characters_are_gone() -> None:
    assert _html("a\x1b[31mred\x1b[0m\x07b") == "<p>aredb</p>"


def test_characters_that_turn_the_direction_round_are_visible() -> None:
    assert _html("a\u202eb") == "<p>a‹U+202E›b</p>"


def test_a_fence_is_code_with_its_language_and_knows_whether_it_has_ended() -> None:
    code = _only("```Python title=x\nprint(1)\n```\n")
    assert (code.kind, code.language, code.text, code.is_closed) == (
        "code",
        "python",
        "print(1)",
        True,
    )
    assert not _only("```\nprint(1)").is_closed
    assert not _only("```").is_closed


def test_a_table_has_aligned_cells() -> None:
    table = _only("| a | b |\n|:--|--:|\n| 1 | 2 |")
    assert table.kind == "table"
    assert '<td align="left">1</td><td align="right">2</td>' in table.html


def test_a_huge_table_becomes_code() -> None:
    table = _only("|a|b|\n|-|-|\n" + "|1|2|\n" * 1_100)
    assert table.kind == "code"
    assert table.text.count("\n") == 1_101


def test_what_is_nested_too_deep_is_shown_as_it_is() -> None:
    text = "> " * 30 + "deep"
    assert _only(text).kind == "code"
    assert _only(text).text == text


def test_a_long_run_gets_places_to_break() -> None:
    assert "\u200b" in _html("x" * 2_001)
    assert "\u200b" not in _html("x" * 2_000)


def test_an_item_stands_beside_its_bullet_and_boxes_are_drawn() -> None:
    assert _html("- [x] done\n- [ ] open\n") == "<ul><li>☑ done</li></ul><ul><li>☐ open</li></ul>"


def test_items_keep_counting_across_pieces() -> None:
    assert _html("3. a\n1. b\n") == '<ol start="3"><li>a</li></ol><ol start="4"><li>b</li></ol>'
