"""Ids become folder names, on every system."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.models.naming import id_from, unique


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Qwen2.5 Coder 1.5B Instruct", "qwen2.5-coder-1.5b-instruct"),
        ("../../etc/passwd", "etc-passwd"),
        ("CON", "model-con"),
        ("lpt1.gguf", "model-lpt1.gguf"),
        ("模型", "model"),
        ("", "model"),
    ],
)
def test_an_id_is_readable_and_safe(name: str, expected: str) -> None:
    assert id_from(name) == expected


@given(st.text())
def test_whatever_the_name_the_id_is_a_plain_folder_name(name: str) -> None:
    model_id = id_from(name)
    assert re.fullmatch(r"[a-z0-9]([a-z0-9._-]{0,53}[a-z0-9])?", model_id)
    assert id_from(model_id) == model_id


def test_a_taken_id_gets_a_number() -> None:
    assert unique("gemma", {"gemma", "gemma-2"}) == "gemma-3"
    assert unique("gemma", set()) == "gemma"
