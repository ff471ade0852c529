"""Our end of one running host: its process, its pipe, and the thread that reads it."""

import threading
from collections.abc import Callable

from inference.child import Child
from inference.errors import BadFrame, InferenceError, WorkerDied
from inference.types import COMMANDS, EVENTS, Command, Event

_ENDING_S = 1.0


class Host:
    """A host process from its start to its end; a crash makes a new one necessary.

    Args:
        child: The process, just started.
        on_event: Called on the reader's thread with every event.
        on_end: Called once on the reader's thread, with the reason, when no event can come any
            more; the process has ended by then.

    Attributes:
        ended_by: Why no event can come any more, once that is so.
    """

    def __init__(
        self,
        child: Child,
        *,
        on_event: Callable[["Host", Event], None],
        on_end: Callable[["Host", InferenceError], None],
    ) -> None:
        self._child = child
        self._on_event = on_event
        self._on_end = on_end
        self._sending = threading.Lock()
        self._reason: InferenceError | None = None
        self.ended_by: InferenceError | None = None
        self._reader = threading.Thread(target=self._read, name="host-events", daemon=True)

    @property
    def pid(self) -> int:
        """The operating system's process id."""
        return self._child.pid

    def start(self) -> None:
        """Start reading."""
        self._reader.start()

    def send(self, command: Command) -> None:
        """Send a command; waits while the pipe is full.

        Raises:
            OSError: The host has ended, or ends meanwhile.
        """
        with self._sending:
            self._child.connection.send_bytes(COMMANDS.encode(command))

    def kill(self, reason: InferenceError | None = None) -> None:
        """End the process at once; the reader sees that and says so, with `reason` if given."""
        self._reason = self._reason or reason
        self._child.kill()

    def close(self) -> None:
        """End the process and the reader; the pipe is closed after both, never under them."""
        self._child.kill()
        if self._reader.is_alive() and self._reader is not threading.current_thread():
            self._reader.join()

    def _read(self) -> None:
        bad_frame: BadFrame | None = None
        is_ending = False
        try:
            while True:
                self._on_event(self, EVENTS.decode(self._child.connection.recv_bytes()))
        except BadFrame as error:
            bad_frame = error
        except (EOFError, OSError):
            is_ending = True
        finally:
            if not is_ending:
                self._child.kill()
            with self._sending:  # a sender has an error by now, and must not meet a reused number
                self._child.close(_ENDING_S)  # its own exit code says more than that of a kill
            code = self._child.exit_code()
            died = WorkerDied() if code is None else WorkerDied(exit_code=code)
            self._on_end(self, bad_frame or self._reason or died)
