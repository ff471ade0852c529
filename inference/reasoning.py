"""Tells what a model thinks before it answers from the answer.

Only a span that opens where the answer begins is a thought. Further down a mark is text: a document
that is quoted may well hold one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from inference.stopping import undecided
from inference.tokenizer import Tokenizer
from inference.types import Channel

Pieces: TypeAlias = list[tuple[Channel, str]]

_PROMPT_END_TOKENS = 16


@dataclass(frozen=True, slots=True)
class Mark:
    """How one family of models writes a thought.

    Attributes:
        opening: What stands before it.
        closing: What stands after it.
        lead: What may stand between it and the answer, and belongs to neither.
        tokens: Tokens that a vocabulary must have, where the mark is made of them.
    """

    opening: str
    closing: str
    lead: str = ""
    tokens: tuple[str, ...] = ()


MARKS = (
    Mark("<think>", "</think>"),
    Mark("<thinking>", "</thinking>"),
    Mark("<thought>", "</thought>"),
    Mark("<reasoning>", "</reasoning>"),
    Mark("<|begin_of_thought|>", "<|end_of_thought|>", "<|begin_of_solution|>"),
    Mark("[THINK]", "[/THINK]", tokens=("[THINK]", "[/THINK]")),
    Mark("<seed:think>", "</seed:think>", tokens=("<seed:think>", "</seed:think>")),
    Mark("<|channel>thought", "<channel|>", tokens=("<|channel>", "<channel|>")),
    Mark(
        "<|channel|>analysis<|message|>",
        "<|end|>",
        "<|start|>assistant<|channel|>final<|message|>",
        tokens=("<|channel|>", "<|message|>", "<|end|>", "<|start|>"),
    ),
)


def marks_of(tokenizer: Tokenizer) -> tuple[Mark, ...]:
    """Return the marks that a model with this vocabulary may write."""
    return tuple(
        mark
        for mark in MARKS
        if all(tokenizer.token_id(token) in tokenizer.control_ids for token in mark.tokens)
    )


def opened(tokenizer: Tokenizer, prompt: Sequence[int], marks: Sequence[Mark]) -> Mark | None:
    """Return the mark that the prompt itself opens for the model, if it does."""
    end = tokenizer.spell(prompt[-_PROMPT_END_TOKENS:]).rstrip()
    return next((mark for mark in marks if end.endswith(mark.opening)), None)


class ThoughtSplitter:
    """Gives each piece of an answer's text to one of the two channels.

    Args:
        marks: Those to look for; with none, everything is answer.
        inside: The mark of a thought that is open already.

    Attributes:
        place: Where the text is: before anything was said, in the thought, in the space behind it,
            or in the answer.
        has_thought: A thought was opened.
    """

    def __init__(self, marks: Sequence[Mark], inside: Mark | None = None) -> None:
        self._marks = marks
        self._mark = inside
        self.has_thought = inside is not None
        self._held = ""
        self._has_text = False
        self.place: Literal["beginning", "thought", "gap", "answer"] = "beginning"
        if inside is not None:
            self.place = "thought"
        elif not marks:
            self.place = "answer"

    def push(self, piece: str) -> Pieces:
        """Take the next piece and return what is certain, in order."""
        pieces: Pieces = []
        self._held += piece
        if self.place == "beginning":
            self._begin()
        if self.place == "thought":
            self._think(pieces)
        if self.place == "gap":
            self._cross()
        if self.place == "answer" and self._held:
            pieces.append(("answer", self._held))
            self._held = ""
        return pieces

    def finish(self) -> Pieces:
        """Return what was kept back; a thought that nobody closed stays one."""
        held, self._held = self._held, ""
        if self.place == "thought":
            held = held.rstrip() if self._has_text else held.strip()
            return [("thought", held)] if held else []
        return [("answer", held)] if held and self.place == "beginning" else []

    def _begin(self) -> None:
        text = self._held.lstrip()
        for mark in self._marks:
            if text.startswith(mark.opening):
                self._mark = mark
                self.has_thought = True
                self._held = text[len(mark.opening) :]
                self.place = "thought"
                return
        if not any(mark.opening.startswith(text) for mark in self._marks):
            self.place = "answer"

    def _think(self, pieces: Pieces) -> None:
        assert self._mark is not None  # noqa: S101 - it was opened
        text = self._held if self._has_text else self._held.lstrip()
        thought, closing, rest = text.partition(self._mark.closing)
        if closing:
            self.place = "gap"
            thought, self._held = thought.rstrip(), rest
        else:
            kept = undecided(text, self._mark.closing)
            thought = text[: len(text) - kept].rstrip()
            self._held = text[len(thought) :]
        if thought:
            self._has_text = True
            pieces.append(("thought", thought))

    def _cross(self) -> None:
        """Drop the space behind a thought, and what may lead to the answer."""
        lead = self._mark.lead if self._mark is not None else ""
        text = self._held.lstrip()
        if lead and text.startswith(lead):
            self._mark = None
            text = text[len(lead) :].lstrip()
        elif lead.startswith(text):
            self._held = text
            return
        self._held = text
        if text:
            self.place = "answer"
