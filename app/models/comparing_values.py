"""What a comparison of models or devices is asked for, and what it has measured, as values."""

from dataclasses import dataclass
from typing import Literal

from app.errors import AppError
from inference.errors import InferenceError
from inference.scoring_frames import MOST_TOKENS, Scored
from inference.types import DeviceChoice, Finished

Stage = Literal["waiting", "device", "loading", "answering", "scoring", "done", "failed", "stopped"]

ANSWER_TOKENS = 160
CONTEXT_TOKENS = 4096


@dataclass(frozen=True, slots=True)
class Contender:
    """A model on a device.

    Attributes:
        model_id: An installed model.
        device: A `DeviceWish`, or a device's exact name.
    """

    model_id: str
    device: str = "auto"


@dataclass(frozen=True, slots=True)
class Trial:
    """What every contender is given.

    Attributes:
        prompts: Each is asked by itself.
        text: What they are to foresee; empty for nothing.
        context_tokens: Their context window; 0 takes 4,096 tokens, or what every model has.
        answer_tokens: The most that an answer may have.
        text_tokens: The most of the text that the first contender reads; the others read the
            same passage.
        accepts_memory: Go on although memory is short.
    """

    prompts: tuple[str, ...]
    text: str = ""
    context_tokens: int = 0
    answer_tokens: int = ANSWER_TOKENS
    text_tokens: int = MOST_TOKENS
    accepts_memory: bool = False


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer, as far as it has come.

    Attributes:
        text: The answer.
        thought: What the model thought before it.
        finished: Its figures, once it has ended.
    """

    text: str = ""
    thought: str = ""
    finished: Finished | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """What is known of one contender; figures are 0 until they are.

    Attributes:
        title: What a person calls the model.
        device: Where it ran.
        load_s: Seconds from the start of its process to a model that can answer.
        peak_bytes: The largest resident memory of its process.
        answers: One for each prompt that was begun.
        scored: How well it foresaw the text.
        scored_share: How much of the text is done, from 0 to 1.
        error: Why it could not go on.
    """

    contender: Contender
    title: str
    quantization: str
    disk_bytes: int
    stage: Stage = "waiting"
    device: DeviceChoice | None = None
    load_s: float = 0.0
    peak_bytes: int = 0
    answers: tuple[Answered, ...] = ()
    scored: Scored | None = None
    scored_share: float = 0.0
    error: AppError | InferenceError | None = None

    @property
    def ttft_s(self) -> float:
        """Mean seconds to an answer's first token; 0 before there is one."""
        times = [each.ttft_s for each in self._finished() if each.ttft_s > 0]
        return sum(times) / len(times) if times else 0.0

    @property
    def prefill_tokens_per_s(self) -> float:
        """Speed of reading the prompts together."""
        finished = self._finished()
        read = sum(each.prompt_tokens - each.cached_tokens for each in finished)
        return _per_s(read, sum(each.prefill_s for each in finished))

    @property
    def decode_tokens_per_s(self) -> float:
        """Speed of writing the answers together, after the first token of each."""
        finished = [each for each in self._finished() if each.generated_tokens > 1]
        intervals = sum(each.generated_tokens - 1 for each in finished)
        return _per_s(intervals, sum(each.decode_s for each in finished))

    @property
    def characters_per_s(self) -> float:
        """The same in characters, because tokens of two vocabularies are not of one length."""
        ended = [each for each in self.answers if each.finished is not None]
        written = sum(len(each.text) + len(each.thought) for each in ended)
        return _per_s(written, sum(each.finished.decode_s for each in ended if each.finished))

    @property
    def answer_tokens(self) -> int:
        """Tokens of all answers together."""
        return sum(each.generated_tokens for each in self._finished())

    def _finished(self) -> list[Finished]:
        return [each.finished for each in self.answers if each.finished is not None]


@dataclass(frozen=True, slots=True)
class ComparisonReport:
    """What has been measured so far, in the order in which the contenders were named."""

    prompts: tuple[str, ...]
    context_tokens: int
    measured: tuple[Measured, ...]


def _per_s(count: int, seconds: float) -> float:
    return count / seconds if seconds > 0 else 0.0
