"""A wheel is read as a zip by somebody who trusts nothing in it."""

import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.models import wheels
from tests.wheelhouse import Wheelhouse, make_wheelhouse

_TAIL_BYTES = 700  # the directory of these zips


@pytest.fixture
def small(tmp_path: Path) -> Wheelhouse:
    return make_wheelhouse(tmp_path / "wheels", bytes(range(256)) * 8, parts=1)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    changes=st.lists(st.tuples(st.integers(0, _TAIL_BYTES), st.integers(0, 255)), max_size=4),
    cut=st.integers(0, 40),
)
def test_whatever_is_wrong_with_a_wheel_it_is_damaged_or_right(
    changes: list[tuple[int, int]], cut: int, small: Wheelhouse, tmp_path: Path
) -> None:
    content = bytearray(small.wheels[0].read_bytes())
    for place, value in changes:
        content[-1 - place % len(content)] = value
    wheel = tmp_path / "changed.whl"
    wheel.write_bytes(content[: len(content) - cut])
    (part,) = small.entry.parts
    wheels.holds(wheel, part)
    try:
        wheels.find_parts(wheel, [small.entry])
        assert b"".join(wheels.read_part(wheel, part)) == small.data
    except wheels.WheelDamaged:
        pass


def test_a_member_of_another_size_is_not_unpacked(small: Wheelhouse) -> None:
    (part,) = small.entry.parts
    with zipfile.ZipFile(small.wheels[0], "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr(part.member, bytes(50_000_000))
    assert not wheels.holds(small.wheels[0], part)
    with pytest.raises(wheels.WheelDamaged):
        next(wheels.read_part(small.wheels[0], part))


def test_a_compression_of_another_kind_is_not_tried(small: Wheelhouse) -> None:
    (part,) = small.entry.parts
    with zipfile.ZipFile(small.wheels[0], "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr(part.member, small.data)
    assert not wheels.holds(small.wheels[0], part)
