"""Tries a device with a model, in a process that may end or hang.

A device is trusted only after it has loaded the model, read a text, answered as the processor
does and shown how fast it is: drivers fail at each of these, by an error, by ending the process, by
never coming back, or by wrong numbers.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from inference import agreement, endings
from inference.agreement import Place
from inference.child import Child
from inference.errors import BadFrame, DeviceUnavailable, Fact, OutOfMemory, from_code
from inference.frames import Codec
from inference.types import DeviceTarget

Step = Literal["register", "load", "cache", "prefill", "first_token", "decode"]

# The first computation compiles shaders or the whole model, which takes minutes on some devices.
LIMITS_S: Final[Mapping[Step, float]] = {
    "register": 30.0,
    "load": 300.0,
    "cache": 60.0,
    "prefill": 300.0,
    "first_token": 300.0,
    "decode": 60.0,
}

MEASURE_S: Final = 5.0

_STARTING_S = 30.0
_DOING: Final[Mapping[str, str]] = {
    "register": "while its plug-in was loaded",
    "load": "while it loaded the model",
    "cache": "while it made room for a conversation",
    "prefill": "while it read a text",
    "first_token": "at the first token",
    "decode": "while it answered",
}


@dataclass(frozen=True, slots=True)
class TryDevice:
    """What the child shall do.

    Attributes:
        folder: The model folder, as an absolute path.
        expected: What the processor computed; empty makes this run the processor's.
        threads: Threads for the model's operators.
        decode_s: How long to measure the speed.
    """

    folder: str
    target: DeviceTarget
    expected: tuple[Place, ...] = ()
    threads: int = 1
    decode_s: float = MEASURE_S


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage begins; the one before it is over."""

    step: Step


@dataclass(frozen=True, slots=True)
class Tried:
    """The last event where all went well.

    Attributes:
        places: The distributions at the places of the text.
        tokens_per_s: Speed of decoding.
    """

    places: tuple[Place, ...]
    tokens_per_s: float


@dataclass(frozen=True, slots=True)
class Refused:
    """The last event where the runtime said that it cannot: an error of `inference.errors`."""

    code: str
    facts: dict[str, Fact] = field(default_factory=dict)


Event: TypeAlias = Stage | Tried | Refused

TASKS = Codec((TryDevice,))
EVENTS = Codec((Stage, Tried, Refused))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a trial found out.

    Attributes:
        reason: Empty where the device works; else one clause about it that says why it does not.
    """

    reason: str = ""
    tokens_per_s: float = 0.0
    places: tuple[Place, ...] = ()


def run(
    launch: Callable[[], Child],
    task: TryDevice,
    *,
    on_stage: Callable[[Step], None] = lambda _step: None,
    limits_s: Mapping[Step, float] = LIMITS_S,
) -> Verdict:
    """Try a device; blocks for seconds, and where it hangs for the stage's limit.

    Args:
        launch: Starts a child for a trial.
        task: The device, the model, and what the processor computed with it.
        on_stage: Called with each stage that begins.
        limits_s: Seconds that each stage may take.

    Raises:
        InferenceError: The model cannot be run on any device: its files, not the device, are why.
        OSError: The child cannot be started.
    """
    child = launch()
    step: Step | None = None
    try:
        child.connection.send_bytes(TASKS.encode(task))
        while True:
            limit_s = _STARTING_S if step is None else limits_s[step]
            if not child.connection.poll(limit_s):
                child.kill()
                return Verdict(f"it did not answer in {limit_s:.0f} s {_doing(step)}")
            event: Event = EVENTS.decode(child.connection.recv_bytes())
            if not isinstance(event, Stage):
                return _verdict(task, event)
            step = event.step
            on_stage(step)
    except (EOFError, OSError, BadFrame):
        ending = endings.describe(child)
        return Verdict(f"it ended the process {_doing(step)}, {ending}")
    finally:
        child.close()


def _verdict(task: TryDevice, event: Tried | Refused) -> Verdict:
    if isinstance(event, Refused):
        if not task.expected:
            raise from_code(event.code, event.facts)
        # The processor has run this model: whatever is wrong, it is the device.
        if event.code == OutOfMemory.code:
            return Verdict("its memory is too small for the model")
        given = event.facts.get("reason", "") if event.code == DeviceUnavailable.code else ""
        return Verdict(str(given) or "its driver refused the model")
    if task.expected and not agreement.compare(task.expected, event.places).is_right:
        return Verdict("it computes other answers than the processor")
    return Verdict("", event.tokens_per_s, event.places)


def _doing(step: Step | None) -> str:
    return "before it began" if step is None else _DOING[step]
