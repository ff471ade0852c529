"""The model that is in use: chosen, loaded when it is needed, and looked at by everybody.

Nothing waits here: the loader and the client work on their own threads, and this class keeps what
they said last. It loads lazily, at the first `select` or `submit`, and again after a host that
ended or a model that rested; only a load that ended the host itself, or one that memory is too
short for, waits for a person.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from app.errors import AppError, LoadBlocked, MemoryTight
from app.models.crash_marker import CrashMarker
from app.models.idle import IdleWatch, Timer, start_timer
from app.models.installed import InstalledModel, InstalledModels
from app.models.loading import Decide, Loader, LoadPlan, leave_to_host
from app.models.memory_check import MemoryCheck, free_bytes
from app.models.runner_view import KvUse, MemoryNeed, Phase, RunnerView
from app.models.token_counter import Counts
from app.paths import Paths
from app.ports import Handle
from app.settings import Settings
from inference import generation_defaults
from inference.client import EngineClient
from inference.errors import (
    Fact,
    InferenceError,
    ModelDamaged,
    ModelMissing,
    ModelNotLoaded,
    WorkerDied,
    from_code,
)
from inference.types import (
    ChatMessage,
    DeviceChoice,
    DeviceWish,
    Event,
    Failed,
    Finished,
    Lane,
    Loaded,
    Prefilled,
    Sampling,
    is_last,
)

_BROKEN_CODES = (ModelDamaged.code, ModelMissing.code)
_TO_LOAD: tuple[Phase, ...] = ("none", "resting", "failed", "tight")


@dataclass(frozen=True, slots=True, eq=False)
class _Choice:
    """What a person or the settings chose; each is one decision to load."""

    model: InstalledModel
    wish: DeviceWish
    context_tokens: int = 0
    accept_memory: bool = False


class ModelRunner:
    """Implements `app.ports.TextGenerator`; all methods may be called from any thread.

    Args:
        client: Owns the host.
        settings: What is set at the moment.
        counter: Counts prompts.
        decide: Chooses the device for a model; called on a thread where it may block.
        free: What memory is free; see `memory_check.free_bytes`.
        start: Starts the timer for a model that rests.
    """

    def __init__(
        self,
        client: EngineClient,
        installed: InstalledModels,
        paths: Paths,
        settings: Callable[[], Settings],
        *,
        counter: Counts,
        decide: Decide = leave_to_host,
        free: Callable[[int | None], int] = free_bytes,
        start: Callable[[float, Callable[[], None]], Timer] = start_timer,
    ) -> None:
        self._client = client
        self._installed = installed
        self._settings = settings
        self._counter = counter
        self._marker = CrashMarker(paths.models)
        self._memory = MemoryCheck(installed, settings, free)
        self._loader = Loader(client, self._marker, decide)
        self._idle = IdleWatch(lambda: settings().idle_unload_min, self._rest, start)
        self._lock = threading.RLock()
        self._view = RunnerView()
        self._choice: _Choice | None = None
        self._begun: _Choice | None = None
        self._load: Handle | None = None
        self._defaults = Sampling()
        self._kv_bytes = 0

    @property
    def client(self) -> EngineClient:
        """The client that runs it."""
        return self._client

    @property
    def model_id(self) -> str:
        """Id of the model in use, or empty."""
        return self._view.model_id

    @property
    def model(self) -> InstalledModel:
        """The model in use.

        Raises:
            ModelNotLoaded: There is none.
        """
        if (choice := self._choice) is None:
            raise ModelNotLoaded
        return choice.model

    @property
    def device(self) -> DeviceChoice | None:
        """Where it runs, or None while nothing is loaded."""
        return self.view().device

    @property
    def known_device(self) -> DeviceChoice:
        """Where it runs.

        Raises:
            ModelNotLoaded: Nothing is loaded.
        """
        if (device := self.device) is None:
            raise ModelNotLoaded
        return device

    @property
    def context_tokens(self) -> int:
        """Context window in tokens, or 0 without a model."""
        return self._view.context_tokens

    @property
    def default_sampling(self) -> Sampling:
        """How answers are drawn: as the model's files say, and as the person changed for all."""
        return self._settings().sampling_over(self._defaults)

    @property
    def kv_use(self) -> KvUse:
        """What the KV caches take, as far as the last answer said."""
        loaded = self._client.loaded
        return KvUse() if loaded is None else KvUse(self._kv_bytes, loaded.kv_budget_bytes)

    @property
    def can_shrink_kv(self) -> bool:
        """Whether the KV caches can keep 8-bit numbers: no importer makes such folders yet."""
        return False

    def default_id(self) -> str:
        """Return the id of the model to use when nobody names one.

        Raises:
            ModelNotLoaded: No model is installed.
        """
        model = self._installed.default(self._settings())
        if model is None:
            raise ModelNotLoaded
        return model.id

    def view(self) -> RunnerView:
        """Return what is known now. Never blocks."""
        self._notice_host()
        return self._view

    def select(
        self,
        model_id: str,
        *,
        device: DeviceWish = "auto",
        confirm_after_crash: bool = False,
        accept_memory: bool = False,
        context_tokens: int = 0,
        again: bool = False,
    ) -> None:
        """Use a model, and load it in the background unless it is ready; failures are in `view`.

        Reads the disk.

        Args:
            model_id: An installed model.
            device: What to run it on.
            confirm_after_crash: A person asks again for a model whose load ended the process.
            accept_memory: A person wants it loaded although memory is short.
            context_tokens: Its context window; 0 takes what is set, or what was chosen with it.
            again: Load it even where it is ready: another device may be taken now.
        """
        with self._lock:
            known = self._choice
            is_same = known and (known.model.id, known.wish) == (model_id, device)
            if known and is_same and context_tokens in (0, known.context_tokens):
                if self.view().phase in ("loading", "ready") and not again:
                    return
                context_tokens = known.context_tokens
        try:
            model = self._installed.get(model_id)
        except (AppError, InferenceError) as error:
            with self._lock:
                self._let_go()
                self._show(RunnerView("failed", model_id, model_id, error=error))
            return
        choice = _Choice(model, device, context_tokens, accept_memory)
        with self._lock:
            self._let_go()
            self._choice = choice
        if confirm_after_crash:
            self._marker.forgive(model_id)
        self._start_load(choice)

    def release(self, model_id: str) -> None:
        """Let go of a model's files, because it is about to be removed. Waits for the host."""
        with self._lock:
            if self._choice is None or self._choice.model.id != model_id:
                return
            self._let_go()
            self._marker.end(model_id)
            self._show(RunnerView())
        self._counter.forget()
        self._client.restart()

    def count_tokens(self, messages: tuple[ChatMessage, ...]) -> int:
        """Return the prompt's length in tokens, chat template included; 0 without a model.

        Raises:
            InferenceError: The model's tokenizer cannot be used.
        """
        choice = self._choice
        model = choice.model if choice else self._installed.default(self._settings())
        return 0 if model is None else self._counter.count(model.folder, messages)

    def submit(
        self,
        messages: tuple[ChatMessage, ...],
        *,
        session_id: str,
        sampling: Sampling,
        sink: Callable[[Event], None],
        lane: Lane = "interactive",
        drafts: bool = False,
        continues: bool = False,
        schema: str = "",
    ) -> Handle:
        """Start answering, loading the model first where needed; see `TextGenerator.submit`."""
        self._idle.begin()  # before the look at the phase, or the model might go to rest after it
        error = self._make_ready()
        hand_on = partial(self._hand_on, sink)
        if error is not None:
            hand_on(Failed(0, error.code, error.facts))
            return _Ended()
        begin = partial(
            self._client.submit,
            messages,
            session_id=session_id,
            sampling=sampling,
            sink=hand_on,
            lane=lane,
            drafts=drafts,
            continues=continues,
            schema=schema,
        )
        return self._loader.submit(begin, hand_on)

    def prefill(self, messages: tuple[ChatMessage, ...], *, session_id: str) -> Handle:
        """Compute ahead; see `TextGenerator.prefill`."""
        self._idle.begin()
        if self.view().phase != "ready":
            self._idle.end()
            return _Ended()
        hand_on = partial(self._hand_on, lambda _event: None)
        return self._client.prefill(messages, session_id=session_id, sink=hand_on)

    def drop_session(self, session_id: str) -> None:
        """Give back a session's KV cache."""
        self._client.drop_session(session_id)

    def close(self) -> None:
        """End the host; a load that this interrupts is no crash."""
        with self._lock:
            choice = self._choice
            self._begun = None
            self._show(replace(self._view, phase="none", device=None))
        self._loader.close()
        self._client.close()
        self._counter.close()
        self._idle.stop()
        if choice is not None:
            self._marker.end(choice.model.id)

    def _make_ready(self) -> AppError | InferenceError | None:
        """See that a model is loaded or about to be; return why there is none."""
        view, choice = self.view(), self._choice
        if choice is not None and view.phase in _TO_LOAD:
            self._start_load(choice)
        elif choice is None and not view.model_id:
            model = self._installed.default(self._settings())
            if model is None:
                return ModelNotLoaded()
            self.select(model.id, device=self._settings().device)
        return self._refusal()

    def _refusal(self) -> AppError | InferenceError | None:
        with self._lock:
            error = self._view.error
        return error if isinstance(error, AppError | InferenceError) else None

    def _start_load(self, choice: _Choice) -> None:
        """Load what was chosen, unless that is under way or something else was chosen since."""
        model = choice.model
        tokens = self._memory.context_tokens(model, choice.context_tokens)
        waiting = self._why_it_waits(choice, tokens)
        defaults = generation_defaults.read(model.folder)
        settings = self._settings()
        with self._lock:
            is_under_way = self._begun is choice and self._view.phase in ("loading", "ready")
            if self._choice is not choice or is_under_way:
                return
            self._defaults = defaults
            if waiting is not None:
                self._show(waiting)
                return
            self._begun = choice
            self._show(RunnerView("loading", model.id, model.title, context_tokens=tokens))
            plan = LoadPlan(
                model, choice.wish, tokens, self._memory.budget_bytes(), settings.kv_bits
            )
            self._load = self._loader.load(plan, partial(self._on_load, choice))

    def _why_it_waits(self, choice: _Choice, context_tokens: int) -> RunnerView | None:
        """Return the view of a load that a person must decide on, or None."""
        model = choice.model
        if self._marker.blocks(model.id):
            return _blocked(model)
        if choice.accept_memory:
            return None
        need = self._memory.need(model, context_tokens, host_pid=self._client.pid)
        return None if need is None else _tight(model, need)

    def _on_load(self, choice: _Choice, event: Event) -> None:
        model = choice.model
        is_crash = isinstance(event, Failed) and event.code == WorkerDied.code
        with self._lock:
            is_current = self._begun is choice
            if is_crash:
                self._marker.crashed(model.id)
            elif is_current or self._view.model_id != model.id:
                self._marker.end(model.id)
            if not is_current:
                return
            self._load = None
            if isinstance(event, Loaded):
                self._show_ready(event)
            elif is_crash:
                self._show(_blocked(model))
            elif isinstance(event, Failed):
                error = from_code(event.code, event.facts)
                self._show(RunnerView("failed", model.id, model.title, error=error))
        self._idle.touch()

    def _rest(self) -> None:
        """Give all memory back: nobody has asked anything for a while."""
        with self._lock:
            if self._idle.is_busy or self.view().phase != "ready":
                return
            self._begun = None
            self._kv_bytes = 0
            self._show(replace(self._view, phase="resting", device=None))
            self._loader.unload()
        self._counter.forget()

    def _let_go(self) -> None:
        """Forget what was chosen; the lock is held."""
        if self._load is not None:
            self._load.cancel()
        self._choice = self._begun = self._load = None
        self._kv_bytes = 0

    def _hand_on(self, sink: Callable[[Event], None], event: Event) -> None:
        """Hand an answer's event on; one that failed for want of a model says why there is none."""
        if isinstance(event, Finished | Prefilled) and event.kv_bytes:
            self._kv_bytes = event.kv_bytes
        if is_last(event):
            self._notice_host()
            self._idle.end()
        if isinstance(event, Failed):
            event = self._explain(event)
        sink(event)

    def _explain(self, failed: Failed) -> Failed:
        with self._lock:
            if failed.code in _BROKEN_CODES and self._view.phase == "ready":
                # Its files are hashed beside the load; the verdict comes with the first token.
                error = from_code(failed.code, failed.facts)
                self._show(replace(self._view, phase="failed", device=None, error=error))
            refusal = self._refusal()
        if failed.code == ModelNotLoaded.code and refusal is not None:
            return replace(failed, code=refusal.code, facts=refusal.facts)
        return failed

    def _notice_host(self) -> None:
        """Bring the view in step with a host that ended, or came back by itself."""
        with self._lock:
            loaded = self._client.loaded
            if self._view.phase == "ready" and loaded is None:
                self._show(replace(self._view, phase="none", device=None))
            elif self._view.phase == "none" and self._begun is not None and loaded is not None:
                self._show_ready(loaded)

    def _show_ready(self, loaded: Loaded) -> None:
        self._show(
            replace(
                self._view,
                phase="ready",
                device=loaded.device,
                context_tokens=loaded.context_tokens,
                error=None,
            )
        )

    def _show(self, view: RunnerView) -> None:
        self._view = replace(view, revision=self._view.revision + 1)


class _Ended:
    """The handle of a request that has ended already."""

    def cancel(self) -> None:
        """Do nothing."""


def _blocked(model: InstalledModel) -> RunnerView:
    return RunnerView("blocked", model.id, model.title, error=LoadBlocked(model=model.title))


def _tight(model: InstalledModel, need: MemoryNeed) -> RunnerView:
    facts: dict[str, Fact] = {
        "model": model.title,
        "needed_bytes": need.needed_bytes,
        "free_bytes": need.free_bytes,
    }
    if need.smaller_context_tokens:
        facts["fitting_tokens"] = need.smaller_context_tokens
    if need.smaller_model_id:
        facts["fitting_model"] = need.smaller_model_id
    return RunnerView(
        "tight",
        model.id,
        model.title,
        context_tokens=need.context_tokens,
        error=MemoryTight(**facts),
        memory=need,
    )
