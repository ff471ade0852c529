"""How many tokens of a prompt are computed in one call."""

_AIM_S = 0.15
_LEAST_TOKENS = 128
_MOST_TOKENS = 512
_STEP_TOKENS = 32
_LOGITS_BYTES = 128 << 20
_FLOAT_BYTES = 4
# With int8 activations a call with fewer tokens than this computes other logits than a larger one
# (measured: fewer than 37).
ALIKE_TOKENS = 48
# Nor is the last token of a call computed like the others where it is left over by blocks of 128:
# alone, like a call of one token (measured with 129, 257, 385, 513).
_BLOCK_TOKENS = 128


class Pace:
    """Sizes the chunks of a prefill so that each takes about a seventh of a second.

    That is how soon something more urgent begins where a call cannot be interrupted, and how much
    is computed in vain where it can. Below 128 tokens a call costs more than it should (a fifth
    with 64, on 1 B weights); the upper bound also keeps the buffer of logits small. How a
    prompt happens to be cut changes no logits: the same seed gives the same answer however busy the
    machine is.
    """

    def __init__(self, vocab_size: int) -> None:
        fitting = _LOGITS_BYTES // (_FLOAT_BYTES * vocab_size)
        self._most = max(_LEAST_TOKENS, min(_MOST_TOKENS, fitting))
        self._tokens = _LEAST_TOKENS

    def next_tokens(self, left: int) -> int:
        """Return how many of the `left` tokens to compute now; a short tail goes along."""
        if left >= self._tokens + ALIKE_TOKENS:
            return self._tokens
        is_one_over = left > _BLOCK_TOKENS and left % _BLOCK_TOKENS == 1
        return left - ALIKE_TOKENS if is_one_over else left

    def measured(self, tokens: int, seconds: float) -> None:
        """Learn how long a chunk took."""
        if tokens < _LEAST_TOKENS or seconds <= 0:
            return
        fitting = int(min(self._most, tokens / seconds * _AIM_S))
        self._tokens = max(_LEAST_TOKENS, fitting // _STEP_TOKENS * _STEP_TOKENS)
