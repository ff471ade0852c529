"""Random faults against real hosts, and what must hold after each.

After every fault each request has ended exactly once, with a reason from a short list and with text
that the undisturbed answer begins with; and the next request is answered as if nothing had been.
"""

import os
import random
import shutil
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from app import children
from inference import child
from inference.client import EngineClient, Handle
from inference.types import (
    ChatMessage,
    Event,
    Failed,
    Finished,
    Lane,
    Loaded,
    Sampling,
    TextDelta,
    is_last,
)
from inference.watchdog import Limits

WAIT_S = 90.0
LIMITS = Limits(cancel_s=2.0, step_s=2.0, long_s=20.0)
PROMPTS = ("hot water", "the first number " * 20, "sound " * 150, "people came " * 400)
_REASONS = {
    "worker_died",
    "worker_hung",
    "bad_frame",
    "out_of_memory",
    "model_damaged",
    "model_missing",
    "model_not_loaded",
}


class Pipe:
    """Our end of a host's pipe, with faults on demand."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.fault: Callable[[], bytes] | None = None

    def send_bytes(self, frame: bytes) -> None:
        self._connection.send_bytes(frame)

    def recv_bytes(self) -> bytes:
        frame: bytes = self._connection.recv_bytes()
        return frame if self.fault is None else self.fault()

    def close(self) -> None:
        self._connection.close()


@dataclass(eq=False)
class Request:
    """One request and all it was told."""

    prompt: str
    tokens: int
    events: list[Event] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)
    handle: Handle | None = None

    def put(self, event: Event) -> None:
        self.events.append(event)
        if is_last(event):
            self.ended.set()

    @property
    def text(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, TextDelta))


class Faults:
    """One client with real hosts, and the ways to trouble it."""

    def __init__(self, folder: Path, scratch: Path, seed: int) -> None:
        self._folder = folder
        self._chance = random.Random(seed)  # noqa: S311 - what happens, not a secret
        self._damaged = Path(shutil.copytree(folder, scratch / "damaged"))
        (self._damaged / "model.onnx").write_bytes(b"<html>not found</html>")
        self._pipe: Pipe | None = None
        self._client = EngineClient(self._launch, limits=LIMITS)
        self._expected: dict[tuple[str, int], str] = {}
        self._sessions = 0
        self._victims: list[Request] = []
        self.reasons: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()

    def close(self) -> None:
        self._client.close()

    def run(self, count: int, say: Callable[[str], None] = lambda _line: None) -> None:
        """Do `count` faults.

        Raises:
            AssertionError: Something was lost; the message names the fault's number and kind.
        """
        self._load()
        kinds = [
            self.kill,
            self.kill_while_loading,
            self.send_garbage,
            self.receive_garbage,
            self.close_pipe,
            self.hang,
            self.pause,
            self.starve,
            self.storm,
            self.damage,
        ]
        for number in range(count):
            fault = self._chance.choice(kinds)
            self.kinds[fault.__name__] += 1
            requests = self._some_requests()
            threading.Event().wait(
                self._chance.choice([0.0, 0.05, 0.2, 0.5]) * 2 ** -self._chance.random()
            )
            try:
                fault()
                self._victimize(PROMPTS[0])  # some faults are noticed only now
                self._check([*requests, *self._victims])
                self._victims.clear()
                self._check_next()
            except BaseException as error:
                error.add_note(f"fault {number}: {fault.__name__}")
                raise
            if number % 20 == 19:
                say(f"{number + 1} faults, ends so far: {dict(self.reasons)}")

    # The faults.

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    def kill_while_loading(self) -> None:
        self._signal(signal.SIGKILL)
        loading = Request("", 0)
        self._client.load(self._folder, sink=loading.put)
        threading.Event().wait(self._chance.uniform(0, 1.0))
        self._signal(signal.SIGKILL)
        self._wait(loading)

    def send_garbage(self) -> None:
        if self._pipe is not None:
            with suppress(OSError):  # it has ended by itself meanwhile
                self._pipe.send_bytes(self._chance.randbytes(self._chance.randint(1, 2000)))

    def receive_garbage(self) -> None:
        garbage = self._chance.randbytes(200)
        self._break_pipe(lambda: garbage)

    def close_pipe(self) -> None:
        def closed() -> bytes:
            raise EOFError

        self._break_pipe(closed)

    def hang(self) -> None:
        self._signal(signal.SIGSTOP)

    def pause(self) -> None:
        pid = self._signal(signal.SIGSTOP)
        threading.Event().wait(self._chance.uniform(0, 0.5))
        self._signal(signal.SIGCONT, pid)

    def starve(self) -> None:
        """Leave the host no more memory than it has, or little more."""
        pid = self._client.pid
        if sys.platform != "linux" or pid is None:
            return
        import resource

        try:
            size = psutil.Process(pid).memory_info().vms
            limit = size + self._chance.choice([0, 1 << 20, 1 << 24])
            resource.prlimit(pid, resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
        except (psutil.NoSuchProcess, ProcessLookupError):
            return
        self._victimize(PROMPTS[3])
        if pid == self._client.pid:
            resource.prlimit(pid, resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)

    def storm(self) -> None:
        requests = [self._some_request() for _ in range(20)]
        self._chance.shuffle(requests)
        for request in requests:
            assert request.handle is not None
            request.handle.cancel()
        self._check(requests)

    def damage(self) -> None:
        loading = Request("", 0)
        self._client.load(self._damaged, sink=loading.put)
        self._wait(loading)
        assert isinstance(loading.events[-1], Failed), loading.events

    # What must hold.

    def _check(self, requests: list[Request]) -> None:
        for request in requests:
            self._wait(request)
        for request in requests:
            assert sum(map(is_last, request.events)) == 1, request.events
            last = request.events[-1]
            assert is_last(last), request.events
            if isinstance(last, Failed):
                assert last.code in _REASONS, last
            reason = last.code if isinstance(last, Failed) else getattr(last, "reason", "prefilled")
            self.reasons[reason] += 1
            if request.tokens:
                whole = self._expected[request.prompt, request.tokens]
                assert whole.startswith(request.text), (whole, request.text)
                if isinstance(last, Finished) and last.reason == "length":
                    assert request.text == whole

    def _check_next(self) -> None:
        if self._client.loaded is None:
            self._load()
        request = self._ask(PROMPTS[0], 8)
        self._wait(request)
        last = request.events[-1]
        assert isinstance(last, Finished), last
        assert last.reason == "length"
        assert request.text == self._expected[PROMPTS[0], 8]

    # How it is done.

    def _launch(self) -> child.Child:
        started = child.start(children.command("host"))
        self._pipe = Pipe(started.connection)
        started.connection = self._pipe  # type: ignore[assignment]
        return started

    def _load(self) -> None:
        loading = Request("", 0)
        self._client.load(self._folder, sink=loading.put)
        self._wait(loading)
        assert isinstance(loading.events[-1], Loaded), loading.events
        if not self._expected:
            for prompt in PROMPTS:
                for tokens in (8, 64):
                    request = self._submit(prompt, tokens, "interactive", "first")
                    self._wait(request)
                    assert isinstance(request.events[-1], Finished), request.events
                    self._expected[prompt, tokens] = request.text
                    self._client.drop_session("first")

    def _some_requests(self) -> list[Request]:
        return [self._some_request() for _ in range(self._chance.randint(1, 4))]

    def _some_request(self) -> Request:
        if self._chance.random() < 0.2:
            request = Request(self._chance.choice(PROMPTS), 0)
            messages = (ChatMessage("user", request.prompt),)
            request.handle = self._client.prefill(
                messages, session_id=self._new_session(), sink=request.put
            )
            return request
        return self._ask(self._chance.choice(PROMPTS), 64)

    def _ask(self, prompt: str, tokens: int) -> Request:
        lane: Lane = self._chance.choice(["interactive", "batch"]) if tokens > 8 else "interactive"
        return self._submit(prompt, tokens, lane, self._new_session())

    def _victimize(self, prompt: str) -> None:
        """Ask for something that meets the fault, and wait for its end."""
        self._victims.append(self._ask(prompt, 64))
        self._wait(self._victims[-1])

    def _new_session(self) -> str:
        self._sessions += 1
        return f"session {self._sessions}"

    def _submit(self, prompt: str, tokens: int, lane: Lane, session_id: str) -> Request:
        request = Request(prompt, tokens)
        request.handle = self._client.submit(
            (ChatMessage("user", prompt),),
            session_id=session_id,
            sampling=Sampling(temperature=0, max_new_tokens=tokens),
            lane=lane,
            ignore_eos=True,
            sink=request.put,
        )
        return request

    def _wait(self, request: Request) -> None:
        began_s = time.monotonic()
        assert request.ended.wait(WAIT_S), (time.monotonic() - began_s, request.events[-3:])

    def _signal(self, number: signal.Signals, pid: int | None = None) -> int | None:
        pid = pid or self._client.pid
        if pid is not None:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                return None
        return pid

    def _break_pipe(self, fault: Callable[[], bytes]) -> None:
        if self._pipe is not None:
            self._pipe.fault = fault
            self._victimize(PROMPTS[0])
