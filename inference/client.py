"""The handle that other code holds on the inference host: what can be asked of it.

See `inference.dispatch` for how it is done.
"""

import itertools
from collections.abc import Callable
from pathlib import Path

from inference.child import Child
from inference.dispatch import Dispatcher, Handle
from inference.pending import Pending, Sink
from inference.scoring_frames import MOST_TOKENS, ScoreText
from inference.types import (
    BareRun,
    ChatMessage,
    DeviceTarget,
    DeviceWish,
    GenerationRequest,
    Lane,
    Loaded,
    LoadModel,
    Prefill,
    Sampling,
)
from inference.watchdog import Limits

__all__ = ["EngineClient", "Handle"]


class EngineClient:
    """Starts the host when it is needed, queues, submits, cancels, and restarts it after a crash.

    All methods may be called from any thread and none but `close` waits for the host. Every event
    of a request goes to its sink, in order and from one thread at a time, the last one exactly
    once; a request that cannot be sent fails through its sink as well.

    Requests of three kinds run beside each other, the more urgent first: interactive, computing
    ahead, batch. Of each kind one runs, and the next waits for it.

    Args:
        launch: Starts a host process; may raise OSError.
        limits: How long a host may be silent.
    """

    def __init__(self, launch: Callable[[], Child], *, limits: Limits | None = None) -> None:
        self._ids = itertools.count(1)
        self._dispatcher = Dispatcher(launch, self._ids, limits or Limits())

    @property
    def pid(self) -> int | None:
        """The host's process id, or None while none runs."""
        return self._dispatcher.pid

    @property
    def loaded(self) -> Loaded | None:
        """What the host said about the model that is in it, or None."""
        return self._dispatcher.loaded

    def load(
        self,
        folder: Path,
        *,
        sink: Sink,
        device: DeviceWish = "auto",
        context_tokens: int = 0,
        target: DeviceTarget | None = None,
        reason: str = "",
        kv_budget_bytes: int = 0,
        kv_bits: int = 32,
        threads: int = 0,
        spins: bool = True,
    ) -> Handle:
        """Load a model, after what was submitted before; see `LoadModel`.

        `sink` gets `Loaded` or `Failed`.
        """
        command = LoadModel(
            next(self._ids),
            str(folder.absolute()),
            device,
            context_tokens,
            target=target,
            reason=reason,
            kv_budget_bytes=kv_budget_bytes,
            kv_bits=kv_bits,
            threads=threads,
            spins=spins,
        )
        return self._dispatcher.submit(Pending(command, sink))

    def submit(
        self,
        messages: tuple[ChatMessage, ...],
        *,
        session_id: str,
        sink: Sink,
        sampling: Sampling | None = None,
        lane: Lane = "interactive",
        drafts: bool = False,
        ignore_eos: bool = False,
        continues: bool = False,
        schema: str = "",
    ) -> Handle:
        """Start answering; see `GenerationRequest`."""
        command = GenerationRequest(
            next(self._ids),
            session_id,
            messages,
            sampling or Sampling(),
            lane=lane,
            drafts=drafts,
            ignore_eos=ignore_eos,
            continues=continues,
            schema=schema,
        )
        return self._dispatcher.submit(Pending(command, sink, may_return=lane == "batch"))

    def prefill(self, messages: tuple[ChatMessage, ...], *, session_id: str, sink: Sink) -> Handle:
        """Compute ahead; see `Prefill`. `sink` gets `Prefilled` or `Failed`.

        A newer one takes the place of an older one, and without a model in the host it does
        nothing: both are `Prefilled` as well.
        """
        return self._dispatcher.submit(
            Pending(Prefill(next(self._ids), session_id, messages), sink)
        )

    def score(self, text: str, *, sink: Sink, max_tokens: int = MOST_TOKENS) -> Handle:
        """Measure how well the model foresees a text; see `ScoreText`.

        `sink` gets `PrefillProgress` on the way, and `Scored` or `Failed`.
        """
        request_id = next(self._ids)
        command = ScoreText(request_id, f"score-{request_id}", text, max_tokens)
        return self._dispatcher.submit(Pending(command, sink))

    def bare_run(self, prompt_tokens: int, new_tokens: int, *, sink: Sink) -> Handle:
        """Run the runtime's own loop; `sink` gets `BareMeasured` or `Failed`."""
        return self._dispatcher.submit(
            Pending(BareRun(next(self._ids), prompt_tokens, new_tokens), sink)
        )

    def drop_session(self, session_id: str) -> None:
        """Give back a session's KV cache, as soon as nothing works on it."""
        self._dispatcher.drop_session(session_id)

    def restart(self) -> None:
        """End the host; what it was doing fails, and the next request starts another one."""
        self._dispatcher.restart()

    def close(self) -> None:
        """End the host; what runs or waits is ended as cancelled. Waits for the threads."""
        self._dispatcher.close()
