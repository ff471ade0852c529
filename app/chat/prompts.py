"""The texts that a conversation is told by, read once from the resources."""

from functools import cache
from importlib.resources import files


@cache
def system_prompt() -> str:
    """Return what every conversation begins with."""
    return _read("system.txt")


@cache
def summary_question() -> str:
    """Return how the model is told that a summary was asked for, with a place for `names`."""
    return _read("summary_question.txt")


@cache
def running_summary() -> str:
    """Return how a running summary is asked for, with places for `fence`, `text` and `words`."""
    return _read("running_summary.txt")


@cache
def running_summary_told() -> str:
    """Return what a running summary is introduced with where it stands for older messages."""
    return _read("running_summary_told.txt")


def _read(name: str) -> str:
    return files("resources").joinpath("prompts", name).read_text(encoding="utf-8").strip()
