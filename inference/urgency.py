"""What goes first when several requests want the model."""

from enum import IntEnum
from typing import TypeAlias

from inference.scoring_frames import ScoreText
from inference.types import (
    BareRun,
    Command,
    DropSession,
    GenerationRequest,
    LoadModel,
    Prefill,
    Stepwise,
)

Request: TypeAlias = LoadModel | Stepwise | BareRun


class Urgency(IntEnum):
    """Smaller goes first; the host works on at most one request of each."""

    INTERACTIVE = 0
    AHEAD = 1
    BATCH = 2
    IDLE = 3


def urgency(command: Command) -> Urgency:
    """Return how urgent a command is: what a person waits for, unless it says otherwise."""
    if isinstance(command, Prefill):
        return Urgency.AHEAD
    if isinstance(command, ScoreText):
        return Urgency.BATCH
    if isinstance(command, GenerationRequest) and command.lane == "batch":
        return Urgency.BATCH
    return Urgency.INTERACTIVE


def is_exclusive(command: Command) -> bool:
    """Say whether nothing else may run at the same time."""
    return isinstance(command, LoadModel | BareRun)


def session_of(command: Command) -> str | None:
    """Return the session whose cache a command uses, or None."""
    if isinstance(command, Stepwise | DropSession):
        return command.session_id
    return None
