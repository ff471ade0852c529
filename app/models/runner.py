"""The model that is in use, as everybody who wants text from one sees it."""

import threading
from collections.abc import Callable
from functools import partial

from app.models.idle import IdleWatch, Timer, start_timer
from app.models.in_use import ModelInUse
from app.models.installed import InstalledModel, InstalledModels, TaskName
from app.models.loading import Decide, leave_to_host
from app.models.memory_check import free_bytes
from app.models.runner_view import KvUse, RunnerView
from app.models.token_counter import Counts
from app.paths import Paths
from app.ports import Handle
from app.settings import Settings
from inference import devices, int8_record
from inference.client import EngineClient
from inference.engine import library
from inference.errors import ModelNotLoaded
from inference.types import (
    ChatMessage,
    DeviceChoice,
    DeviceWish,
    Event,
    Failed,
    Finished,
    Lane,
    Prefilled,
    Sampling,
    is_last,
)


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
        self._idle = IdleWatch(lambda: settings().idle_unload_min, self._rest, start)
        self._in_use = ModelInUse(
            client,
            installed,
            paths,
            settings,
            decide=decide,
            free=free,
            on_settled=self._on_settled,
        )
        self._kv_bytes = 0
        self._lock = threading.Lock()
        self._answers = 0

    @property
    def client(self) -> EngineClient:
        """The client that runs it."""
        return self._client

    @property
    def model_id(self) -> str:
        """Id of the model in use, or empty."""
        return self._in_use.last_view.model_id

    @property
    def model(self) -> InstalledModel:
        """The model in use.

        Raises:
            ModelNotLoaded: There is none.
        """
        if (model := self._in_use.model) is None:
            raise ModelNotLoaded
        return model

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
    def is_busy(self) -> bool:
        """Whether a request is under way."""
        return self._idle.is_busy

    @property
    def context_tokens(self) -> int:
        """Context window in tokens, or 0 without a model."""
        return self._in_use.last_view.context_tokens

    @property
    def default_sampling(self) -> Sampling:
        """How answers are drawn: as the model's files say, and as the person changed for all."""
        return self._settings().sampling_over(self._in_use.defaults)

    @property
    def kv_use(self) -> KvUse:
        """What the KV caches take, as far as the last answer said."""
        loaded = self._client.loaded
        if loaded is None:
            return KvUse()
        return KvUse(self._kv_bytes, loaded.kv_budget_bytes, loaded.kv_reason)

    @property
    def can_shrink_kv(self) -> bool:
        """Whether the model in use can keep 8-bit numbers in its KV caches; reads a few bytes."""
        device, model = self.device, self._in_use.model
        if model is None or (device is not None and device.provider != devices.CPU_PROVIDER):
            return False
        return int8_record.is_offered(model.folder, library.versions())

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
        return self._in_use.view()

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
        """Use a model, and load it in the background; see `ModelInUse.select`."""
        self._in_use.select(
            model_id,
            device=device,
            confirm_after_crash=confirm_after_crash,
            accept_memory=accept_memory,
            context_tokens=context_tokens,
            again=again,
        )

    def use_for(self, task: TaskName) -> None:
        """Use the model that a person gave a task; reads the disk.

        Nothing changes while an answer is being written, which another model could not go on with,
        nor where no task has a model of its own.
        """
        settings = self._settings()
        if not settings.task_models or self._answers:
            return
        wanted = self._installed.default(settings, task)
        if wanted is not None and wanted.id != self.model_id:
            self.select(wanted.id, device=settings.device)

    def release(self, model_id: str) -> None:
        """Let go of a model's files, because it is about to be removed. Waits for the host."""
        if self._in_use.release(model_id):
            self._counter.forget()
            self._client.restart()

    def count_tokens(self, messages: tuple[ChatMessage, ...]) -> int:
        """Return the prompt's length in tokens, chat template included; 0 without a model.

        Raises:
            InferenceError: The model's tokenizer cannot be used.
        """
        model = self._in_use.model or self._installed.default(self._settings())
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
        error = self._in_use.make_ready()
        hand_on = partial(self._hand_on, self._counting(sink))
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
        return self._in_use.loader.submit(begin, hand_on)

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
        self._in_use.stop()
        self._client.close()
        self._counter.close()
        self._idle.stop()
        self._in_use.forget_load()

    def _on_settled(self) -> None:
        self._kv_bytes = 0
        self._idle.touch()

    def _rest(self) -> None:
        """Give all memory back: nobody has asked anything for a while."""
        if self._in_use.rest(lambda: self._idle.is_busy):
            self._counter.forget()

    def _counting(self, sink: Callable[[Event], None]) -> Callable[[Event], None]:
        """Count an answer from now until its last event."""
        with self._lock:
            self._answers += 1

        def counted(event: Event) -> None:
            if is_last(event):
                with self._lock:
                    self._answers -= 1
            sink(event)

        return counted

    def _hand_on(self, sink: Callable[[Event], None], event: Event) -> None:
        """Hand an answer's event on; one that failed for want of a model says why there is none."""
        if isinstance(event, Finished | Prefilled) and event.kv_bytes:
            self._kv_bytes = event.kv_bytes
        if is_last(event):
            self._in_use.view()  # so that who looks next knows of a host that ended
            self._idle.end()
        if isinstance(event, Failed):
            event = self._in_use.explain(event)
        sink(event)


class _Ended:
    """The handle of a request that has ended already."""

    def cancel(self) -> None:
        """Do nothing."""
