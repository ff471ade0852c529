"""Every error has a sentence and one action, and both can be filled."""

from collections.abc import Iterator
from string import Formatter

import pytest

from app.errors import (
    AppError,
    DocumentError,
    DownloadError,
    SigningKeyError,
    StoreError,
    WrongKey,
)
from app.messages import WORDINGS, describe, describe_code, readable_bytes
from inference.errors import ContextOverflow, InferenceError, ModelDamaged, OutOfMemory

ROOTS: tuple[type[Exception], ...] = (
    InferenceError,
    AppError,
    DocumentError,
    StoreError,
    DownloadError,
    SigningKeyError,
)


def _leaves(cls: type[Exception]) -> Iterator[type[Exception]]:
    for sub in cls.__subclasses__():
        if sub not in ROOTS:
            yield sub
        yield from _leaves(sub)


@pytest.mark.parametrize("cls", [*_leaves(InferenceError), *_leaves(AppError)])
def test_every_error_has_a_wording(cls: type[InferenceError] | type[AppError]) -> None:
    assert cls.code in WORDINGS


def test_every_wording_is_two_sentences_of_plain_text() -> None:
    for code, wordings in WORDINGS.items():
        for message, action in wordings:
            assert message.endswith((".", ")", "?")), code
            assert action.endswith("."), code


def test_only_the_last_wording_of_a_code_may_do_without_facts() -> None:
    for code, wordings in WORDINGS.items():
        for message, action in wordings[:-1]:
            fields = {
                name for text in (message, action) for _, name, _, _ in Formatter().parse(text)
            }
            assert fields - {None}, code


def test_facts_are_shown_with_their_unit() -> None:
    notice = describe(OutOfMemory(needed_bytes=1_500_000_000, free_bytes=200_000_000))
    assert "1.5 GB" in notice.message
    assert "200 MB" in notice.message


def test_a_missing_fact_gives_the_plainer_wording() -> None:
    assert describe(ModelDamaged()).message == "The model is damaged."
    assert "4,096" in describe(ContextOverflow(needed_tokens=9000, limit_tokens=4096)).message


def test_braces_in_a_fact_stay_text() -> None:
    notice = describe_code("document_empty", {"name": "{0.__class__}.pdf"})
    assert notice.message == "{0.__class__}.pdf has no text in it."


def test_a_fault_of_ours_is_named_by_its_kind_only() -> None:
    notice = describe(ValueError("a secret the user typed"))
    assert "ValueError" in notice.message
    assert "secret" not in notice.message


def test_an_unknown_stored_code_is_still_a_sentence() -> None:
    assert describe_code("from_the_future", {}).message


def test_the_window_translates_the_same_text() -> None:
    notice = describe(WrongKey(), lambda text: f"[{text}]")
    assert notice.message == "[This key does not open your conversations.]"


@pytest.mark.parametrize(
    ("count", "shown"),
    [(0, "0 bytes"), (999, "999 bytes"), (98_362_432, "98 MB"), (1_117_320_768, "1.1 GB")],
)
def test_sizes_are_readable(count: int, shown: str) -> None:
    assert readable_bytes(count) == shown
