"""Stop strings, however an answer is split."""

from hypothesis import given
from hypothesis import strategies as st

from inference.stopping import StopStrings

_TEXTS = st.text("abc", max_size=30)
_STOPS = st.lists(st.text("abc", min_size=1, max_size=4), max_size=3)


def run(pieces: list[str], stops: list[str]) -> tuple[str, bool]:
    through = StopStrings(stops)
    text = "".join(map(through.push, pieces))
    return text + through.finish(), through.reached


@given(pieces=st.lists(_TEXTS, max_size=8), stops=_STOPS)
def test_the_split_does_not_matter(pieces: list[str], stops: list[str]) -> None:
    text = "".join(pieces)

    assert run(pieces, stops) == run(list(text), stops) == run([text], stops)


@given(pieces=st.lists(_TEXTS, max_size=8), stops=_STOPS)
def test_no_stop_string_is_ever_let_through(pieces: list[str], stops: list[str]) -> None:
    text, reached = run(pieces, stops)

    assert not any(stop in text for stop in stops)
    assert reached == any(stop in "".join(pieces) for stop in stops)
    assert "".join(pieces).startswith(text)
    assert reached or text == "".join(pieces)


def test_what_may_begin_a_stop_string_is_kept_back_until_it_is_decided() -> None:
    through = StopStrings(["\n\nUser:"])

    assert through.push("yes\n") == "yes"
    assert through.push("\nUs") == ""
    assert through.push("e") == ""
    assert through.push("ful") == "\n\nUseful"
    assert through.push("\n\nUser: no") == ""
    assert through.reached
    assert through.push("more") == ""
    assert through.finish() == ""
