"""A host without a model, whose prompts say how it behaves; see `Host.answer`."""

import sys
import threading
import time
from pathlib import Path

from inference.child import connect
from inference.types import (
    COMMANDS,
    EVENTS,
    Alive,
    Cancel,
    DeviceChoice,
    Event,
    Finished,
    GenerationRequest,
    Loaded,
    LoadModel,
    Prefill,
    Prefilled,
    PrefillProgress,
    TextDelta,
)


class Host:
    """Says "loaded", and answers each prompt with its own words unless they mean something."""

    def __init__(self, handle: str) -> None:
        self.pipe = connect(handle)
        self.open: dict[int, Event] = {}

    def say(self, *events: Event) -> None:
        for event in events:
            self.pipe.send_bytes(EVENTS.encode(event))

    def serve(self) -> None:
        while True:
            try:
                command = COMMANDS.decode(self.pipe.recv_bytes())
            except EOFError:
                return
            if isinstance(command, LoadModel):
                device = DeviceChoice("cpu", "CPUExecutionProvider", "fake")
                self.say(Loaded(command.request_id, device, 1000, 0.1, 1, {}))
            elif isinstance(command, Cancel) and command.request_id in self.open:
                self.say(self.open.pop(command.request_id))
            elif isinstance(command, Prefill):
                self.open[command.request_id] = Prefilled(command.request_id, 1, 2)
                self.say(PrefillProgress(command.request_id, 1, 2))
            elif isinstance(command, GenerationRequest):
                self.answer(command.request_id, *command.messages[-1].content.split(" ", 1))

    def answer(self, number: int, text: str, rest: str = "") -> None:
        stopped = Finished(number, "cancelled", 1, 0, 0, 0.0, 0.0, 0.0, 0)
        finished = Finished(number, "stop", 1, 0, 1, 0.1, 0.1, 0.0, 0)
        match text:
            case "bad_frame":
                self.pipe.send_bytes(b"this is no frame")
            case "die":
                sys.exit(7)
            case "deaf":
                self.say(TextDelta(number, "x"))
                time.sleep(1000)
            case "stoppable":
                self.open[number] = stopped
                self.say(TextDelta(number, "x"))
            case "silent":
                self.open[number] = stopped
                Path(rest).touch()
            case "silent_unless":  # a file is there, which the next host finds
                if Path(rest).exists():
                    self.say(TextDelta(number, "again"), finished)
                Path(rest).touch()
            case "busy":  # with nothing to tell for a while
                for _ in range(12):
                    self.say(Alive())
                    threading.Event().wait(0.1)
                self.say(finished)
            case _:
                self.say(TextDelta(number, text), finished)


Host(sys.argv[1]).serve()
