"""The texts are those that their makers published, to the letter."""

import hashlib
from importlib.metadata import files as files_of

import pytest

from app.models.catalog import entries
from app.models.hub_catalog import hub_entries
from app.models.licences import licence, licence_text

# Of https://www.apache.org/licenses/LICENSE-2.0.txt
_APACHE_SHA256 = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"


def test_the_apache_license_is_the_published_text() -> None:
    text = licence_text("Apache-2.0")
    assert text is not None
    assert hashlib.sha256(text.encode()).hexdigest() == _APACHE_SHA256


def test_the_mit_license_is_the_one_of_a_package_with_its_holder_left_open() -> None:
    (file,) = (each for each in files_of("gguf") or () if each.name == "LICENSE")
    installed = file.read_text(encoding="utf-8")
    ours = licence_text("mit")
    assert ours is not None
    beginning = "Permission is hereby granted"
    assert ours.partition(beginning)[2].split() == installed.partition(beginning)[2].split()
    assert "Copyright (c) <year> <copyright holders>" in ours


@pytest.mark.parametrize("licence_id", ["llama3.2", "gemma"])
def test_a_maker_s_own_licence_is_named_and_not_carried(licence_id: str) -> None:
    known = licence(licence_id)
    assert known is not None
    assert known.address.startswith("https://")
    assert licence_text(licence_id) is None


@pytest.mark.parametrize("licence_id", ["", "other", "../catalog", "apache-2.0.txt"])
def test_nothing_is_said_of_an_unknown_licence(licence_id: str) -> None:
    assert (licence(licence_id), licence_text(licence_id)) == (None, None)


def test_every_licence_of_the_catalog_is_known() -> None:
    wanted = {entry.licence for entry in entries()} | {entry.licence for entry in hub_entries()}
    assert {each for each in wanted if licence(each) is None} == set()
