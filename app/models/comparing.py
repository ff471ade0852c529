"""Models or devices on the same prompts and the same text, one after the other.

Each has a host process of its own that ends before the next one begins, so that no two of them are
in memory at once, and each one's memory and speed are its own. The model that the window uses stays
where it is: what it takes counts as taken.
"""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import uuid4

from app.errors import AppError, ComparisonTight
from app.models.comparing_values import (
    CONTEXT_TOKENS,
    Answered,
    ComparisonReport,
    Contender,
    Measured,
    Trial,
)
from app.models.device_values import Decision
from app.models.installed import InstalledModel, InstalledModels
from app.models.memory_check import MemoryCheck, free_bytes
from app.models.task import Task
from app.settings import Settings
from inference.child import Child
from inference.client import EngineClient
from inference.errors import Cancelled, InferenceError
from inference.scoring_frames import Scored
from inference.stream import Stream
from inference.types import (
    ChatMessage,
    Event,
    Finished,
    LastEvent,
    Loaded,
    PrefillProgress,
    Sampling,
)

OnUpdate = Callable[[ComparisonReport], None]

# How often a person sees the answer grow, and how soon a wish to stop is heard.
_LOOK_S = 0.1
_WARM_UP = "Hello"


class Comparison:
    """Compares; any thread but the GUI's, for `run` blocks for minutes.

    Args:
        launch: Starts a host process.
        decide: Chooses the device for a wish; may block.
        free: What memory is free; see `memory_check.free_bytes`.
    """

    def __init__(
        self,
        launch: Callable[[], Child],
        installed: InstalledModels,
        settings: Callable[[], Settings],
        *,
        decide: Callable[[InstalledModel, str], Decision],
        free: Callable[[int | None], int] = free_bytes,
    ) -> None:
        self._launch = launch
        self._installed = installed
        self._memory = MemoryCheck(installed, settings, free)
        self._decide = decide

    def run(
        self,
        contenders: Sequence[Contender],
        trial: Trial,
        *,
        task: Task,
        on_update: OnUpdate = lambda _report: None,
    ) -> ComparisonReport:
        """Measure one contender after the other; one that fails says so and the next one begins.

        Args:
            contenders: Usually two.
            trial: What each of them is given.
            task: Ends it, within a moment, wherever it is.
            on_update: Called with all that is known, about ten times a second.

        Raises:
            ModelUnknown: No installed model has an id that was given.
            ComparisonTight: Too little memory is free for one of them; nothing was loaded.
            Cancelled: `task` was stopped; what `on_update` was last called with stays true.
        """
        models = [self._installed.get(each.model_id) for each in contenders]
        context = min(
            self._memory.context_tokens(each, trial.context_tokens or CONTEXT_TOKENS)
            for each in models
        )
        if not trial.accepts_memory:
            for model in models:
                self._check_memory(model, context)
        board = _Board(trial, contenders, models, context, on_update)
        for at, model in enumerate(models):
            bout = _Bout(board, at, task)
            try:
                bout.note(stage="device")
                decision = self._decide(model, contenders[at].device)
                task.check()
                with closing(EngineClient(self._launch)) as client:
                    bout.measure(client, model, decision)
            except Cancelled:
                bout.note(stage="stopped")
                raise
            except (AppError, InferenceError) as error:
                bout.note(stage="failed", error=error)
        return board.report

    def _check_memory(self, model: InstalledModel, context_tokens: int) -> None:
        need = self._memory.need(model, context_tokens, host_pid=None)
        if need is not None:
            raise ComparisonTight(
                model=model.title, needed_bytes=need.needed_bytes, free_bytes=need.free_bytes
            )


class _Board:
    """Everything that is known, told anew with each change."""

    def __init__(
        self,
        trial: Trial,
        contenders: Sequence[Contender],
        models: Sequence[InstalledModel],
        context_tokens: int,
        on_update: OnUpdate,
    ) -> None:
        self._on_update = on_update
        self.trial = trial
        measured = (
            Measured(contender, model.title, model.quantization, model.disk_bytes)
            for contender, model in zip(contenders, models, strict=True)
        )
        self.report = ComparisonReport(trial.prompts, context_tokens, tuple(measured))
        on_update(self.report)

    def note(self, at: int, **changes: Any) -> None:
        """Change what is known of one contender; see `Measured`."""
        measured = list(self.report.measured)
        measured[at] = replace(measured[at], **changes)
        self.report = replace(self.report, measured=tuple(measured))
        self._on_update(self.report)

    def passage(self) -> tuple[str, int]:
        """Return what the next one reads, and in how many tokens at most.

        The first one's vocabulary decides how far 512 tokens go; the others may need more of them.
        """
        for each in self.report.measured:
            if each.scored is not None:
                text = self.trial.text[: each.scored.read_characters]
                return text, max(2, self.report.context_tokens - 1)
        return self.trial.text, self.trial.text_tokens


class _Bout:
    """One contender's turn."""

    def __init__(self, board: _Board, at: int, task: Task) -> None:
        self._board = board
        self._task = task
        self.note = partial(board.note, at)

    def measure(self, client: EngineClient, model: InstalledModel, decision: Decision) -> None:
        """Measure it in a host that does nothing else.

        Raises:
            InferenceError: It could not go on; what was noted stays.
            Cancelled: The task was stopped.
        """
        self.note(stage="loading")
        stream = Stream()
        client.load(
            model.folder,
            sink=stream.put,
            context_tokens=self._board.report.context_tokens,
            target=decision.target,
            reason=decision.reason,
        )
        loaded = self._wait(stream)
        assert isinstance(loaded, Loaded)  # noqa: S101 - how every load ends
        self.note(stage="answering", device=loaded.device, load_s=loaded.load_s)
        # The first answer waits for the files' verification, and on a GPU for its shaders.
        self._answer(client, _WARM_UP, new_tokens=1, show=lambda _answered: None)
        answers: tuple[Answered, ...] = ()
        for prompt in self._board.trial.prompts:
            before = answers

            def show(answered: Answered, before: tuple[Answered, ...] = before) -> None:
                self.note(answers=(*before, answered))

            new_tokens = self._board.trial.answer_tokens
            answers = (*before, self._answer(client, prompt, new_tokens=new_tokens, show=show))
        if self._board.trial.text:
            self._score(client)
        self.note(stage="done")

    def _answer(
        self,
        client: EngineClient,
        prompt: str,
        *,
        new_tokens: int,
        show: Callable[[Answered], None],
    ) -> Answered:
        stream = Stream()
        session_id = f"compare-{uuid4().hex}"
        client.submit(
            (ChatMessage("user", prompt),),
            session_id=session_id,
            sampling=Sampling(temperature=0, max_new_tokens=new_tokens),
            sink=stream.put,
        )
        last = self._wait(stream, lambda: show(Answered(stream.text, stream.thought)))
        assert isinstance(last, Finished)  # noqa: S101 - how every answer ends
        client.drop_session(session_id)
        answered = Answered(stream.text, stream.thought, last)
        self.note(peak_bytes=last.peak_bytes)
        show(answered)
        return answered

    def _score(self, client: EngineClient) -> None:
        stream = Stream()
        shares = [0.0]

        def take(event: Event) -> None:
            if isinstance(event, PrefillProgress):
                shares.append(event.done_tokens / event.total_tokens)
            stream.put(event)

        self.note(stage="scoring")
        text, most = self._board.passage()
        client.score(text, max_tokens=most, sink=take)
        last = self._wait(stream, lambda: self.note(scored_share=shares[-1]))
        assert isinstance(last, Scored)  # noqa: S101 - how every scoring ends
        self.note(scored=last, scored_share=1.0)

    def _wait(self, stream: Stream, look: Callable[[], None] = lambda: None) -> LastEvent:
        """Wait for the end, looking for a wish to stop and at what has come."""
        while True:
            self._task.check()
            try:
                return stream.wait(_LOOK_S)
            except TimeoutError:
                look()
