"""How well a model foresees a text: the sum of its tokens' negative log likelihoods.

A graph made by Snug scores the last few positions of a call only, and one from elsewhere all of
them. `Engine.verify_tokens` says how many there are at least, and a call gets so many tokens.
"""

import time
from collections.abc import Callable, Sequence

import numpy as np

from inference.engine.protocol import Logits
from inference.errors import Cancelled, EmptyPrompt
from inference.model import Model
from inference.scoring_frames import Scored, ScoreText
from inference.tokenizer import Tokenizer
from inference.types import Event, Failed, PrefillProgress

_VERDICT_LOOK_S = 0.05
# A text's token is seldom longer, and a document need not be encoded whole for its beginning.
_CHARACTERS_A_TOKEN = 32


class Scoring:
    """Scores one text; whoever owns it calls `step` until it says that it is over.

    Args:
        model: The loaded model.
        command: What to score.
        send: Takes every event of it.
        is_cancelled: Says whether a person stopped it.

    Raises:
        EmptyPrompt: There is no token to foresee.
        InferenceError: It cannot be begun.
    """

    def __init__(
        self,
        model: Model,
        command: ScoreText,
        *,
        send: Callable[[Event], None],
        is_cancelled: Callable[[], bool],
    ) -> None:
        self._model = model
        self._command = command
        self._send = send
        self._is_cancelled = is_cancelled
        self._began_s = time.perf_counter()
        front = model.prompts.text_front
        most = min(command.max_tokens, model.context_tokens - 1)
        text, ids = beginning(model.tokenizer, command.text, most - len(front))
        self._ids = [*front, *ids]
        if len(self._ids) < 2:  # noqa: PLR2004 - one to go by, and one to foresee
            raise EmptyPrompt
        self._characters = len(text)
        self._bytes = _bytes(text) - (0 if front else _bytes(model.tokenizer.decode(ids[:1])))
        self._nll = 0.0
        self._session = model.sessions.get(command.session_id)
        self._session.begin(self._ids, 1)
        self._session.rewind(0)  # logits of what is in the cache already are gone
        model.sessions.make_room()

    def step(self) -> bool:
        """Score some tokens; return whether that was the last, its last event sent.

        Raises:
            InferenceError: It cannot go on; nothing was sent about that.
        """
        if self._is_cancelled():
            return self._finish(Failed(self._command.request_id, Cancelled.code))
        done = len(self._session.ids)
        if done < len(self._ids) - 1:
            self._score(done)
            return False
        verifier = self._model.verifier
        if verifier is not None and not verifier.wait(_VERDICT_LOOK_S):
            return False
        return self._finish(
            Scored(
                self._command.request_id,
                nll=self._nll,
                scored_tokens=len(self._ids) - 1,
                scored_bytes=self._bytes,
                read_characters=self._characters,
                seconds=time.perf_counter() - self._began_s,
            )
        )

    def _score(self, done: int) -> None:
        last = len(self._ids) - 1  # nothing is behind it to foresee
        chunk = self._ids[done : min(done + self._model.engine.verify_tokens, last)]
        if not self._session.append(chunk):
            return  # interrupted: the next step does it again
        behind = self._ids[done + 1 : done + 1 + len(chunk)]
        self._nll += negative_log_likelihood(self._session.logits(len(chunk)), behind)
        self._send(PrefillProgress(self._command.request_id, done + 1 + len(chunk), last + 1))

    def _finish(self, event: Scored | Failed) -> bool:
        self._model.sessions.drop(self._command.session_id)  # nobody goes on with it
        self._send(event)
        return True


def negative_log_likelihood(logits: Logits, ids: Sequence[int]) -> float:
    """Return the sum over rows of -log softmax(logits)[id], in nats.

    Args:
        logits: float32[len(ids), vocabulary]; summed up as float64, because rows are long.
        ids: The token that came at each row.
    """
    rows = logits.astype(np.float64)
    rows -= rows.max(-1, keepdims=True)
    chosen = rows[np.arange(len(ids)), np.asarray(ids)]
    return float((np.log(np.exp(rows).sum(-1)) - chosen).sum())


def beginning(tokenizer: Tokenizer, text: str, most: int) -> tuple[str, list[int]]:
    """Return the longest beginning of `text` that has at most `most` tokens, and these.

    The text is cut and not its tokens, so that another model can be given exactly the same.
    """
    text = text[: max(0, most) * _CHARACTERS_A_TOKEN]
    ids = tokenizer.encode_plain(text)
    if len(ids) <= most:
        return text, ids
    fits, too_long, ids = 0, len(text), []
    while too_long - fits > 1:
        middle = (fits + too_long) // 2
        found = tokenizer.encode_plain(text[:middle])
        if len(found) <= most:
            fits, ids = middle, found
        else:
            too_long = middle
    return text[:fits], ids


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
