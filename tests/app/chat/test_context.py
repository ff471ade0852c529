import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.chat.context import Fitted, fit, next_cut
from app.chat.history import Told
from app.chat.outlook import Covered, Outlook, recall
from app.chat.values import RunningSummary
from app.errors import ContextFull
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


def outlook(history: list[ChatMessage], first: int = 0, *covered: Covered) -> Outlook:
    told = tuple(Told(f"id{index}", message) for index, message in enumerate(history))
    return Outlook(SYSTEM, told, first, covered)


def fitted(
    history: list[ChatMessage],
    *covered: Covered,
    limit: int,
    reserve: int = 0,
    first: int = 0,
    may_cut: bool = True,
) -> Fitted:
    return fit(
        outlook(history, first, *covered),
        budget_tokens=limit - reserve,
        count=count,
        may_cut=may_cut,
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

    fit(outlook(history), budget_tokens=900, count=counting)
    assert len(counted) < 15
    assert sum(counted[1:]) < 600


def test_where_a_person_is_to_be_asked_nothing_leaves() -> None:
    history = conversation(*[10] * 41)
    with pytest.raises(ContextFull) as caught:
        fitted(history, limit=580, reserve=20, may_cut=False)
    assert caught.value.facts == {"needed_tokens": 41 * 14 + 6, "limit_tokens": 560}
    assert fitted(history, limit=600, may_cut=False).first_seen == 0


def test_a_question_that_cannot_fit_is_no_matter_of_asking() -> None:
    with pytest.raises(ContextOverflow):
        fitted(conversation(5, 5, 300), limit=200, may_cut=False)


def covers(index: int, words: int = 5) -> Covered:
    return Covered(index, RunningSummary(f"id{index}", "sum " * words))


def test_a_cut_with_a_summary_goes_before_a_larger_one() -> None:
    history = conversation(*[10] * 41)
    result = fitted(history, covers(8), limit=580, reserve=20)
    assert result.first_seen == 8
    assert result.messages[1].content == f"{recall('sum ' * 5)}\n\n{history[8].content}"
    assert result.messages[2:] == tuple(history[9:])


def test_a_summary_that_covers_too_little_does_not_hold_up_a_cut_and_is_told_all_the_same() -> None:
    history = conversation(*[10] * 81)
    result = fitted(history, covers(8), limit=580, reserve=20)
    assert result.first_seen > 8
    assert result.messages[1].content.startswith(recall("sum " * 5))
    assert result.used_tokens <= 280


def test_of_two_summaries_the_one_up_to_the_cut_is_told() -> None:
    history = conversation(*[10] * 21)
    told = fitted(history, covers(4, 1), covers(12, 2), limit=1000, first=4).messages
    assert told[1].content.startswith(recall("sum "))
    told = fitted(history, covers(4, 1), covers(12, 2), limit=250, first=4).messages
    assert told[1].content.startswith(recall("sum sum "))
    assert told[2:] == tuple(history[13:])


def test_the_next_cut_is_known_before_it_is_needed() -> None:
    assert next_cut(outlook(conversation(*[10] * 20)), rest_tokens=200, count=count) == 8
    assert next_cut(outlook(conversation(10)), rest_tokens=200, count=count) == 0
    assert next_cut(outlook(conversation(10, 10, 500)), rest_tokens=200, count=count) == 0


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
