"""Pausing a download that another program runs: `snug models pause` while the window fetches.

Two programs share nothing but the disk, so the wish is a file beside the workspace, and whoever
fetches looks for it.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from app.errors import NothingToPause
from app.models.task import Task
from app.models.workspace import Workspace

_LOOK_EVERY_S = 0.25


@contextmanager
def obeying(workspace: Workspace, task: Task) -> Iterator[None]:
    """Stop `task` when a pause of this claimed workspace is wished for while the block runs."""
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(_LOOK_EVERY_S):
            if workspace.pause_wish.exists():
                task.stop()
                return

    watcher = threading.Thread(target=look, name="pause-wish", daemon=True)
    workspace.pause_wish.unlink(missing_ok=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
        workspace.pause_wish.unlink(missing_ok=True)


def ask(workspace: Workspace, *, timeout_s: float) -> bool:
    """Ask whoever is fetching to pause; return whether that has happened within `timeout_s`.

    Raises:
        NothingToPause: Nobody is.
        OSError: The folder cannot be written.
    """
    if not workspace.is_claimed():
        raise NothingToPause(model=workspace.model_id)
    workspace.pause_wish.touch()
    waited = threading.Event()
    for _ in range(int(timeout_s / _LOOK_EVERY_S)):
        if not workspace.is_claimed():
            return True
        waited.wait(_LOOK_EVERY_S)
    return not workspace.is_claimed()
