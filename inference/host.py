"""The child process that holds the model: this thread works, another one reads the pipe.

The pipe's end is the process's end, whatever is going on: nothing here is worth finishing when
nobody listens any more.
"""

import os
import signal
import threading
from multiprocessing.connection import Connection
from typing import NoReturn

from inference.child import hush
from inference.errors import BadFrame
from inference.types import COMMANDS, EVENTS, Event
from inference.worker import Worker

_PARENT_GONE = 0
_BAD_FRAME = 3
_READER_FAILED = 4


def serve(connection: Connection) -> int:
    """Answer commands until the other end of the pipe closes; does not return before."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is the parent's to handle
    hush()

    def send(event: Event) -> None:
        connection.send_bytes(EVENTS.encode(event))

    worker = Worker(send)
    threading.Thread(
        target=_read, args=(connection, worker), name="host-reader", daemon=True
    ).start()
    try:
        worker.run()
    except OSError:
        _end(_PARENT_GONE)
    return 0


def _read(connection: Connection, worker: Worker) -> NoReturn:
    code = _READER_FAILED
    try:
        while True:
            worker.put(COMMANDS.decode(connection.recv_bytes()))
    except (EOFError, OSError):
        code = _PARENT_GONE
    except BadFrame:
        code = _BAD_FRAME
    finally:
        # Whatever it was, such as a want of memory: a host that nobody can reach must not stay.
        _end(code)


def _end(code: int) -> NoReturn:
    """End at once: the runtime may be in the middle of a call that nothing else can stop."""
    os._exit(code)
