"""Which model is in use, how far its load is, and why there is none.

Nothing waits here: the loader and the client work on their own threads, and this class keeps what
they said last. A model is loaded when it is chosen or needed, and again after a host that ended or
a model that rested; only a load that ended the host itself, or one that memory is too short for,
waits for a person.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from app.errors import AppError
from app.models.crash_marker import CrashMarker
from app.models.installed import InstalledModel, InstalledModels
from app.models.loading import Decide, Loader, LoadPlan
from app.models.memory_check import MemoryCheck
from app.models.runner_view import Phase, RunnerView, blocked_view, tight_view
from app.paths import Paths
from app.settings import Settings
from inference import generation_defaults
from inference.client import EngineClient
from inference.errors import (
    InferenceError,
    ModelDamaged,
    ModelMissing,
    ModelNotLoaded,
    WorkerDied,
    from_code,
)
from inference.types import DeviceWish, Event, Failed, Loaded, Sampling

if TYPE_CHECKING:
    from app.ports import Handle

_BROKEN_CODES = (ModelDamaged.code, ModelMissing.code)
_TO_LOAD: tuple[Phase, ...] = ("none", "resting", "failed", "tight")


@dataclass(frozen=True, slots=True, eq=False)
class _Choice:
    """What a person or the settings chose; each is one decision to load."""

    model: InstalledModel
    wish: DeviceWish
    context_tokens: int = 0
    accept_memory: bool = False


class ModelInUse:
    """Chooses and loads; all methods may be called from any thread.

    Args:
        client: Owns the host.
        settings: What is set at the moment.
        decide: Chooses the device for a model; called on a thread where it may block.
        free: What memory is free; see `memory_check.free_bytes`.
        on_settled: Called when a load has ended, well or not.

    Attributes:
        loader: Takes requests that must not overtake a load.
        defaults: How the model's own files say that its answers want to be drawn.
    """

    def __init__(
        self,
        client: EngineClient,
        installed: InstalledModels,
        paths: Paths,
        settings: Callable[[], Settings],
        *,
        decide: Decide,
        free: Callable[[int | None], int],
        on_settled: Callable[[], None],
    ) -> None:
        self._client = client
        self._installed = installed
        self._settings = settings
        self._on_settled = on_settled
        self._marker = CrashMarker(paths.models)
        self._memory = MemoryCheck(installed, settings, free)
        self.loader = Loader(client, self._marker, decide)
        self.defaults = Sampling()
        self._lock = threading.RLock()
        self._view = RunnerView()
        self._choice: _Choice | None = None
        self._begun: _Choice | None = None
        self._load: Handle | None = None

    @property
    def model(self) -> InstalledModel | None:
        """The model that was chosen, or None."""
        choice = self._choice
        return None if choice is None else choice.model

    @property
    def last_view(self) -> RunnerView:
        """What was known when somebody looked last; without a look at the host."""
        return self._view

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

    def release(self, model_id: str) -> bool:
        """Let go of a model; return whether it was in use, so that the host must end."""
        with self._lock:
            if self._choice is None or self._choice.model.id != model_id:
                return False
            self._let_go()
            self._marker.end(model_id)
            self._show(RunnerView())
        return True

    def make_ready(self) -> AppError | InferenceError | None:
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

    def rest(self, is_busy: Callable[[], bool]) -> bool:
        """Give all memory back, unless there is work after all; return whether that was done."""
        with self._lock:
            if is_busy() or self.view().phase != "ready":
                return False
            self._begun = None
            self._show(replace(self._view, phase="resting", device=None))
            self.loader.unload()
        return True

    def explain(self, failed: Failed) -> Failed:
        """Return a failure with the reason why there is no model, where that is the reason."""
        with self._lock:
            if failed.code in _BROKEN_CODES and self._view.phase == "ready":
                # Its files are hashed beside the load; the verdict comes with the first token.
                error = from_code(failed.code, failed.facts)
                self._show(replace(self._view, phase="failed", device=None, error=error))
            refusal = self._refusal()
        if failed.code == ModelNotLoaded.code and refusal is not None:
            return replace(failed, code=refusal.code, facts=refusal.facts)
        return failed

    def stop(self) -> None:
        """Load nothing any more; what waits for a load is ended."""
        with self._lock:
            self._begun = None
            self._show(replace(self._view, phase="none", device=None))
        self.loader.close()

    def forget_load(self) -> None:
        """Take back the mark of a load that was interrupted on purpose."""
        if (model := self.model) is not None:
            self._marker.end(model.id)

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
            self.defaults = defaults
            if waiting is not None:
                self._show(waiting)
                return
            self._begun = choice
            self._show(RunnerView("loading", model.id, model.title, context_tokens=tokens))
            plan = LoadPlan(
                model, choice.wish, tokens, self._memory.budget_bytes(), settings.kv_bits
            )
            self._load = self.loader.load(plan, partial(self._on_load, choice))

    def _why_it_waits(self, choice: _Choice, context_tokens: int) -> RunnerView | None:
        """Return the view of a load that a person must decide on, or None."""
        model = choice.model
        if self._marker.blocks(model.id):
            return blocked_view(model)
        if choice.accept_memory:
            return None
        need = self._memory.need(model, context_tokens, host_pid=self._client.pid)
        return None if need is None else tight_view(model, need)

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
                self._show(blocked_view(model))
            elif isinstance(event, Failed):
                error = from_code(event.code, event.facts)
                self._show(RunnerView("failed", model.id, model.title, error=error))
        self._on_settled()

    def _let_go(self) -> None:
        """Forget what was chosen; the lock is held."""
        if self._load is not None:
            self._load.cancel()
        self._choice = self._begun = self._load = None

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
                is_instruct=loaded.is_instruct,
                error=None,
            )
        )

    def _show(self, view: RunnerView) -> None:
        self._view = replace(view, revision=self._view.revision + 1)
