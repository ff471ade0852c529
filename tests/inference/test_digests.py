"""A sealed object shows a damaged byte wherever it is."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference import int8_record
from inference.digests import FileDigest, sealed, unsealed
from inference.int8_record import Int8Record

_BODY = b'{"type": "Int8Record", "kl": 0.002, "name": "a \xc3\xbc, \\"checksum\\""}'


def test_what_was_sealed_is_one_object_and_comes_back() -> None:
    raw = sealed(_BODY)

    assert unsealed(raw) == _BODY
    assert list(json.loads(raw)) == ["type", "kl", "name", "checksum"]


def test_what_was_never_sealed_is_left_as_it_is() -> None:
    assert unsealed(_BODY) == _BODY


@given(data=st.data())
def test_one_changed_byte_breaks_the_seal_or_makes_it_an_unknown_field(data: st.DataObject) -> None:
    raw = sealed(_BODY)
    at = data.draw(st.integers(0, len(raw) - 1))
    other = data.draw(st.integers(0, 255).filter(lambda byte: byte != raw[at]))
    changed = raw[:at] + bytes([other]) + raw[at + 1 :]
    try:
        body = unsealed(changed)
    except ValueError:
        return
    try:
        fields = json.loads(body)
    except ValueError:
        return
    assert set(fields) - {"type", "kl", "name"}


@pytest.mark.parametrize("at", range(0, 220, 7))
def test_a_damaged_record_of_the_small_cache_is_as_none(at: int, tmp_path: Path) -> None:
    folder = tmp_path
    runtime = {"runtime": "1.0"}
    record = Int8Record(runtime, 0.001, FileDigest("ab" * 32, 64))
    raw = bytearray(sealed(int8_record.CODEC.encode(record)))
    (folder / int8_record.RECORD_FILE).write_bytes(raw)
    assert int8_record.read(folder, runtime) == record

    raw[at] ^= 1
    (folder / int8_record.RECORD_FILE).write_bytes(raw)
    assert int8_record.read(folder, runtime) is None
