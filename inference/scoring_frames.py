"""Frames about how well a model foresees a text; `inference.scoring` computes it."""

import math
from dataclasses import dataclass

MOST_TOKENS = 512


@dataclass(frozen=True, slots=True)
class ScoreText:
    """Ask how likely the loaded model finds the beginning of a text, as batch work.

    Attributes:
        request_id: Unique within one host; every event repeats it.
        session_id: Its KV cache; given back at the end.
        text: Plain text: nothing in it is a control token.
        max_tokens: Upper bound on the tokens that are read, at least 2; the text is cut so that it
            has no more.
    """

    request_id: int
    session_id: str
    text: str
    max_tokens: int = MOST_TOKENS

    def __post_init__(self) -> None:
        if self.max_tokens < 2:  # noqa: PLR2004 - one to go by, and one to foresee
            raise ValueError("max_tokens must be at least 2")


@dataclass(frozen=True, slots=True)
class Scored:
    """Last event of a `ScoreText` that came to its end.

    Attributes:
        nll: Negative log likelihood of the scored tokens together, in nats.
        scored_tokens: How many tokens were foreseen: all that were read, but the first where the
            model puts no token in front of a text.
        scored_bytes: Bytes of UTF-8 that these tokens spell.
        read_characters: How many characters of the text, from its start, were read.
        seconds: What it took.
    """

    request_id: int
    nll: float
    scored_tokens: int
    scored_bytes: int
    read_characters: int
    seconds: float

    @property
    def perplexity(self) -> float:
        """The exponential of the mean of `nll`: only for models with the same tokenizer."""
        return math.exp(self.nll / self.scored_tokens) if self.scored_tokens else math.inf

    @property
    def bits_per_byte(self) -> float:
        """What the text would take at best if the model packed it; compares any two models."""
        return self.nll / math.log(2) / self.scored_bytes if self.scored_bytes else math.inf
