"""Marks become links, and only marks do."""

import re

from hypothesis import given
from hypothesis import strategies as st

from ui.markdown import marks
from ui.markdown.stream import segments

LINK = re.compile(r'href="([^"]*)"')


def html_of(text: str, *places: tuple[int, int]) -> str:
    return "".join(segment.html for segment in segments(marks.insert(text, places)))


def test_a_number_stands_where_the_citation_says() -> None:
    text = "Costs fell. Sales **rose.**"
    html = html_of(text, (11, 1), (text.index("**", 20), 2))
    assert re.search(
        r'Costs fell\.&#8202;<a class="mark" href="snug-source:1">\[1\]</a> Sales', html
    )
    assert re.search(r'rose\.&#8202;<a class="mark" href="snug-source:2">\[2\]</a></b>', html)


def test_a_place_in_brackets_becomes_the_link_itself() -> None:
    text = "- Costs fell. (p. 12)"
    html = html_of(text, (text.index("("), 3))
    assert '(<a href="snug-source:3">p. 12</a>)' in html


def test_a_citation_that_stands_nowhere_is_left_out() -> None:
    assert "snug-source" not in html_of("Costs fell.", (-1, 1), (99, 2))


def test_code_and_addresses_are_not_torn_apart() -> None:
    text = "```\ncosts = 1\n```\n\n[see](https://a.example/x)"
    (code, prose) = segments(marks.insert(text, ((10, 1), (text.index("example"), 2))))
    assert code.text == "costs = 1"
    assert LINK.findall(prose.html) == ["https://a.example/x", "snug-source:2"]


@given(st.text(alphabet=st.sampled_from("snug-source:1[](<>\"'\ufdd0\ufdd1\ufdd2\ufdd3\ufdd4 \n")))
def test_no_text_of_a_model_makes_such_a_link(text: str) -> None:
    assert "snug-source:" not in "".join(LINK.findall(html_of(text)))


@given(
    st.text(max_size=80), st.lists(st.tuples(st.integers(-2, 90), st.integers(1, 9)), max_size=4)
)
def test_only_numbers_that_were_given_are_linked(text: str, places: list[tuple[int, int]]) -> None:
    linked = {
        marks.number_of(url)
        for url in LINK.findall(html_of(text, *places))
        if url.startswith(marks.SCHEME)
    }
    assert linked <= {number for _, number in places}


def test_only_snugs_own_addresses_have_numbers() -> None:
    assert marks.number_of("snug-source:12") == 12
    assert marks.number_of("https://a.example/12") is None
    assert marks.number_of("snug-source:x") is None
    assert marks.number_of("snug-source:") is None


def test_sentences_that_count_are_bold_and_nothing_is_markup() -> None:
    html = marks.emphasized("A <b>. Costs fell & rose.\nB", ("Costs fell & rose.",))
    assert html == "A &lt;b&gt;. <b>Costs fell &amp; rose.</b><br>B"
