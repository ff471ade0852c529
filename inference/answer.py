"""One request under way, in steps: a chunk or a token, with a look at Cancel before each."""

import time
from collections.abc import Callable
from dataclasses import replace

from inference import memory, reasoning
from inference.drafts import Drafter, StepCosts
from inference.engine.protocol import Logits
from inference.errors import InferenceError
from inference.guidance import Guide
from inference.model import Model
from inference.pace import ALIKE_TOKENS
from inference.sampler import Sampler
from inference.types import (
    Channel,
    Event,
    Finished,
    FinishReason,
    GenerationRequest,
    PrefillProgress,
    TextDelta,
)
from inference.utterance import Begun, Utterance

_VERDICT_LOOK_S = 0.05


class Answer:
    """Answers one request; whoever owns it calls `step` until it says that it is over.

    Args:
        model: The loaded model.
        request: What to answer.
        arrived_s: When it reached the host, by `time.perf_counter`.
        send: Takes every event of it.
        is_cancelled: Says whether a person stopped it.

    Raises:
        InferenceError: It cannot be begun.
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
        if request.continues and not request.messages[-1].content:
            # It was cut before it said anything, in its thought perhaps: it begins anew.
            request = replace(request, messages=request.messages[:-1], continues=False)
        self._model = model
        self._request = request
        self._send = send
        self._is_cancelled = is_cancelled
        self._arrived_s = arrived_s
        self._session = model.sessions.get(request.session_id)
        spelled = self._session.spelled
        self._prompt = model.prompts.build(
            request.messages, spelled=spelled, continues=request.continues
        )
        self._session.spelled = {
            text: spelled[text]
            for message in request.messages
            if (text := message.content) in spelled
        }
        self._begun = self._what_is_begun()
        self._guide = self._make_guide()
        self._cached = self._begin_session()
        model.sessions.make_room()
        room = self._session.capacity_tokens - len(self._prompt)
        self._max_new = min(request.sampling.max_new_tokens, room)
        self._sampler = Sampler(
            request.sampling,
            vocab_size=min(model.tokenizer.vocab_size, model.config.vocab_size),
            forbidden_ids=model.config.eos_ids if request.ignore_eos else frozenset(),
            prompt=self._prompt,
        )
        self._utterance = self._make_utterance()
        self._drafter = self._make_drafter()
        self._drafted = 0
        self._accepted = 0
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
            self._utterance.flush()
            raise

    def _step(self) -> bool:
        if self._is_cancelled():
            return self._finish("cancelled")
        if len(self._session.ids) < len(self._prompt):
            self._prefill()
            return False
        if not self._utterance.ids and not self._is_verified():
            return False
        if not self._utterance.ids:
            reason = self._take(self._draw(self._session.logits()[-1]))
        else:
            reason = self._decode()
        return reason is not None and self._finish(reason)

    def _begin_session(self) -> int:
        """Return how many tokens of the prompt are not computed again.

        Asked once more, a prompt is in the cache but for its end, and so short a call computes
        other logits than the one that read it whole: where the answer has to be the same, as much
        is computed as makes no difference.
        """
        sampling = self._request.sampling
        cached = self._session.begin(self._prompt, sampling.max_new_tokens)
        if sampling.seed is not None and not self._request.continues:
            cached = min(cached, max(0, len(self._prompt) - ALIKE_TOKENS))
            self._session.rewind(cached)
        return cached

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

    def _decode(self) -> FinishReason | None:
        """Compute the last token, with a draft behind it where there is one, and draw on."""
        draft = self._draft()
        before = len(self._session.ids)
        began_s = time.perf_counter()
        if not self._session.append([self._utterance.ids[-1], *draft]):
            return None
        rows = self._session.logits(1 + len(draft))
        self._model.controls.costs.measured(len(rows), time.perf_counter() - began_s)
        reason: FinishReason | None = None
        taken = 0
        for row, drafted in zip(rows, [*draft, None], strict=True):
            token = self._draw(row)
            reason = self._take(token)
            taken += 1
            self._accepted += token == drafted
            if reason is not None or token != drafted:
                break
        # What was drawn last is not kept in the cache: it is the first of the next call.
        self._session.rewind(before + taken)
        self._drafted += len(draft)
        return reason

    def _draft(self) -> list[int]:
        room = self._session.capacity_tokens - len(self._session.ids) - 1
        left = self._max_new - len(self._utterance.ids) - 1
        limit = max(0, min(self._model.engine.verify_tokens - 1, room, left))
        if self._is_guided() and self._guide is not None and (forced := self._guide.forced()):
            return forced[:limit]
        return [] if self._drafter is None else self._drafter.propose(limit)

    def _draw(self, logits: Logits) -> int:
        allowed = self._guide.allowed() if self._guide is not None and self._is_guided() else None
        return self._sampler.draw(logits, allowed)

    def _is_guided(self) -> bool:
        """Return whether a schema rules the next token; what a model thinks is free."""
        return self._guide is not None and not self._utterance.is_thinking

    def _take(self, token: int) -> FinishReason | None:
        """Take a drawn token; return why the answer is over with it, if it is."""
        self._last_s = time.perf_counter()
        self._first_s = self._first_s or self._last_s
        if token in self._model.config.eos_ids:
            return "stop"
        if self._guide is not None and self._is_guided():
            self._guide.push(token)
        if self._drafter is not None:
            self._drafter.push(token)
        if self._utterance.push(token) or (self._guide is not None and self._guide.is_complete):
            return "stop"
        return "length" if len(self._utterance.ids) >= self._max_new else None

    def _say(self, channel: Channel, text: str) -> None:
        self._send(TextDelta(self._request.request_id, text, channel))

    def _finish(self, reason: FinishReason) -> bool:
        utterance = self._utterance
        utterance.finish(is_whole=reason == "stop")
        if (spelling := utterance.spelling()) is not None:
            text, ids = spelling
            self._session.spelled[text] = ids
        first_s, last_s = self._first_s, self._last_s
        prefill_ends_s = first_s or time.perf_counter()
        finished = Finished(
            request_id=self._request.request_id,
            reason=reason,
            prompt_tokens=len(self._prompt),
            cached_tokens=self._cached,
            generated_tokens=len(utterance.ids),
            ttft_s=first_s - self._arrived_s if first_s else 0.0,
            prefill_s=prefill_ends_s - self._began_s,
            decode_s=last_s - first_s,
            peak_bytes=memory.peak_bytes(),
            thought_tokens=utterance.thought_tokens,
            thought_s=utterance.thought_s,
            drafted_tokens=self._drafted,
            accepted_tokens=self._accepted,
            kv_bytes=self._model.sessions.used_bytes,
        )
        self._send(finished)
        return True

    def _what_is_begun(self) -> Begun | None:
        if not self._request.continues:
            return None
        text = self._request.messages[-1].content
        return Begun(text, tuple(self._session.spelled.get(text, ())))

    def _make_guide(self) -> Guide | None:
        if not self._request.schema:
            return None
        begun = () if self._begun is None else self._begun.ids
        return self._model.controls.grammars.guide(self._request.schema, begun)

    def _make_utterance(self) -> Utterance:
        tokenizer, marks = self._model.tokenizer, self._model.controls.marks
        return Utterance(
            tokenizer,
            self._say,
            stop=(*self._request.sampling.stop, *self._model.prompts.stops),
            marks=marks,
            inside=None if self._begun else reasoning.opened(tokenizer, self._prompt, marks),
            begun=self._begun,
        )

    def _make_drafter(self) -> Drafter | None:
        can_verify = self._model.engine.verify_tokens > 1
        if not (self._request.drafts and can_verify):
            return None
        # Logits depend a little on how many tokens a call has: where the answer has to be the same
        # once more, the machine's speed must not decide on that.
        is_to_repeat = self._request.sampling.seed is not None
        return Drafter(self._prompt, StepCosts() if is_to_repeat else self._model.controls.costs)
