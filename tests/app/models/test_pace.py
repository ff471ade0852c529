"""Speed is that of the last seconds, and time left follows from it."""

import pytest

from app.models.pace import Pace


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_speed_is_measured_over_the_last_seconds() -> None:
    clock = Clock()
    pace = Pace(clock)
    assert pace.bytes_per_s == 0
    assert pace.seconds_left(1000) is None
    done = 0
    for _ in range(60):  # ten slow seconds are forgotten after ten fast ones
        clock.now += 1 / 6
        done += 10
        pace.note(done)
    for _ in range(60):
        clock.now += 1 / 6
        done += 100
        pace.note(done)
    assert pace.bytes_per_s == pytest.approx(600, rel=0.01)
    assert pace.seconds_left(6000) == pytest.approx(10, rel=0.01)


def test_a_start_says_nothing_yet_and_bytes_that_were_there_count_for_nothing() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.note(1_000_000)  # resumed
    clock.now += 0.5
    pace.note(1_000_100)
    assert pace.bytes_per_s == 0
    clock.now += 0.5
    pace.note(1_000_200)
    assert pace.bytes_per_s == pytest.approx(200)


def test_a_fetch_that_begins_anew_begins_anew() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.note(0)
    clock.now += 2
    pace.note(5000)
    clock.now += 2
    pace.note(10)
    assert pace.bytes_per_s == 0
