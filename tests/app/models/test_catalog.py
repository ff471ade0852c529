"""The catalog says what is fetched; a mistake in it must not reach anybody."""

import copy
import json
from importlib.resources import files
from typing import Any

import pytest

from app.models.catalog import CatalogBroken, entries, parse

DOCUMENT: dict[str, Any] = json.loads(
    files("resources").joinpath("catalog.json").read_text(encoding="utf-8")
)


def test_starter_and_standard_are_pinned() -> None:
    starter, standard = entries()
    assert (starter.id, starter.sha256, starter.file_bytes) == (
        "starter",
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        98_362_432,
    )
    assert (standard.id, standard.sha256, standard.file_bytes, len(standard.parts)) == (
        "standard",
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        1_117_320_768,
        22,
    )


def test_the_starter_does_not_promise_what_it_cannot_do() -> None:
    starter = entries()[0]
    assert "often wrong" in starter.about
    assert "cannot write summaries" in starter.about


def test_every_entry_has_a_licence_and_honest_limits() -> None:
    assert all(entry.licence and entry.not_for for entry in entries())


@pytest.mark.parametrize("field", sorted(DOCUMENT["models"][0]))
def test_a_missing_field_is_named(field: str) -> None:
    broken = copy.deepcopy(DOCUMENT)
    del broken["models"][0][field]
    with pytest.raises(CatalogBroken, match=field):
        parse(broken)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", "../starter"),
        ("id", "Starter"),
        ("sha256", "b179"),
        ("file_bytes", 1),
        ("file_bytes", True),
        ("context_tokens", 0),
        ("parts", "llm"),
        ("languages", [1]),
        ("good_for", []),
    ],
)
def test_a_wrong_value_is_refused(field: str, value: object) -> None:
    broken = copy.deepcopy(DOCUMENT)
    broken["models"][0][field] = value
    with pytest.raises(CatalogBroken, match=field):
        parse(broken)


def test_two_models_cannot_share_an_id() -> None:
    twice = copy.deepcopy(DOCUMENT)
    twice["models"].append(twice["models"][0])
    with pytest.raises(CatalogBroken, match="share"):
        parse(twice)


@pytest.mark.parametrize("document", [None, [], {}, {"format": 2, "models": []}])
def test_a_document_of_another_kind_is_refused(document: object) -> None:
    with pytest.raises(CatalogBroken):
        parse(document)
