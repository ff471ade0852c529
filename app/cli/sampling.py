"""The options about model, device and the drawing of answers that `ask` and `chat` share.

What nobody asks for is left to the model's own files, and after them to Snug's defaults.
"""

import argparse
from dataclasses import fields, replace
from typing import Any

from app.chat.values import AnswerSettings
from inference.types import Sampling


def add_sampling_options(parser: argparse.ArgumentParser) -> None:
    """Add what says which model answers, where, and how."""
    add = parser.add_argument
    add("--json", action="store_true", help="print one JSON object an answer")
    add("--model", metavar="ID", help="an installed model; see snug models list")
    add(
        "--device",
        default="auto",
        metavar="DEVICE",
        help="auto, cpu, gpu, npu, or the exact name of a device; see snug devices",
    )
    add("--system", metavar="TEXT", help="what the model is told first, instead of Snug's own")
    add(
        "--max-tokens",
        dest="max_new_tokens",
        type=_checked("max_new_tokens", int),
        metavar="N",
        help=f"longest answer in tokens (default: {Sampling().max_new_tokens})",
    )
    add(
        "--temperature",
        type=_checked("temperature", float),
        metavar="T",
        help="0 always takes the likeliest word (default: the model's own)",
    )
    add(
        "--top-p",
        type=_checked("top_p", float),
        metavar="P",
        help="keep the likeliest words that add up to this share",
    )
    add(
        "--top-k",
        type=_checked("top_k", int),
        metavar="K",
        help="keep this many of the likeliest words; 0 keeps all",
    )
    add(
        "--min-p",
        type=_checked("min_p", float),
        metavar="P",
        help="keep words at least this fraction as likely as the likeliest",
    )
    add(
        "--repetition-penalty",
        type=_checked("repetition_penalty", float),
        metavar="R",
        help="above 1, what was said before becomes less likely",
    )
    add(
        "--stop",
        action="append",
        default=[],
        type=_not_empty,
        metavar="TEXT",
        help="the answer ends before this; may be given again",
    )
    add("--seed", type=int, metavar="N", help="the same number gives the same answer")
    add(
        "--show-thought",
        action="store_true",
        help="print what the model thinks before it answers, on standard error",
    )


def sampling_from(options: argparse.Namespace, default: Sampling) -> Sampling:
    """Return `default` with what was asked for in its place."""
    return replace(default, **_asked(options))


def settings_from(options: argparse.Namespace) -> AnswerSettings:
    """Return what was asked for as the settings of a conversation."""
    return AnswerSettings(system_prompt=options.system, **_asked(options))


def _asked(options: argparse.Namespace) -> dict[str, Any]:
    values = {each.name: getattr(options, each.name) for each in fields(Sampling)}
    values["stop"] = tuple(values["stop"]) or None
    return {name: value for name, value in values.items() if value is not None}


def _checked(name: str, kind: type[int] | type[float]) -> Any:
    """Return a parser of one of `Sampling`'s numbers, which refuses what that does."""

    def parse(text: str) -> int | float:
        number = kind(text)
        asked: dict[str, Any] = {name: number}
        try:
            replace(Sampling(), **asked)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error
        return number

    return parse


def _not_empty(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("must not be empty")
    return text
