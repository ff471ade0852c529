"""Drafts by n-grams."""

from hypothesis import given
from hypothesis import strategies as st

from inference.drafts import Drafter, StepCosts

SOURCE = [1, 2, 3, 4, 5, 6, 7, 8, 9]


def drafter(ids: list[int]) -> Drafter:
    return Drafter(ids, StepCosts())


def say(drafting: Drafter, ids: list[int]) -> None:
    for token_id in ids:
        drafting.push(token_id)


def test_what_followed_the_same_words_is_proposed() -> None:
    drafting = drafter([*SOURCE, 1, 2, 3, 4, 5])

    assert drafting.propose(7)[:2] == [6, 7]
    assert drafting.propose(1) == [6]
    assert drafting.propose(0) == []


def test_the_longest_match_counts_and_of_equals_the_latest() -> None:
    longer = [7, 1, 2, 3, 8, 0, 0, 1, 2, 3, 9, 0, 7, 1, 2, 3]
    equal = [0, 1, 2, 3, 4, 0, 1, 2, 3, 6, 0, 1, 2, 3]

    assert drafter(longer).propose(1) == [8]
    assert drafter(equal).propose(1) == [6]


def test_new_words_propose_nothing() -> None:
    assert drafter([1, 2, 3, 4]).propose(7) == []
    assert drafter([]).propose(7) == []


def test_drafts_grow_while_they_come_true() -> None:
    source = list(range(100, 200))
    drafting = drafter([*source, *source[:4]])
    first = len(drafting.propose(7))
    say(drafting, source[4:40])

    assert 0 < first < len(drafting.propose(7)) == 7


def test_drafts_that_miss_stop_and_come_back_where_the_answer_quotes() -> None:
    source = list(range(100, 200))
    lures = [number for begin in range(100, 160, 3) for number in (*range(begin, begin + 3), 0)]
    drafting = drafter(source)
    say(drafting, lures)
    say(drafting, [*source[:3]])
    assert drafting.propose(7) == []

    say(drafting, source[3:40])
    assert len(drafting.propose(7)) > 2


def test_no_draft_is_made_where_more_tokens_cost_as_much_as_one_by_one() -> None:
    dear = StepCosts()
    for tokens in range(1, 9):
        for _ in range(60):
            dear.measured(tokens, 0.01 * tokens)
    source = list(range(100, 200))

    assert Drafter([*source, *source[:20]], dear).propose(7) == []


def test_calls_that_something_held_up_hardly_change_a_cost() -> None:
    costs = StepCosts()
    costs.measured(4, 0.040)  # the first of its size
    for _ in range(60):
        costs.measured(1, 0.010)
        costs.measured(4, 0.015)
    costs.measured(4, 2.0)
    costs.measured(4, 0.030)

    assert abs(costs.of(4) - 1.5) < 0.15


@given(ids=st.lists(st.integers(0, 4), max_size=60), limit=st.integers(0, 7))
def test_a_proposal_is_what_followed_there(ids: list[int], limit: int) -> None:
    proposed = drafter(ids).propose(limit)

    assert len(proposed) <= limit
    if proposed:
        wanted = [*ids[-2:], *proposed]
        assert any(ids[at : at + len(wanted)] == wanted for at in range(len(ids)))
