"""The events of one request as a queue."""

import pytest

from inference.errors import WorkerDied
from inference.stream import Stream
from inference.types import Failed, Finished, TextDelta

END = Finished(1, "stop", 1, 0, 2, 0.1, 0.1, 0.1, 1)


def test_it_ends_with_the_last_event() -> None:
    stream = Stream()
    for event in (TextDelta(1, "a"), TextDelta(1, "b"), END):
        stream.put(event)

    assert list(stream) == [TextDelta(1, "a"), TextDelta(1, "b"), END]
    assert stream.text == "ab"
    assert stream.result() == END


def test_a_thought_is_no_part_of_the_answer() -> None:
    stream = Stream()
    for event in (TextDelta(1, "hm", "thought"), TextDelta(1, "a"), END):
        stream.put(event)

    assert stream.result() == END
    assert (stream.text, stream.thought) == ("a", "hm")


def test_polling_returns_what_is_there() -> None:
    stream = Stream()
    assert stream.poll() == []
    stream.put(TextDelta(1, "a"))

    assert stream.poll() == [TextDelta(1, "a")]


def test_a_failure_is_raised_as_what_it_was() -> None:
    stream = Stream()
    stream.put(Failed(1, "worker_died", {"exit_code": -9}))

    with pytest.raises(WorkerDied) as caught:
        stream.result()
    assert caught.value.facts == {"exit_code": -9}


def test_waiting_has_an_end() -> None:
    with pytest.raises(TimeoutError):
        Stream().result(0.01)
