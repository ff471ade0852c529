"""One request under way, in steps: a chunk or a token, with a look at Cancel before each."""

import time
from collections.abc import Callable

from inference import memory
from inference.drafts import DRAFT_TOKENS, Drafter
from inference.errors import InferenceError
from inference.model import Model
from inference.sampler import Sampler
from inference.tokenizer import StreamingDecoder
from inference.types import (
    Event,
    Finished,
    FinishReason,
    GenerationRequest,
    PrefillProgress,
    TextDelta,
)

_VERDICT_LOOK_S = 0.05
# Whoever shows an answer looks thirty times a second; a frame for each token of a fast model would
# wake the other process in the middle of the next one, and its cores are the model's.
_SEND_S = 0.03


class Answer:
    """Answers one request; whoever owns it calls `step` until it says that it is over.

    Args:
        model: The loaded model.
        request: What to answer.
        arrived_s: When it reached the host, by `time.perf_counter`.
        send: Takes every event of it.
        is_cancelled: Says whether a person stopped it.
    """

    def __init__(
        self,
        model: Model,
        request: GenerationRequest,
        *,
        arrived_s: float,
        send: Callable[[Event], None],
        is_cancelled: Callable[[], bool],
    ) -> None:
        self._model = model
        self._request = request
        self._send = send
        self._is_cancelled = is_cancelled
        self._arrived_s = arrived_s
        self._session = model.sessions.get(request.session_id)
        spelled = self._session.spelled
        self._prompt = model.prompts.build(request.messages, spelled=spelled)
        self._session.spelled = {
            text: spelled[text]
            for message in request.messages
            if (text := message.content) in spelled
        }
        self._cached = self._session.begin(self._prompt, request.sampling.max_new_tokens)
        model.sessions.make_room()
        room = self._session.capacity_tokens - len(self._prompt)
        self._max_new = min(request.sampling.max_new_tokens, room)
        self._sampler = Sampler(
            request.sampling,
            vocab_size=min(model.tokenizer.vocab_size, model.config.vocab_size),
            forbidden_ids=model.config.eos_ids if request.ignore_eos else frozenset(),
            prompt=self._prompt,
        )
        self._decoder = StreamingDecoder(model.tokenizer)
        self._drafter = self._make_drafter()
        self._drawn: list[int] = []
        self._text: list[str] = []
        self._unsent: list[str] = []
        self._sent_s = 0.0
        self._began_s = time.perf_counter()
        self._first_s = 0.0
        self._last_s = 0.0

    def step(self) -> bool:
        """Do one unit of work; return whether that was the last, its `Finished` sent.

        A unit that `Engine.interrupt` ended early leaves no trace: the next call does it again.

        Raises:
            InferenceError: It cannot go on; nothing was sent about that.
        """
        try:
            return self._step()
        except InferenceError:
            self._send_text()
            raise

    def _step(self) -> bool:
        if self._is_cancelled():
            return self._finish("cancelled")
        if len(self._session.ids) < len(self._prompt):
            self._prefill()
            return False
        if not self._drawn and not self._is_verified():
            return False
        if not self._drawn:
            return self._take(self._sampler.draw(self._session.logits()[-1]))
        return self._decode()

    def _prefill(self) -> None:
        done = len(self._session.ids)
        count = self._model.pace.next_tokens(len(self._prompt) - done)
        began_s = time.perf_counter()
        if not self._session.append(self._prompt[done : done + count]):
            return
        self._model.pace.measured(count, time.perf_counter() - began_s)
        progress = PrefillProgress(self._request.request_id, done + count, len(self._prompt))
        self._send(progress)

    def _is_verified(self) -> bool:
        verifier = self._model.verifier
        return verifier is None or verifier.wait(_VERDICT_LOOK_S)

    def _decode(self) -> bool:
        """Compute the last token, with a draft behind it where there is one, and draw the next."""
        draft = self._draft()
        before = len(self._session.ids)
        if not self._session.append([self._drawn[-1], *draft]):
            return False
        rows = self._session.logits(1 + len(draft))
        for index, row in enumerate(rows):
            token = self._sampler.draw(row)
            if index < len(draft) and token == draft[index]:
                if self._take(token):
                    self._session.rewind(before + 1 + index)
                    return True
                continue
            self._session.rewind(before + 1 + index)
            if self._drafter is not None and draft:
                self._drafter.judge(index)
            return self._take(token)
        raise AssertionError("the last row has no draft behind it")

    def _draft(self) -> list[int]:
        if self._drafter is None:
            return []
        room = self._session.capacity_tokens - len(self._session.ids) - 1
        left = self._max_new - len(self._drawn) - 1
        limit = min(DRAFT_TOKENS, self._model.engine.verify_tokens - 1, room, left)
        return self._drafter.propose(max(0, limit))

    def _take(self, token: int) -> bool:
        """Take a drawn token; return whether the answer is over with it."""
        self._last_s = time.perf_counter()
        self._first_s = self._first_s or self._last_s
        if token in self._model.config.eos_ids:
            return self._finish("stop")
        self._drawn.append(token)
        if self._drafter is not None:
            self._drafter.push(token)
        if piece := self._decoder.push(token):
            self._say(piece)
        return len(self._drawn) >= self._max_new and self._finish("length")

    def _say(self, piece: str) -> None:
        self._text.append(piece)
        self._unsent.append(piece)
        if time.perf_counter() - self._sent_s >= _SEND_S:
            self._send_text()

    def _send_text(self) -> None:
        if self._unsent:
            self._send(TextDelta(self._request.request_id, "".join(self._unsent)))
            self._unsent.clear()
            self._sent_s = time.perf_counter()

    def _finish(self, reason: FinishReason) -> bool:
        if piece := self._decoder.finish():
            self._say(piece)
        self._send_text()
        if self._drawn and self._model.tokenizer.control_ids.isdisjoint(self._drawn):
            self._session.spelled["".join(self._text)] = self._drawn
        first_s, last_s = self._first_s, self._last_s
        prefill_ends_s = first_s or time.perf_counter()
        finished = Finished(
            request_id=self._request.request_id,
            reason=reason,
            prompt_tokens=len(self._prompt),
            cached_tokens=self._cached,
            generated_tokens=len(self._drawn),
            ttft_s=first_s - self._arrived_s if first_s else 0.0,
            prefill_s=prefill_ends_s - self._began_s,
            decode_s=last_s - first_s,
            peak_bytes=memory.peak_bytes(),
        )
        self._send(finished)
        return True

    def _make_drafter(self) -> Drafter | None:
        can_verify = self._model.engine.verify_tokens > 1
        return Drafter(self._prompt) if self._request.drafts and can_verify else None
