"""Drafts by n-grams."""

from inference.drafts import DRAFT_TOKENS, Drafter


def test_what_followed_the_same_words_is_proposed() -> None:
    drafter = Drafter([1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4])

    assert drafter.propose(DRAFT_TOKENS) == [5, 6, 7, 8]
    assert drafter.propose(2) == [5, 6]


def test_the_latest_occurrence_counts() -> None:
    drafter = Drafter([1, 2, 3, 4, 5, 1, 2, 3, 4, 6, 1, 2, 3, 4])

    assert drafter.propose(1) == [6]


def test_new_words_propose_nothing() -> None:
    assert Drafter([1, 2, 3, 4]).propose(DRAFT_TOKENS) == []
    assert Drafter([]).propose(DRAFT_TOKENS) == []


def test_drafts_that_miss_stop_and_drafts_that_hit_go_on() -> None:
    missing = Drafter([1, 2, 3, 4, 5, 1, 2, 3, 4])
    hitting = Drafter([1, 2, 3, 4, 5, 1, 2, 3, 4])
    for _ in range(3):
        missing.judge(0)
        hitting.judge(DRAFT_TOKENS)

    assert missing.propose(1) == []
    assert hitting.propose(1) == [5]
