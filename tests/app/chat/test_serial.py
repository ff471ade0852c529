import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError
from dataclasses import dataclass, field

import pytest

from app.chat.serial import SerialThread

WAIT_S = 10.0


@dataclass
class Heart:
    """Beats as long as it is wanted, and lets a test wait for a beat."""

    is_wanted: bool = False
    beats: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def beat(self) -> None:
        self.beats.release()


@pytest.fixture
def heart() -> Heart:
    return Heart()


@pytest.fixture
def serial(heart: Heart) -> Iterator[SerialThread]:
    serial = SerialThread("test", beat=heart.beat, is_beating=lambda: heart.is_wanted, beat_s=0.005)
    yield serial
    serial.close()


def test_work_is_done_in_the_order_it_came(serial: SerialThread) -> None:
    done: list[int] = []
    for number in range(50):
        serial.post(lambda number=number: done.append(number))  # type: ignore[misc]
    assert serial.submit(lambda: list(done)).result(WAIT_S) == list(range(50))


def test_an_error_belongs_to_who_asked(serial: SerialThread) -> None:
    future = serial.submit(lambda: int("no number"))
    assert isinstance(future.exception(WAIT_S), ValueError)
    assert serial.submit(lambda: 1).result(WAIT_S) == 1


def test_a_bug_in_posted_work_is_reported_and_the_thread_lives_on(
    serial: SerialThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[type[BaseException]] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: reported.append(args.exc_type))
    none: list[int] = []
    serial.post(lambda: none.remove(1))
    assert serial.submit(lambda: 1).result(WAIT_S) == 1
    assert reported == [ValueError]


def test_it_beats_only_while_it_is_wanted_to(serial: SerialThread, heart: Heart) -> None:
    serial.submit(lambda: None).result(WAIT_S)
    assert not heart.beats.acquire(timeout=0.05)
    heart.is_wanted = True
    serial.post(lambda: None)
    for _ in range(3):
        assert heart.beats.acquire(timeout=WAIT_S)
    heart.is_wanted = False


def test_it_beats_although_work_keeps_coming(serial: SerialThread, heart: Heart) -> None:
    heart.is_wanted = True
    for _ in range(100_000):
        serial.submit(lambda: None).result(WAIT_S)
        if heart.beats.acquire(blocking=False):
            break
    else:
        pytest.fail("it never beat")
    heart.is_wanted = False


def test_what_was_asked_before_the_end_is_done_and_nothing_after(heart: Heart) -> None:
    serial = SerialThread("test", beat=heart.beat, is_beating=lambda: False, beat_s=1.0)
    before = serial.submit(lambda: 1)
    serial.close()
    assert before.result(0) == 1
    with pytest.raises(CancelledError):
        serial.submit(lambda: 2).result(0)
    serial.post(lambda: pytest.fail("too late"))
