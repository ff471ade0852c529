"""The prompts for summaries, read from `resources/prompts`, one file a language."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from inference.types import ChatMessage

LANGUAGES = ("en", "de")


@dataclass(frozen=True, slots=True)
class Probe:
    """One question of the self-test: a passage, and what a fair sentence on it holds.

    Attributes:
        needed: Every one of these must be found in the answer.
        forbidden: None of these may be.
    """

    title: str
    section: str
    passage: tuple[str, ...]
    needed: tuple[re.Pattern[str], ...]
    forbidden: tuple[re.Pattern[str], ...]


@dataclass(frozen=True, slots=True)
class Prompts:
    """What is asked of a model in one language.

    Attributes:
        head: System line and examples: the same for every passage, so the cache keeps it.
        about_begins: How the sentence on the whole document has to begin.
    """

    language: str
    head: tuple[ChatMessage, ...]
    passage_tokens: int
    about_begins: str
    about_tokens: int
    probes: tuple[Probe, ...]
    _passage_ask: str
    _about_ask: str

    def passage(self, title: str, section: str, passage: Sequence[str]) -> tuple[ChatMessage, ...]:
        """Return the messages that ask for the main point of a passage."""
        text = " ".join(passage)
        ask = self._passage_ask.format(title=title, section=section or title, text=text)
        return (*self.head, ChatMessage("user", ask))

    def about(self, title: str, points: Sequence[str]) -> tuple[ChatMessage, ...]:
        """Return the messages that ask what the whole document is about."""
        listed = "\n".join(f"- {point}" for point in points)
        ask = self._about_ask.format(title=title, points=listed)
        return (self.head[0], ChatMessage("user", ask))


@cache
def prompts_for(language: str) -> Prompts | None:
    """Return the prompts in `language`, or None where Snug has none."""
    if language not in LANGUAGES:
        return None
    file = resources.files("resources") / "prompts" / f"summary.{language}.json"
    return _parse(language, json.loads(file.read_text(encoding="utf-8")))


def _parse(language: str, body: dict[str, Any]) -> Prompts:
    passage, about = body["passage"], body["about"]
    head = [ChatMessage("system", body["system"])]
    for example in passage["examples"]:
        asked = {key: example[key] for key in ("title", "section", "text")}
        head.append(ChatMessage("user", passage["ask"].format(**asked)))
        head.append(ChatMessage("assistant", example["answer"]))
    return Prompts(
        language=language,
        head=tuple(head),
        passage_tokens=passage["most_tokens"],
        about_begins=about["begins"],
        about_tokens=about["most_tokens"],
        probes=tuple(_probe(probe) for probe in body["probes"]),
        _passage_ask=passage["ask"],
        _about_ask=about["ask"],
    )


def _probe(body: dict[str, Any]) -> Probe:
    def patterns(name: str) -> tuple[re.Pattern[str], ...]:
        return tuple(re.compile(pattern, re.IGNORECASE) for pattern in body[name])

    return Probe(
        body["title"], body["section"], (body["text"],), patterns("needed"), patterns("forbidden")
    )
