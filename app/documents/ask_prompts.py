"""How a question on passages is put to a model, and the test whether it can answer any."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from app.documents.prompts import LANGUAGES
from inference.types import ChatMessage


@dataclass(frozen=True, slots=True)
class AskProbe:
    """A question of the self-test, and what a fair answer holds and does not hold."""

    passages: tuple[str, ...]
    question: str
    needed: tuple[re.Pattern[str], ...]
    forbidden: tuple[re.Pattern[str], ...]

    def is_met_by(self, answer: str) -> bool:
        """Tell whether `answer` is a sentence that says what is needed and nothing false."""
        is_sentence = len(answer.split()) > 1 and answer.rstrip("\"”'")[-1:] in ".!"
        has_all = all(pattern.search(answer) for pattern in self.needed)
        return is_sentence and has_all and not any(p.search(answer) for p in self.forbidden)


@dataclass(frozen=True, slots=True)
class AskPrompts:
    """What is asked in one language.

    Both prompts begin with the same passages and question, so that the second one reads nothing
    but its last line.
    """

    language: str
    most_tokens: int
    probes: tuple[AskProbe, ...]
    _system: str
    _passages: str
    _question: str
    _gate: str
    _yes: str
    _answer: str

    def gate(self, passages: Sequence[str], question: str) -> tuple[ChatMessage, ...]:
        """Return the messages that ask whether the passages hold an answer."""
        return self._messages(passages, question, self._gate)

    def is_yes(self, answer: str) -> bool:
        """Tell whether a model's answer to `gate` is yes."""
        return re.match(rf"\W*{self._yes}\b", answer, re.IGNORECASE) is not None

    def answer(self, passages: Sequence[str], question: str) -> tuple[ChatMessage, ...]:
        """Return the messages that ask for the answer."""
        return self._messages(passages, question, self._answer)

    def _messages(
        self, passages: Sequence[str], question: str, ask: str
    ) -> tuple[ChatMessage, ...]:
        numbered = [f"({number}) {passage}" for number, passage in enumerate(passages, 1)]
        asked = self._question.format(question=question)
        text = "\n\n".join((self._passages, *numbered, asked, ask))
        return (ChatMessage("system", self._system), ChatMessage("user", text))


@cache
def ask_prompts_for(language: str) -> AskPrompts | None:
    """Return the prompts in `language`, or None where Snug has none."""
    if language not in LANGUAGES:
        return None
    file = resources.files("resources") / "prompts" / f"ask.{language}.json"
    body: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return AskPrompts(
        language=language,
        most_tokens=body["most_tokens"],
        probes=tuple(_probe(probe) for probe in body["probes"]),
        _system=body["system"],
        _passages=body["passages"],
        _question=body["question"],
        _gate=body["gate"],
        _yes=body["yes"],
        _answer=body["answer"],
    )


def _probe(body: dict[str, Any]) -> AskProbe:
    def patterns(name: str) -> tuple[re.Pattern[str], ...]:
        return tuple(re.compile(pattern, re.IGNORECASE) for pattern in body[name])

    return AskProbe(
        tuple(body["passages"]), body["question"], patterns("needed"), patterns("forbidden")
    )
