"""The check says the same as the standard library's reader, only in small steps."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.models import json_check
from inference.errors import ModelDamaged

_VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(max_size=5),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=20,
)


def is_json(body: bytes) -> bool:
    try:
        json_check.check(body, "tokenizer.json")
    except ModelDamaged:
        return False
    return True


def is_json_to_the_standard_library(body: bytes) -> bool:
    def refuse(_: str) -> None:
        raise ValueError

    try:
        json.loads(body.decode(), parse_constant=refuse)
    except ValueError:
        return False
    return True


@given(value=_VALUES, indent=st.sampled_from([None, 0, 2]), is_ascii=st.booleans())
def test_what_was_written_is_json(value: Any, indent: int | None, *, is_ascii: bool) -> None:
    assert is_json(json.dumps(value, indent=indent, ensure_ascii=is_ascii).encode())


@settings(deadline=None, max_examples=500)
@given(data=st.data())
def test_what_was_changed_is_judged_as_the_standard_library_does(data: st.DataObject) -> None:
    body = json.dumps(data.draw(_VALUES), ensure_ascii=False).encode("utf-8", "replace")
    at = data.draw(st.integers(0, len(body)))
    new = data.draw(
        st.sampled_from(
            [
                *(bytes([byte]) for byte in b'{}[],:" \t\n\\-+.0123eEtfnu\x00\x1f\x7f\xff'),
                b"",
                b"null",
            ]
        )
    )
    body = body[:at] + new + body[at + data.draw(st.integers(0, 2)) :]

    assert is_json(body) == is_json_to_the_standard_library(body)


@settings(deadline=None, max_examples=500)
@given(st.text(alphabet='{}[],:"\\u0e1-. ntrfalse', max_size=12))
def test_short_texts_are_judged_as_the_standard_library_does(text: str) -> None:
    assert is_json(text.encode()) == is_json_to_the_standard_library(text.encode())


def test_a_vocabulary_with_merges_of_both_kinds_is_json() -> None:
    vocabulary = {f"token {number} \"'\\ü\n": number for number in range(3000)}
    merges = [[f"a{number}", "b"] for number in range(3000)]
    old = [f"a{number} b" for number in range(3000)]
    whole = {"model": {"vocab": vocabulary, "merges": merges, "old": old}, "version": "1.0"}
    body = json.dumps(whole).encode()

    assert is_json(body)
    assert not is_json(body[:-1])
    assert not is_json(body + b"]")
    assert not is_json(body.replace(b'"a2999", "b"', b'"a2999" "b"'))


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"a":'])
def test_nesting_ends(opening: bytes) -> None:
    assert not is_json(opening * 300_000)
