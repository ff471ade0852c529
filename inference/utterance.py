"""What the tokens of an answer say: text in two channels, as far as it is certain."""

import time
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from inference.reasoning import Mark, Pieces, ThoughtSplitter
from inference.stopping import StopStrings
from inference.tokenizer import StreamingDecoder, Tokenizer
from inference.types import Channel

# Whoever shows an answer looks thirty times a second; a frame for each token of a fast model would
# wake the other process in the middle of the next one, and its cores are the model's.
_SAY_S = 0.03
_CONTEXT_TOKENS = 16


@dataclass(frozen=True, slots=True)
class Begun:
    """An answer that is there already and goes on: its text, and the ids that spell it."""

    text: str
    ids: Sequence[int]


class Utterance:
    """Takes one token after the other and says what they mean.

    Args:
        say: Takes the next text of a channel.
        stop: The answer ends before the first of these.
        marks: How the model may write a thought.
        inside: The mark of a thought that the prompt has opened.
        begun: What the answer goes on from; then no thought is looked for.

    Attributes:
        ids: The tokens taken.
        thought_tokens: How many of them are thought, its marks included.
        thought_s: Seconds from the first token to the end of the thought.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        say: Callable[[Channel, str], None],
        *,
        stop: Sequence[str] = (),
        marks: Sequence[Mark] = (),
        inside: Mark | None = None,
        begun: Begun | None = None,
    ) -> None:
        self._tokenizer = tokenizer
        self._say = say
        self._begun = begun
        self._decoder = StreamingDecoder(tokenizer)
        for token_id in begun.ids[-_CONTEXT_TOKENS:] if begun else ():
            self._decoder.push(token_id)
        self._splitter = ThoughtSplitter(() if begun else marks, inside)
        self._marks_ids = frozenset(
            number
            for mark in marks
            for token in mark.tokens
            if (number := tokenizer.token_id(token))
        )
        self._stops = StopStrings(stop)
        self.ids: list[int] = []
        self._ends: list[int] = []  # characters that were certain after each token
        self._certain = 0
        self._text: list[str] = []
        self._unsaid: Pieces = []
        self._said_s = 0.0
        self._first_s = 0.0
        self.thought_tokens = 0
        self.thought_s = 0.0

    @property
    def is_thinking(self) -> bool:
        """Whether the next token belongs to a thought."""
        return self._splitter.place == "thought"

    def push(self, token_id: int) -> bool:
        """Take the next token; return whether the answer ends before what it says."""
        now_s = time.perf_counter()
        self._first_s = self._first_s or now_s
        self.ids.append(token_id)
        before = self._splitter.place
        pieces = self._splitter.push(self._piece(token_id))
        if self._splitter.has_thought and before in ("beginning", "thought"):
            self.thought_tokens = len(self.ids)
            self.thought_s = now_s - self._first_s
        self._give(pieces)
        self._ends.append(self._certain)
        if now_s - self._said_s >= _SAY_S:
            self.flush()
        return self._stops.reached

    def finish(self, *, is_whole: bool) -> None:
        """Say what was kept back.

        Args:
            is_whole: The model itself ended it. Else half a character at the end is not said: it
                is what the answer goes on from.
        """
        if not self._stops.reached:
            rest = self._decoder.finish() if is_whole else ""
            self._give([*self._splitter.push(rest), *self._splitter.finish()])
            if held := self._stops.finish():
                self._text.append(held)
                self._unsaid.append(("answer", held))
        self.flush()

    def flush(self) -> None:
        """Say now what is certain."""
        for channel in ("thought", "answer"):  # a thought comes first
            if text := "".join(piece for kind, piece in self._unsaid if kind == channel):
                self._say(channel, text)
                self._said_s = time.perf_counter()
        self._unsaid.clear()

    def spelling(self) -> tuple[str, list[int]] | None:
        """Return the answer's text and ids that spell it, so that the next prompt repeats them.

        None where there is nothing to gain: without a text, after a thought, which the next prompt
        leaves out, and where the tokens do not spell the text.
        """
        said = "".join(self._text)
        is_empty = not self.ids or not (said or self._begun)
        if is_empty or self.thought_tokens:
            return None
        ids = self._before_stop(said) if self._stops.reached else self.ids
        if not self._tokenizer.control_ids.isdisjoint(ids):
            return None
        if self._stops.reached and self._tokenizer.decode(ids) != said:
            return None
        if self._begun is not None:
            return self._begun.text + said, [*self._begun.ids, *ids]
        return said, ids

    def _piece(self, token_id: int) -> str:
        """Return the text of a token, special ones included where they may mark a thought."""
        if token_id in self._marks_ids and self._splitter.place != "answer":
            return self._tokenizer.spell([token_id])
        return self._decoder.push(token_id)

    def _give(self, pieces: Pieces) -> None:
        for channel, piece in pieces:
            if channel == "answer":
                self._certain += len(piece)
                said = self._stops.push(piece)
                self._text.append(said)
            else:
                said = piece
            if said:
                self._unsaid.append((channel, said))

    def _before_stop(self, said: str) -> list[int]:
        """Return the drawn ids up to the stop string; the rest of a cut token is spelled anew."""
        if not said:
            return []
        whole = bisect_left(self._ends, len(said))
        if self._ends[whole] == len(said):
            return self.ids[: whole + 1]
        begin = self._ends[whole - 1] if whole else 0
        # The first half of a character that the stop string took away stays out.
        kept = bisect_left(self._ends, begin) + 1 if begin else 0
        rest = self._tokenizer.encode_plain(said[begin:], begins=not kept)
        return [*self.ids[:kept], *rest]
