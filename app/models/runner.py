"""The model that is in use: chosen, loaded when it is needed, and looked at by everybody.

Nothing waits here: the client loads and answers on its own threads, and this class keeps what they
said last. It loads lazily, at the first `select` or `submit`, and again after a host that ended;
only a load that ended the host itself is not repeated until a person asks.
"""

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from app.errors import AppError, LoadBlocked
from app.models.crash_marker import CrashMarker
from app.models.installed import InstalledModel, InstalledModels
from app.models.runner_view import RunnerView
from app.models.token_counter import TokenCounter
from app.paths import Paths
from app.ports import Handle
from app.settings import Settings
from inference.client import EngineClient
from inference.errors import (
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
    Lane,
    Loaded,
    Sampling,
    is_last,
)

_BROKEN_CODES = (ModelDamaged.code, ModelMissing.code)


class ModelRunner:
    """Implements `app.ports.TextGenerator`; all methods may be called from any thread."""

    def __init__(
        self,
        client: EngineClient,
        installed: InstalledModels,
        paths: Paths,
        settings: Settings,
    ) -> None:
        self._client = client
        self._installed = installed
        self._settings = settings
        self._marker = CrashMarker(paths.models)
        self._counter = TokenCounter()
        self._lock = threading.RLock()
        self._view = RunnerView()
        self._model: InstalledModel | None = None
        self._wish: DeviceWish = settings.device
        self._load: Handle | None = None
        self._load_number = 0

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
        if self._model is None:
            raise ModelNotLoaded
        return self._model

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
        """How the model in use wants its answers drawn."""
        return self._settings.sampling

    def default_id(self) -> str:
        """Return the id of the model to use when nobody names one.

        Raises:
            ModelNotLoaded: No model is installed.
        """
        model = self._installed.default(self._settings)
        if model is None:
            raise ModelNotLoaded
        return model.id

    def view(self) -> RunnerView:
        """Return what is known now. Never blocks."""
        self._notice_host()
        return self._view

    def select(
        self, model_id: str, *, device: DeviceWish = "auto", confirm_after_crash: bool = False
    ) -> None:
        """Use a model, and load it in the background unless it is ready; failures are in `view`.

        Args:
            model_id: An installed model.
            device: What to run it on.
            confirm_after_crash: A person asks again for a model whose load ended the process.
        """
        with self._lock:
            is_same = self._view.model_id == model_id and self._wish == device
            if is_same and self.view().phase in ("loading", "ready"):
                return
            if self._load is not None:
                self._load.cancel()
            self._wish = device
            try:
                self._model = self._installed.get(model_id)
            except (AppError, InferenceError) as error:
                self._model = None
                self._show(RunnerView("failed", model_id, model_id, error=error))
                return
            if confirm_after_crash:
                self._marker.forgive(model_id)
            self._start_load(self._model)

    def release(self, model_id: str) -> None:
        """Let go of a model's files, because it is about to be removed."""
        with self._lock:
            if self._model is None or self._model.id != model_id:
                return
            if self._load is not None:
                self._load.cancel()
            self._load_number += 1
            self._model = self._load = None
            self._marker.end(model_id)
            self._show(RunnerView())
        self._counter.forget()
        self._client.restart()

    def count_tokens(self, messages: tuple[ChatMessage, ...]) -> int:
        """Return the prompt's length in tokens, chat template included; 0 without a model.

        Raises:
            InferenceError: The model's tokenizer cannot be used.
        """
        model = self._model or self._installed.default(self._settings)
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
        error = self._make_ready()
        if error is not None:
            sink(Failed(0, error.code, error.facts))
            return _Ended()
        return self._client.submit(
            messages,
            session_id=session_id,
            sampling=sampling,
            sink=partial(self._hand_on, sink),
            lane=lane,
            drafts=drafts,
            continues=continues,
            schema=schema,
        )

    def prefill(self, messages: tuple[ChatMessage, ...], *, session_id: str) -> Handle:
        """Compute ahead; see `TextGenerator.prefill`."""
        if self.view().phase != "ready":
            return _Ended()
        return self._client.prefill(messages, session_id=session_id, sink=lambda _event: None)

    def drop_session(self, session_id: str) -> None:
        """Give back a session's KV cache."""
        self._client.drop_session(session_id)

    def close(self) -> None:
        """End the host; a load that this interrupts is no crash."""
        with self._lock:
            self._load_number += 1
            self._show(replace(self._view, phase="none", device=None))
        self._client.close()
        if self._model is not None:
            self._marker.end(self._model.id)

    def _make_ready(self) -> AppError | InferenceError | None:
        """See that a model is loaded or about to be; return why there is none."""
        with self._lock:
            view = self.view()
            if self._model is None and not view.model_id:
                model = self._installed.default(self._settings)
                if model is None:
                    return ModelNotLoaded()
                self.select(model.id, device=self._settings.device)
            elif self._model is not None and view.phase in ("none", "failed"):
                self._start_load(self._model)
            return self._refusal()

    def _refusal(self) -> AppError | InferenceError | None:
        error = self._view.error
        is_refused = self._view.phase in ("failed", "blocked")
        return error if is_refused and isinstance(error, AppError | InferenceError) else None

    def _start_load(self, model: InstalledModel) -> None:
        if self._marker.blocks(model.id):
            self._show_blocked(model)
            return
        self._load_number += 1
        self._show(
            RunnerView("loading", model.id, model.title, context_tokens=model.context_tokens)
        )
        self._marker.begin(model.id)
        on_event = partial(self._on_load, self._load_number, model)
        self._load = self._client.load(model.folder, device=self._wish, sink=on_event)

    def _on_load(self, number: int, model: InstalledModel, event: Event) -> None:
        is_crash = isinstance(event, Failed) and event.code == WorkerDied.code
        with self._lock:
            if is_crash:
                self._marker.crashed(model.id)
            elif number == self._load_number or self._view.model_id != model.id:
                self._marker.end(model.id)
            if number != self._load_number:
                return
            self._load = None
            if isinstance(event, Loaded):
                self._show_ready(event)
            elif is_crash:
                self._show_blocked(model)
            elif isinstance(event, Failed):
                error = from_code(event.code, event.facts)
                self._show(RunnerView("failed", model.id, model.title, error=error))

    def _hand_on(self, sink: Callable[[Event], None], event: Event) -> None:
        """Hand an answer's event on; one that failed for want of a model says why there is none."""
        if is_last(event):
            self._notice_host()
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
            elif self._view.phase == "none" and self._model is not None and loaded is not None:
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

    def _show_blocked(self, model: InstalledModel) -> None:
        error = LoadBlocked(model=model.title)
        self._show(RunnerView("blocked", model.id, model.title, error=error))

    def _show(self, view: RunnerView) -> None:
        self._view = replace(view, revision=self._view.revision + 1)


class _Ended:
    """The handle of a request that has ended already."""

    def cancel(self) -> None:
        """Do nothing."""
