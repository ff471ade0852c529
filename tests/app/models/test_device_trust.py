"""Verdicts on devices, and what they hold for."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from app.models.device_trust import DeviceTrust, Entry

ENTRY = Entry("WebGpuExecutionProvider", "webgpu 0.4.0", "amdgpu 6.1", "AMD GPU", "standard")


@pytest.fixture
def trust(tmp_path: Path) -> DeviceTrust:
    return DeviceTrust(tmp_path / "data" / "devices.json")


def test_a_verdict_is_found_again_by_another_program(trust: DeviceTrust, tmp_path: Path) -> None:
    trust.note(replace(ENTRY, tokens_per_s=12.5))

    found = DeviceTrust(tmp_path / "data" / "devices.json").find(ENTRY)

    assert found == replace(ENTRY, tokens_per_s=12.5)


@pytest.mark.parametrize("field", ["provider", "plugin", "driver", "device", "model_id"])
def test_a_verdict_holds_for_nothing_else(trust: DeviceTrust, field: str) -> None:
    trust.note(replace(ENTRY, reason="its driver refused the model"))

    assert trust.find(Entry(**{**asdict(ENTRY), field: "another"})) is None


def test_a_new_verdict_takes_the_place_of_the_old_one(trust: DeviceTrust) -> None:
    trust.note(replace(ENTRY, reason="its driver refused the model"))
    trust.note(replace(ENTRY, tokens_per_s=3.0))

    assert trust.entries() == (replace(ENTRY, tokens_per_s=3.0),)


def test_a_device_is_forgotten_with_every_driver_and_model(trust: DeviceTrust) -> None:
    other = replace(ENTRY, device="Intel NPU")
    for entry in (ENTRY, replace(ENTRY, driver="new", model_id="starter"), other):
        trust.note(entry)

    trust.forget(ENTRY.provider, ENTRY.device)

    assert trust.entries() == (other,)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"\xff",
        b'{"format": 2, "devices": []}',
        b'{"format": 1, "devices": {}}',
        b'{"format": 1, "devices": [7, {"provider": "x"}]}',
    ],
)
def test_a_file_that_says_nothing_is_no_error(
    trust: DeviceTrust, tmp_path: Path, content: bytes
) -> None:
    trust.note(ENTRY)
    (tmp_path / "data" / "devices.json").write_bytes(content)

    assert trust.entries() == ()
    trust.note(ENTRY)
    assert trust.entries() == (ENTRY,)


def test_one_damaged_entry_leaves_the_others(trust: DeviceTrust, tmp_path: Path) -> None:
    trust.note(ENTRY)
    file = tmp_path / "data" / "devices.json"
    body = json.loads(file.read_bytes())
    body["devices"].append({**body["devices"][0], "reason": 7})
    file.write_text(json.dumps(body), "utf-8")

    assert trust.entries() == (ENTRY,)


def test_a_folder_that_cannot_be_written_costs_nothing_but_the_note(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file and no folder")
    trust = DeviceTrust(tmp_path / "data" / "devices.json")

    trust.note(ENTRY)

    assert trust.entries() == ()
