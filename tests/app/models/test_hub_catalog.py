"""The hub's part of the catalog: true to its sources, and found by what people type."""

import copy
import json
from typing import Any

import pytest

from app.models import catalog
from app.models.catalog import CatalogBroken
from app.models.hub_catalog import hub_entries, parse, repository_of, search


@pytest.fixture
def document() -> Any:
    return copy.deepcopy(catalog.document())


def test_the_shipped_models_are_of_office_size_and_in_order() -> None:
    found = hub_entries()
    assert len(found) >= 12
    sizes = [entry.parameters for entry in found]
    assert sizes == sorted(sizes)
    assert sizes[0] >= 100_000_000
    assert sizes[-1] <= 15_000_000_000
    assert not {entry.id for entry in found} & {entry.id for entry in catalog.entries()}


@pytest.mark.parametrize(
    "field", ["sha256", "commit", "revision", "bytes", "disk_bytes", "file_bytes", "files"]
)
def test_what_only_the_hub_can_say_is_refused(document: Any, field: str) -> None:
    document["hub"][0][field] = "0" * 64
    with pytest.raises(CatalogBroken, match=field):
        parse(document)


def test_no_number_like_a_hash_or_a_commit_is_in_it(document: Any) -> None:
    for entry in document["hub"]:
        body = {key: value for key, value in entry.items() if key != "sources"}
        words = json.dumps(body).replace('"', " ").split()
        assert not [word for word in words if len(word) >= 40 and "/" not in word]


@pytest.mark.parametrize("field", ["licence", "parameters", "layers", "repository", "is_gated"])
@pytest.mark.parametrize("source", [None, "", "somebody said so", "http://example.org/"])
def test_a_field_without_a_source_is_refused(document: Any, field: str, source: Any) -> None:
    document["hub"][0]["sources"][field] = source
    with pytest.raises(CatalogBroken, match=field):
        parse(document)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("quality", "superb"),
        ("repository", "no-owner"),
        ("repository", "a/../b"),
        ("folder", None),
        ("is_gated", "no"),
        ("layers", 0),
        ("id", "Not an id"),
        ("good_for", []),
    ],
)
def test_a_field_that_cannot_be_is_named(document: Any, field: str, value: Any) -> None:
    document["hub"][0][field] = value
    with pytest.raises(CatalogBroken, match=field):
        parse(document)


def test_search_takes_beginnings_of_words_in_any_order_case_and_accent() -> None:
    def ids(text: str) -> list[str]:
        return [entry.id for entry in search(text, hub_entries())]

    assert ids("MINI phi") == ["phi-3-mini-4k", "phi-3-mini-128k", "phi-3.5-mini", "phi-4-mini"]
    assert ids("Phî-4") == ["phi-4-mini"]
    assert "llama-3.2-3b" in ids("letters")
    assert "llama-3.2-3b" in ids("german everyday")
    assert "phi-3-mini-4k" not in ids("German")
    assert ids("nothing of the kind") == []
    assert len(ids("")) == len(hub_entries())


@pytest.mark.parametrize(
    ("text", "repository"),
    [
        ("microsoft/Phi-4-mini-instruct-onnx", "microsoft/Phi-4-mini-instruct-onnx"),
        ("  acme/tiny ", "acme/tiny"),
        ("https://huggingface.co/acme/tiny", "acme/tiny"),
        ("https://huggingface.co/acme/tiny/tree/main/cpu", "acme/tiny"),
        ("huggingface.co/acme/tiny?library=x", "acme/tiny"),
        ("phi 4 mini", ""),
        ("../tiny", ""),
        ("acme/../tiny", ""),
        ("acme/", ""),
        ("", ""),
    ],
)
def test_a_repository_is_known_as_typed_or_pasted(text: str, repository: str) -> None:
    assert repository_of(text) == repository


def test_the_cache_of_a_token_follows_from_the_shape() -> None:
    llama = next(entry for entry in hub_entries() if entry.id == "llama-3.2-1b")
    # 16 layers, keys and values, 8 heads of 64 numbers of 4 bytes.
    assert llama.kv_bytes_per_token == 16 * 2 * 8 * 64 * 4
