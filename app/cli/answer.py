"""The one shape of an answer on the command line, for `snug ask` and `snug chat`."""

from dataclasses import asdict, dataclass, field
from typing import Any

from app.models.installed import InstalledModel
from inference.stream import Stream
from inference.types import DeviceChoice, Finished


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with how it came about.

    Attributes:
        thought: What the model thought before it.
        thought_s: How long it thought.
        usage: Numbers of tokens by what they are.
        prefill_tokens_per_s: Speed of reading what was not cached; 0 where nothing was read.
        decode_tokens_per_s: Speed after the first token; 0 where fewer than two came.
    """

    text: str
    thought: str
    thought_s: float
    finish_reason: str
    model: InstalledModel
    device: DeviceChoice
    usage: dict[str, int] = field(default_factory=dict)
    ttft_s: float = 0.0
    prefill_tokens_per_s: float = 0.0
    decode_tokens_per_s: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """Return the object that `--json` prints."""
        return {
            "text": self.text,
            "thought": self.thought,
            "finish_reason": self.finish_reason,
            "model": {"id": self.model.id, "sha256": self.model.sha256},
            "device": asdict(self.device),
            "usage": self.usage,
            "thought_s": round(self.thought_s, 4),
            "ttft_s": round(self.ttft_s, 4),
            "prefill_tokens_per_s": round(self.prefill_tokens_per_s, 2),
            "decode_tokens_per_s": round(self.decode_tokens_per_s, 2),
        }


def from_stream(stream: Stream, *, model: InstalledModel, device: DeviceChoice) -> Answer:
    """Return the answer that a stream has brought, waiting for its end.

    Raises:
        InferenceError: It failed.
    """
    finished = stream.result()
    return Answer(
        text=stream.text,
        thought=stream.thought,
        thought_s=finished.thought_s,
        finish_reason=finished.reason,
        model=model,
        device=device,
        usage=_usage(finished),
        ttft_s=finished.ttft_s,
        prefill_tokens_per_s=finished.prefill_tokens_per_s,
        decode_tokens_per_s=finished.decode_tokens_per_s,
    )


def _usage(finished: Finished) -> dict[str, int]:
    return {
        "prompt_tokens": finished.prompt_tokens,
        "cached_tokens": finished.cached_tokens,
        "generated_tokens": finished.generated_tokens,
        "thought_tokens": finished.thought_tokens,
        "drafted_tokens": finished.drafted_tokens,
        "accepted_tokens": finished.accepted_tokens,
    }
