"""The thread that owns the model: takes commands, steps one answer at a time, and says how it went.

It alone touches the native runtime, whose binding holds the interpreter's lock through every call:
this is why it lives in a process of its own.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue

from inference import model
from inference.answer import Answer
from inference.errors import BadFrame, InferenceError, ModelNotLoaded
from inference.types import (
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
    Prefilled,
)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Arrival:
    command: Command
    at_s: float


class Worker:
    """Runs commands in the order they came; a Cancel overtakes them.

    Args:
        send: Takes every event; called by the thread that calls `run`.
    """

    def __init__(self, send: Callable[[Event], None]) -> None:
        self._send = send
        self._inbox: SimpleQueue[_Arrival | None] = SimpleQueue()
        self._cancelled: set[int] = set()
        self._model: model.Model | None = None

    def put(self, command: Command) -> None:
        """Hand over a command; called by the reader."""
        if isinstance(command, Cancel):
            self._cancelled.add(command.request_id)
        else:
            self._inbox.put(_Arrival(command, time.perf_counter()))

    def close(self) -> None:
        """Let `run` return when it has done what came before."""
        self._inbox.put(None)

    def run(self) -> None:
        """Work until `close`."""
        while (arrival := self._inbox.get()) is not None:
            self._work(arrival)
        self._unload()

    def _work(self, arrival: _Arrival) -> None:
        command = arrival.command
        request_id = getattr(command, "request_id", 0)
        try:
            self._do(command, arrival.at_s)
        except InferenceError as error:
            self._send(Failed(request_id, error.code, error.facts))
        except OSError:
            raise  # the pipe is gone, and nobody is left to tell
        except Exception as error:  # noqa: BLE001 - the worker's loop: the next command must still work
            _log.error("command failed: %s", type(error).__name__)  # its text may hold a prompt
            self._send(Failed(request_id, InferenceError.code, {"kind": type(error).__name__}))
        finally:
            self._cancelled.discard(request_id)

    def _do(self, command: Command, arrived_s: float) -> None:
        match command:
            case LoadModel():
                self._load(command)
            case GenerationRequest():
                self._answer(command, arrived_s)
            case Prefill():
                self._prefill(command)
            case BareRun():
                seconds = self._loaded().engine.bare_run(command.prompt_tokens, command.new_tokens)
                self._send(BareMeasured(command.request_id, *seconds))
            case DropSession():
                if self._model is not None:
                    self._model.sessions.drop(command.session_id)
            case _:
                raise BadFrame(reason=type(command).__name__)

    def _load(self, command: LoadModel) -> None:
        self._unload()  # first, or two models would be in memory
        self._model, loaded = model.load(command)
        self._send(loaded)

    def _unload(self) -> None:
        if self._model is not None:
            self._model.close()
            self._model = None

    def _answer(self, request: GenerationRequest, arrived_s: float) -> None:
        loaded = self._loaded()
        try:
            answer = Answer(
                loaded,
                request,
                arrived_s=arrived_s,
                send=self._send,
                is_cancelled=lambda: request.request_id in self._cancelled,
            )
            while not answer.step():
                pass
        except BaseException:
            loaded.sessions.drop(request.session_id)  # nobody knows what its cache holds
            raise

    def _prefill(self, command: Prefill) -> None:
        loaded = self._loaded()
        session = loaded.sessions.get(command.session_id)
        prompt = loaded.prompts.build(command.messages, spelled=session.spelled)
        session.begin(prompt, 1)
        loaded.sessions.make_room()
        while (left := len(prompt) - len(session.ids)) and self._inbox.empty():
            done = len(session.ids)
            session.append(prompt[done : done + loaded.pace.next_tokens(left)])
        self._send(Prefilled(command.request_id, len(session.ids), len(prompt)))

    def _loaded(self) -> model.Model:
        if self._model is None:
            raise ModelNotLoaded
        return self._model
