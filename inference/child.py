"""Child processes: a command, a pipe of frames, and an end.

A child is started by command line and not by multiprocessing's spawn, so that it is started the
same way in a checkout, installed and frozen, has the environment it is given, and never imports
the parent's main module.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection

from inference import quiet


class Child:
    """A running child process and our end of its pipe."""

    def __init__(self, process: "subprocess.Popen[bytes]", connection: Connection) -> None:
        self.connection = connection
        self._process = process

    @property
    def pid(self) -> int:
        """The operating system's process id."""
        return self._process.pid

    def exit_code(self) -> int | None:
        """Return the exit code, or None while it runs."""
        return self._process.poll()

    def kill(self) -> None:
        """End it at once and collect it; safe to call twice, from any thread."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()

    def close(self, timeout_s: float = 2.0) -> None:
        """Close the pipe, which asks the child to end; kill it when it does not in time."""
        self.connection.close()
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.kill()


def start(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Child:
    """Start `command` with the number of its end of a new pipe as last argument.

    The child gets no standard input, and its standard output goes to standard error, where a native
    library's chatter harms nobody.

    Raises:
        OSError: The process cannot be started.
    """
    ours, theirs = Pipe(duplex=True)
    handle = theirs.fileno()
    env = {**os.environ, **quiet.ENVIRONMENT, **(environment or {})}
    try:
        if sys.platform == "win32":
            os.set_handle_inheritable(handle, True)
            startup = subprocess.STARTUPINFO(lpAttributeList={"handle_list": [handle]})
            process = subprocess.Popen(
                [*command, str(handle)],
                stdin=subprocess.DEVNULL,
                env=env,
                startupinfo=startup,
                creationflags=subprocess.CREATE_NO_WINDOW,
            )
        else:
            process = subprocess.Popen(
                [*command, str(handle)],
                stdin=subprocess.DEVNULL,
                stdout=sys.__stderr__,
                env=env,
                pass_fds=[handle],
            )
    except BaseException:
        ours.close()
        raise
    finally:
        theirs.close()
    return Child(process, ours)


def connect(handle: str) -> Connection:
    """Return the child's end of the pipe from the number on its command line."""
    if sys.platform == "win32":
        from multiprocessing.connection import PipeConnection  # noqa: PLC0415 - exists on Windows only

        return PipeConnection(int(handle))
    return Connection(int(handle))


def hush() -> None:
    """Keep native libraries' chatter off the terminal; what Python says of errors still goes there.

    They print warnings and paths on both outputs, and standard error is where a program that
    called the command line finds its one JSON object.
    """
    sys.stderr = os.fdopen(os.dup(2), "w", encoding="utf-8", errors="backslashreplace")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for output in (1, 2):
        os.dup2(nowhere, output)
    os.close(nowhere)


def end_with_parent(connection: Connection) -> None:
    """End this process as soon as the other end of the pipe closes; nothing else may read it."""

    def wait() -> None:
        with suppress(EOFError, OSError):
            connection.recv_bytes()
        os._exit(0)

    threading.Thread(target=wait, name="parent", daemon=True).start()
