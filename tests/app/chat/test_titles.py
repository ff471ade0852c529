import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.chat.titles import MAX_TITLE_CHARS, title_from


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Hello", "Hello"),
        ("\n\n  Two   words \nsecond line", "Two words"),
        ("# A heading", "A heading"),
        ("- a point", "a point"),
        ("---", "---"),
        ("", ""),
        (
            "Please write a friendly letter to the landlord about the broken heating",
            "Please write a friendly letter to the landlord about the…",
        ),
        ("x" * 100, "x" * 59 + "…"),
    ],
)
def test_the_first_line_is_the_title(text: str, title: str) -> None:
    assert title_from(text) == title


@given(st.text())
def test_a_title_is_one_short_line_and_says_something_if_the_text_does(text: str) -> None:
    title = title_from(text)
    assert len(title) <= MAX_TITLE_CHARS
    assert len(title.splitlines()) <= 1
    assert bool(title) == bool(text.strip())
