"""What a model read and wrote for a summary."""

from dataclasses import dataclass

from inference.types import Finished


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that were read and written, over several answers.

    Attributes:
        busy_s: Seconds for which the engine computed them.
    """

    prompt_tokens: int = 0
    cached_tokens: int = 0
    generated_tokens: int = 0
    busy_s: float = 0.0

    def plus(self, finished: Finished) -> "Usage":
        """Return the usage with one more answer in it."""
        return Usage(
            self.prompt_tokens + finished.prompt_tokens,
            self.cached_tokens + finished.cached_tokens,
            self.generated_tokens + finished.generated_tokens,
            self.busy_s + finished.prefill_s + finished.decode_s,
        )

    def and_(self, other: "Usage") -> "Usage":
        """Return both together."""
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.cached_tokens + other.cached_tokens,
            self.generated_tokens + other.generated_tokens,
            self.busy_s + other.busy_s,
        )
