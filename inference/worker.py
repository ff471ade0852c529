"""The thread that owns the model: steps the most urgent request, and looks for others in between.

It alone touches the native runtime. A step is a chunk of a prompt or a token; whatever waits goes
on from where it was. What a person waits for does not even wait for the step under way, which the
reader's thread interrupts.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue

from inference import memory, model
from inference.ahead import Ahead
from inference.answer import Answer
from inference.errors import (
    BadFrame,
    ContextOverflow,
    EmptyPrompt,
    InferenceError,
    ModelNotLoaded,
    OutOfMemory,
)
from inference.interrupting import Interrupter
from inference.jobs import Job, Jobs, Work, must_wait_for
from inference.scoring import Scoring
from inference.scoring_frames import ScoreText
from inference.types import (
    Alive,
    BareMeasured,
    BareRun,
    Cancel,
    Command,
    DropSession,
    Event,
    Failed,
    GenerationRequest,
    LoadModel,
    Prefill,
    Stepwise,
)
from inference.unbegun import Unbegun, cancelled
from inference.urgency import Urgency, urgency

ALIVE_S = 1.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Arrival:
    command: Command
    at_s: float


class Worker:
    """Runs commands, at most one request of each urgency at a time; a Cancel overtakes them.

    Args:
        send: Takes every event, from one thread at a time.
    """

    def __init__(self, send: Callable[[Event], None]) -> None:
        self._send_event = send
        self._sent_s = 0.0
        self._inbox: SimpleQueue[_Arrival | None] = SimpleQueue()
        self._waiting: list[_Arrival] = []
        self._cancelled: set[int] = set()
        self._jobs = Jobs()
        self._model: model.Model | None = None
        self._interrupter = Interrupter()
        self._unbegun = Unbegun()
        self._sending = threading.Lock()
        self._is_idle = True
        self._is_closing = False

    def put(self, command: Command) -> None:
        """Hand over a command; called by the reader."""
        if isinstance(command, Cancel):
            if (ended := self._unbegun.take(command.request_id)) is not None:
                self._send(cancelled(ended))
                return
            self._cancelled.add(command.request_id)
            self._interrupter.interrupt(Urgency.INTERACTIVE)
        else:
            self._unbegun.add(command)
            self._inbox.put(_Arrival(command, time.perf_counter()))
            if not isinstance(command, DropSession):
                self._interrupter.interrupt(Urgency(urgency(command) + 1))

    def close(self) -> None:
        """Let `run` return when it has done what came before."""
        self._inbox.put(None)

    def run(self) -> None:
        """Work until `close`."""
        while self._take_in():
            self._step()
        self._unload()

    def _take_in(self) -> bool:
        """Begin what may begin of what has come, waiting only when there is nothing to do."""
        while True:
            try:
                arrival = self._inbox.get(block=self._is_idle and not self._is_closing)
            except Empty:
                break
            self._is_idle = False
            if arrival is None:
                self._is_closing = True
            else:
                self._waiting.append(arrival)
        self._begin_waiting()
        return bool(self._jobs) or not self._is_closing

    def _begin_waiting(self) -> None:
        held: list[_Arrival] = []
        for arrival in self._waiting:
            command = arrival.command
            if not self._is_wanted(command):
                continue
            if (ahead := self._jobs.giving_way_to(command)) is not None:
                self._cancelled.add(ahead.command.request_id)
            is_overtaking = any(must_wait_for(command, earlier.command) for earlier in held)
            if is_overtaking or not self._jobs.may_begin(command):
                held.append(arrival)
            else:
                self._try_to_begin(arrival)
        self._waiting = held

    def _try_to_begin(self, arrival: _Arrival) -> None:
        command = arrival.command
        failure = self._failure(partial(self._begin, arrival))
        if failure is None:
            return
        is_request = isinstance(command, Stepwise)
        if not is_request or self._unbegun.take(_request_id(command)) is not None:
            self._fail(command, failure)

    def _is_wanted(self, command: Command) -> bool:
        """Say whether a request was not ended before it began."""
        is_request = isinstance(command, Stepwise)
        return not is_request or _request_id(command) in self._unbegun

    def _begin(self, arrival: _Arrival) -> None:
        match arrival.command:
            case LoadModel() as command:
                self._load(command)
            case GenerationRequest() | Prefill() | ScoreText() as command:
                self._begin_job(command, arrival.at_s)
            case BareRun() as command:
                seconds = self._loaded().engine.bare_run(command.prompt_tokens, command.new_tokens)
                self._send(BareMeasured(command.request_id, *seconds))
            case DropSession() as command:
                if self._model is not None:
                    self._model.sessions.drop(command.session_id)
            case command:
                raise BadFrame(reason=type(command).__name__)

    def _load(self, command: LoadModel) -> None:
        self._unload()  # first, or two models would be in memory
        self._model, loaded = model.load(command)
        self._send(loaded)

    def _unload(self) -> None:
        if self._model is not None:
            self._model.close()
            self._model = None
            memory.give_back()

    def _begin_job(self, command: Stepwise, arrived_s: float) -> None:
        sessions = self._loaded().sessions
        sessions.hold(command.session_id)
        try:
            work = self._make_work(self._loaded(), command, arrived_s)
        except (ContextOverflow, EmptyPrompt):
            sessions.release(command.session_id)  # its cache is as it was
            raise
        except BaseException:
            self._lose_session(command.session_id)
            raise
        if self._unbegun.take(command.request_id) is None:
            sessions.release(command.session_id)  # it has ended meanwhile
        else:
            self._jobs.put(Job(command, work))

    def _make_work(self, loaded: model.Model, command: Stepwise, arrived_s: float) -> Work:
        def is_cancelled() -> bool:
            return command.request_id in self._cancelled

        if isinstance(command, Prefill):
            return Ahead(loaded, command, send=self._send, is_cancelled=is_cancelled)
        if isinstance(command, ScoreText):
            return Scoring(loaded, command, send=self._send, is_cancelled=is_cancelled)
        return Answer(
            loaded, command, arrived_s=arrived_s, send=self._send, is_cancelled=is_cancelled
        )

    def _step(self) -> None:
        """Do a step of what is most urgent; in idle time, a piece of growing."""
        loaded = self._model
        if loaded is None:
            self._is_idle = True
            return
        job = self._jobs.next(self._cancelled)
        with self._interrupter.step(loaded.engine, Urgency.IDLE if job is None else job.urgency):
            if job is None:
                self._is_idle = not loaded.sessions.grow()
            else:
                self._step_job(loaded, job)
        if job is not None and time.perf_counter() - self._sent_s > ALIVE_S:
            self._send(Alive())

    def _step_job(self, loaded: model.Model, job: Job) -> None:
        is_over = False

        def step() -> None:
            nonlocal is_over
            is_over = job.work.step()

        command = job.command
        if (failure := self._failure(step)) is not None:
            self._lose_session(command.session_id)
            self._fail(command, failure)
        elif is_over:
            loaded.sessions.release(command.session_id, goes_on=job.urgency != Urgency.BATCH)
        else:
            return
        self._jobs.remove(job)
        self._cancelled.discard(command.request_id)

    def _failure(self, action: Callable[[], None]) -> InferenceError | None:
        """Do something for a command; return why it failed, or None."""
        try:
            action()
        except InferenceError as error:
            return error
        except MemoryError:
            return OutOfMemory(free_bytes=memory.free_bytes())
        except OSError:
            raise  # the pipe is gone, and nobody is left to tell
        except Exception as error:  # noqa: BLE001 - the worker's loop: the next command must still work
            _log.error("command failed: %s", type(error).__name__)  # its text may hold a prompt
            return InferenceError(kind=type(error).__name__)
        return None

    def _fail(self, command: Command, failure: InferenceError) -> None:
        self._cancelled.discard(_request_id(command))
        self._send(Failed(_request_id(command), failure.code, failure.facts))

    def _lose_session(self, session_id: str) -> None:
        """Give up a session of which nobody knows what its cache holds."""
        if self._model is not None:
            self._model.sessions.release(session_id)
            self._model.sessions.drop(session_id)

    def _send(self, event: Event) -> None:
        with self._sending:
            self._sent_s = time.perf_counter()
            self._send_event(event)

    def _loaded(self) -> model.Model:
        if self._model is None:
            raise ModelNotLoaded
        return self._model


def _request_id(command: Command) -> int:
    return 0 if isinstance(command, DropSession) else command.request_id
