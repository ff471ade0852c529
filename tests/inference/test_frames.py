"""Frames: what goes in comes out, and nothing else comes in."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.errors import BadFrame
from inference.scoring_frames import Scored, ScoreText
from inference.types import (
    COMMANDS,
    EVENTS,
    BareMeasured,
    BareRun,
    Cancel,
    ChatMessage,
    DeviceChoice,
    DropSession,
    Failed,
    Finished,
    GenerationRequest,
    Loaded,
    LoadModel,
    PrefillProgress,
    Sampling,
    TextDelta,
)

texts = st.text(st.characters(codec="utf-8"))
counts = st.integers(0, 2**53)
seconds = st.floats(0, 1e9, allow_nan=False)
samplings = st.builds(
    Sampling,
    temperature=st.floats(0, 10),
    top_p=st.floats(0.01, 1),
    top_k=st.integers(0, 1000),
    seed=st.none() | counts,
    max_new_tokens=st.integers(1, 10**6),
)
messages = st.builds(
    ChatMessage, role=st.sampled_from(["system", "user", "assistant"]), content=texts
)
devices = st.builds(
    DeviceChoice,
    kind=st.sampled_from(["cpu", "gpu", "npu"]),
    provider=texts,
    name=texts,
    reason=texts,
)
commands = st.one_of(
    st.builds(
        GenerationRequest,
        request_id=counts,
        session_id=texts,
        messages=st.lists(messages, max_size=4).map(tuple),
        sampling=samplings,
        lane=st.sampled_from(["interactive", "batch"]),
        drafts=st.booleans(),
        ignore_eos=st.booleans(),
    ),
    st.builds(
        LoadModel, request_id=counts, folder=texts, device=st.just("auto"), context_tokens=counts
    ),
    st.builds(Cancel, request_id=counts),
    st.builds(DropSession, session_id=texts),
    st.builds(BareRun, request_id=counts, prompt_tokens=counts, new_tokens=counts),
    st.builds(
        ScoreText,
        request_id=counts,
        session_id=texts,
        text=texts,
        max_tokens=st.integers(2, 10**6),
    ),
)
events = st.one_of(
    st.builds(
        Loaded,
        request_id=counts,
        device=devices,
        context_tokens=counts,
        load_s=seconds,
        threads=counts,
        versions=st.dictionaries(texts, texts, max_size=3),
    ),
    st.builds(PrefillProgress, request_id=counts, done_tokens=counts, total_tokens=counts),
    st.builds(TextDelta, request_id=counts, text=texts),
    st.builds(BareMeasured, request_id=counts, prefill_s=seconds, decode_s=seconds),
    st.builds(
        Scored,
        request_id=counts,
        nll=seconds,
        scored_tokens=counts,
        scored_bytes=counts,
        read_characters=counts,
        seconds=seconds,
    ),
    st.builds(
        Failed,
        request_id=counts,
        code=texts,
        facts=st.dictionaries(texts, texts | counts | st.floats(0.5, 9.5), max_size=3),
    ),
    st.builds(
        Finished,
        request_id=counts,
        reason=st.sampled_from(["stop", "length", "cancelled"]),
        prompt_tokens=counts,
        cached_tokens=counts,
        generated_tokens=counts,
        ttft_s=seconds,
        prefill_s=seconds,
        decode_s=seconds,
        peak_bytes=counts,
    ),
)


@given(commands)
def test_every_command_survives_the_pipe(command: object) -> None:
    assert COMMANDS.decode(COMMANDS.encode(command)) == command


@given(events)
def test_every_event_survives_the_pipe(event: object) -> None:
    assert EVENTS.decode(EVENTS.encode(event)) == event


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.binary() | json_values.map(lambda value: json.dumps(value).encode()))
def test_what_is_no_frame_is_refused_with_the_one_error(frame: bytes) -> None:
    with pytest.raises(BadFrame):
        COMMANDS.decode(frame)


@given(commands, st.data())
def test_a_frame_with_one_field_of_another_type_is_refused_or_still_valid(
    command: object, data: st.DataObject
) -> None:
    body: dict[str, Any] = json.loads(COMMANDS.encode(command))
    name = data.draw(st.sampled_from(sorted(body)))
    body[name] = data.draw(json_values)
    try:
        decoded = COMMANDS.decode(json.dumps(body).encode())
    except BadFrame:
        return
    again = COMMANDS.decode(COMMANDS.encode(decoded))
    assert again == decoded


def test_a_command_is_not_an_event() -> None:
    with pytest.raises(BadFrame):
        EVENTS.decode(COMMANDS.encode(Cancel(1)))


def test_a_boolean_is_not_a_number() -> None:
    with pytest.raises(BadFrame):
        COMMANDS.decode(b'{"type": "Cancel", "request_id": true}')


def test_a_missing_field_is_refused() -> None:
    with pytest.raises(BadFrame):
        COMMANDS.decode(b'{"type": "Cancel"}')


def test_a_value_the_class_itself_refuses_is_a_bad_frame() -> None:
    body = json.loads(COMMANDS.encode(GenerationRequest(1, "s", (ChatMessage("user", "x"),))))
    body["sampling"]["top_p"] = 7
    with pytest.raises(BadFrame):
        COMMANDS.decode(json.dumps(body).encode())


def test_lone_surrogates_do_not_break_the_pipe() -> None:
    event = EVENTS.decode(EVENTS.encode(TextDelta(1, "a\udc80b")))
    assert event == TextDelta(1, "a?b")
