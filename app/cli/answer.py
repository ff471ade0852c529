"""The one shape of an answer on the command line, for `snug ask` and `snug chat`."""

from dataclasses import asdict, dataclass
from typing import Any

from app.models.installed import InstalledModel
from inference.types import DeviceChoice, Finished


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with how it came about.

    Attributes:
        prefill_tokens_per_s: Speed of reading what was not cached; 0 where nothing was read.
        decode_tokens_per_s: Speed after the first token; 0 where fewer than two came.
    """

    text: str
    finish_reason: str
    model: InstalledModel
    device: DeviceChoice
    prompt_tokens: int
    cached_tokens: int
    generated_tokens: int
    ttft_s: float
    prefill_tokens_per_s: float
    decode_tokens_per_s: float

    def as_json(self) -> dict[str, Any]:
        """Return the object that `--json` prints."""
        return {
            "text": self.text,
            "finish_reason": self.finish_reason,
            "model": {"id": self.model.id, "sha256": self.model.sha256},
            "device": asdict(self.device),
            "usage": {
                "prompt_tokens": self.prompt_tokens,
                "cached_tokens": self.cached_tokens,
                "generated_tokens": self.generated_tokens,
            },
            "ttft_s": round(self.ttft_s, 4),
            "prefill_tokens_per_s": round(self.prefill_tokens_per_s, 2),
            "decode_tokens_per_s": round(self.decode_tokens_per_s, 2),
        }


def from_finished(
    text: str, finished: Finished, *, model: InstalledModel, device: DeviceChoice
) -> Answer:
    """Return the answer that ended with `finished`."""
    return Answer(
        text=text,
        finish_reason=finished.reason,
        model=model,
        device=device,
        prompt_tokens=finished.prompt_tokens,
        cached_tokens=finished.cached_tokens,
        generated_tokens=finished.generated_tokens,
        ttft_s=finished.ttft_s,
        prefill_tokens_per_s=finished.prefill_tokens_per_s,
        decode_tokens_per_s=finished.decode_tokens_per_s,
    )
