"""Runs an import in a child process, from the parent's side; knows no numpy."""

import threading
from collections.abc import Callable
from pathlib import Path

from inference.child import Child
from inference.errors import BadFrame, Cancelled, WorkerDied, from_code
from inference.gguf import frames
from inference.gguf.frames import (
    Imported,
    ImportFailed,
    ImportModel,
    ImportProgress,
    ImportReport,
    ModelKind,
)

_POLL_S = 0.05


def run_import(
    launch: Callable[[], Child],
    source: Path,
    folder: Path,
    *,
    context_tokens: int | None = None,
    kind: ModelKind = "gguf",
    on_progress: Callable[[int, int], None] | None = None,
    cancelled: threading.Event | None = None,
) -> ImportReport:
    """Import `source` into `folder` in a child process; blocks, so call it on a worker thread.

    Args:
        source: The file.
        folder: The model folder to make.
        context_tokens: Context window to make room for; None takes a sensible one.
        kind: What the file is.
        launch: Starts a child whose main is `inference.importing.serve`.
        on_progress: Called with (done_bytes, total_bytes) on this thread.
        cancelled: Ends the import at once when set.

    Raises:
        Cancelled: `cancelled` was set.
        WorkerDied: The child ended without a word.
        InferenceError: What the import itself failed with.
    """
    try:
        child = launch()
    except OSError as error:
        raise WorkerDied from error
    try:
        command = ImportModel(str(source.absolute()), str(folder.absolute()), context_tokens, kind)
        child.connection.send_bytes(frames.COMMANDS.encode(command))
        while True:
            event = _next_event(child, cancelled)
            if isinstance(event, Imported):
                return event.report
            if isinstance(event, ImportFailed):
                raise from_code(event.code, event.facts)
            if on_progress:
                on_progress(event.done_bytes, event.total_bytes)
    except (EOFError, OSError, BadFrame) as error:
        child.kill()
        raise WorkerDied(exit_code=child.exit_code() or 0) from error
    finally:
        child.close()


def _next_event(
    child: Child, cancelled: threading.Event | None
) -> ImportProgress | Imported | ImportFailed:
    while not child.connection.poll(_POLL_S):
        if cancelled is not None and cancelled.is_set():
            raise Cancelled
    if cancelled is not None and cancelled.is_set():
        raise Cancelled
    event: ImportProgress | Imported | ImportFailed = frames.EVENTS.decode(
        child.connection.recv_bytes()
    )
    return event
