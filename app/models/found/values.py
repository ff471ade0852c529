"""What is known of a model of another program."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from inference.errors import InferenceError
from inference.gguf.summary import GgufSummary

ProgramName = Literal["LM Studio", "Ollama", "Jan", "GPT4All"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file that a program calls a model, not looked at yet.

    Attributes:
        name: What the program calls it; printable, and not for logs.
        error: Why Snug cannot run it, where that is known without looking at the file.
        licence: As the program says; empty where it does not.
    """

    program: ProgramName
    name: str
    file: Path
    error: InferenceError | None = None
    licence: str = ""


@dataclass(frozen=True, slots=True)
class FoundModel:
    """A model of another program; to be added as `GgufSource(file, name)` if a person says so.

    Attributes:
        name: What the program calls it; printable, and not for logs.
        summary: What the file says of itself; None if it could not be read.
        error: Why Snug cannot run it; None if nothing speaks against it yet.
        licence: As the program or the file says; empty where neither does.
    """

    program: ProgramName
    name: str
    file: Path
    summary: GgufSummary | None
    error: InferenceError | None
    licence: str
