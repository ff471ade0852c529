"""The import process: one command in, progress out, one last frame, end.

Closing the pipe ends it at once, wherever it is; what it leaves behind is removed by the next
import of the same folder.
"""

import os
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

from inference.errors import BadFrame, InferenceError
from inference.gguf import frames
from inference.gguf.frames import ImportFailed, ImportModel, ImportProgress, ImportReport
from inference.gguf.importer import import_gguf

_PROGRESS_INTERVAL_S = 0.05
GIVEN_UP = 3
"""Exit code of a child whose parent has gone."""


def serve(connection: Connection, import_embedding: Callable[..., ImportReport]) -> int:
    """Run one import for whoever holds the other end; return the exit code.

    `import_embedding` makes an embedding model; it lives beside this package, which it uses.
    """
    try:
        command: ImportModel = frames.COMMANDS.decode(connection.recv_bytes())
    except (EOFError, OSError, BadFrame):
        return GIVEN_UP
    threading.Thread(target=_end_with, args=(connection,), daemon=True).start()
    sender = _Sender(connection)
    try:
        source, folder = Path(command.source), Path(command.folder)
        if command.kind == "embedding":
            report = import_embedding(source, folder, progress=sender.progress)
        else:
            report = import_gguf(
                source,
                folder,
                context_tokens=command.context_tokens,
                progress=sender.progress,
            )
    except InferenceError as error:
        sender.send(ImportFailed(error.code, error.facts))
        return 1
    except MemoryError:
        sender.send(ImportFailed("out_of_memory"))
        return 1
    sender.send(frames.Imported(report))
    return 0


class _Sender:
    """Sends frames, progress not too often; nobody listening means that nobody wants the model."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._next_s = 0.0

    def send(self, frame: frames.ImportEvent) -> None:
        try:
            self._connection.send_bytes(frames.EVENTS.encode(frame))
        except OSError:
            os._exit(GIVEN_UP)

    def progress(self, done_bytes: int, total_bytes: int) -> None:
        now_s = time.monotonic()
        if now_s >= self._next_s or done_bytes == total_bytes:
            self._next_s = now_s + _PROGRESS_INTERVAL_S
            self.send(ImportProgress(done_bytes, total_bytes))


def _end_with(connection: Connection) -> None:
    try:
        connection.recv_bytes()
    except (EOFError, OSError):
        os._exit(GIVEN_UP)
