import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.chat.context import Fitted, fit
from inference.errors import ContextOverflow
from inference.types import ChatMessage

SYSTEM = "be brief"


def count(messages: tuple[ChatMessage, ...]) -> int:
    return sum(4 + len(message.content.split()) for message in messages)


def conversation(*lengths: int) -> list[ChatMessage]:
    """Return question, answer, question ... with so many words each."""
    return [
        ChatMessage("user" if index % 2 == 0 else "assistant", f"m{index} " * length)
        for index, length in enumerate(lengths)
    ]


def fitted(history: list[ChatMessage], *, limit: int, reserve: int = 0, first: int = 0) -> Fitted:
    return fit(
        SYSTEM,
        history,
        limit_tokens=limit,
        reserve_tokens=reserve,
        count=count,
        first_seen=first,
    )


def test_all_is_seen_while_it_fits() -> None:
    history = conversation(10, 10, 10)
    result = fitted(history, limit=100)
    assert result.messages == (ChatMessage("system", SYSTEM), *history)
    assert (result.first_seen, result.used_tokens) == (0, 48)


def test_the_oldest_turns_leave_in_one_large_step() -> None:
    history = conversation(*[10] * 41)
    result = fitted(history, limit=580, reserve=20)
    assert result.first_seen == 22
    assert result.used_tokens <= 280
    assert history[result.first_seen].role == "user"


def test_the_cut_stays_until_the_next_one_is_needed() -> None:
    history = conversation(*[10] * 41)
    cuts: set[int] = set()
    for end in range(21, 42, 2):
        cut = max(cuts, default=0)
        cuts.add(fitted(history[:end], limit=350, first=cut).first_seen)
    assert len(cuts) == 3


def test_the_turn_before_is_kept_where_it_fits_even_if_it_is_long() -> None:
    history = conversation(50, 50, 200, 10, 5)
    assert fitted(history, limit=300).first_seen == 2


def test_a_long_turn_that_does_not_fit_with_the_question_leaves() -> None:
    history = conversation(50, 50, 290, 10, 5)
    assert fitted(history, limit=300).first_seen == 4


def test_a_question_that_cannot_fit_says_by_how_much() -> None:
    with pytest.raises(ContextOverflow) as caught:
        fitted(conversation(5, 5, 300), limit=200, reserve=50)
    assert caught.value.facts == {"needed_tokens": 310, "limit_tokens": 150}


def test_a_huge_history_is_not_counted_whole_again_and_again() -> None:
    history = conversation(*[10] * 20_001)
    counted: list[int] = []

    def counting(messages: tuple[ChatMessage, ...]) -> int:
        counted.append(len(messages))
        return count(messages)

    fit(SYSTEM, history, limit_tokens=1000, reserve_tokens=100, count=counting)
    assert len(counted) < 15
    assert sum(counted[1:]) < 600


@given(
    lengths=st.lists(st.integers(0, 60), min_size=1, max_size=60),
    limit=st.integers(20, 600),
    reserve=st.integers(0, 100),
    first=st.integers(0, 30),
)
def test_the_budget_is_kept_and_the_question_is_always_seen(
    lengths: list[int], limit: int, reserve: int, first: int
) -> None:
    assume(len(lengths) % 2 == 1)
    history = conversation(*lengths)
    first = min(first * 2, len(history) - 1)
    question = (ChatMessage("system", SYSTEM), history[-1])
    if count(question) > limit - reserve:
        with pytest.raises(ContextOverflow):
            fitted(history, limit=limit, reserve=reserve, first=first)
        return
    result = fitted(history, limit=limit, reserve=reserve, first=first)
    assert result.used_tokens == count(result.messages) <= limit - reserve
    assert result.messages == (ChatMessage("system", SYSTEM), *history[result.first_seen :])
    assert first <= result.first_seen < len(history)
    assert history[result.first_seen].role == "user"
    if result.first_seen > first:
        longer = (ChatMessage("system", SYSTEM), *history[first:])
        assert count(longer) > limit - reserve, "nothing leaves without need"
