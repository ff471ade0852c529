"""The way to a hub for everybody else: each question is a process that ends with its answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app import errors
from app.errors import DownloadEnded
from app.models.hub.frames import (
    ANSWERS,
    REQUESTS,
    Came,
    Failed,
    Fetch,
    Fetched,
    Found,
    LookUp,
    Patience,
    Way,
)
from app.models.hub.part import missing_bytes
from app.models.hub.values import RemoteFile, RemoteModel
from app.models.progress import FetchProgress, FileProgress
from app.models.room import check_room
from app.models.task import Task
from inference.child import Child

PUBLIC_ENDPOINT = "https://huggingface.co"


@dataclass(frozen=True, slots=True)
class HubOptions:
    """What a person has set.

    Attributes:
        endpoint: Address of the hub or of its mirror; empty is the public one. A mirror is the only
            host that is asked for anything.
        proxy: Its address; empty takes the system's.
        token: For the endpoint; empty for none.
    """

    endpoint: str = ""
    proxy: str = ""
    token: str = field(default="", repr=False)


class HubClient:
    """Looks up and fetches; both block, and end at once when their task is stopped.

    Args:
        launch: Starts the download process.
        options: What is set now; asked for each request, and may block.
        patience: How long is waited.
    """

    def __init__(
        self,
        launch: Callable[[], Child],
        options: Callable[[], HubOptions],
        patience: Patience | None = None,
    ) -> None:
        self._launch = launch
        self._options = options
        self._patience = patience or Patience()

    def look_up(self, repository: str, revision: str = "main", *, task: Task) -> RemoteModel:
        """Return what a repository holds at a revision, which may be empty for `main`.

        Raises:
            DownloadError: The hub cannot be reached or refuses, or a path of it is not safe.
            Cancelled: The task was stopped.
            OSError: The process cannot be started.
        """
        answer = self._ask(LookUp(self._way(), repository, revision or "main"), task)
        if not isinstance(answer, Found):
            raise DownloadEnded
        return answer.model

    def fetch(
        self,
        model: RemoteModel,
        files: Sequence[RemoteFile],
        folder: Path,
        *,
        task: Task,
        on_progress: Callable[[FetchProgress], None],
    ) -> None:
        """Fetch `files` of `model` into `folder`, going on with what lies there.

        A file has its name only when it is whole and its digest was right. Whatever ends this, what
        came stays in `folder`.

        Raises:
            NoSpace: Too little room, known before the first byte where possible.
            DownloadError: A file could not be fetched.
            WriteFailed: The folder cannot be written.
            Cancelled: The task was stopped.
            OSError: The process cannot be started.
        """
        check_room(folder, missing_bytes(folder, files))

        def on_came(came: Came) -> None:
            pairs = zip(files, came.done_bytes, strict=False)
            on_progress(
                FetchProgress(
                    tuple(FileProgress(file.path, done, file.bytes) for file, done in pairs)
                )
            )

        request = Fetch(self._way(), model.repository, model.commit, tuple(files), str(folder))
        if not isinstance(self._ask(request, task, on_came), Fetched):
            raise DownloadEnded

    def _way(self) -> Way:
        options = self._options()
        endpoint = options.endpoint.strip().rstrip("/") or PUBLIC_ENDPOINT
        return Way(
            endpoint,
            options.proxy.strip(),
            options.token,
            is_mirror=endpoint != PUBLIC_ENDPOINT,
            patience=self._patience,
        )

    def _ask(
        self,
        request: LookUp | Fetch,
        task: Task,
        on_came: Callable[[Came], None] = lambda _: None,
    ) -> Any:
        task.check()
        child = self._launch()
        try:
            with task.waiting(child.kill):
                answer = _converse(child, request, on_came)
        finally:
            child.connection.close()
            child.kill()
        if isinstance(answer, Failed):
            raise errors.from_code(answer.code, answer.facts)
        return answer


def _converse(child: Child, request: LookUp | Fetch, on_came: Callable[[Came], None]) -> Any:
    """Return the last answer, or None where the process ended before it."""
    try:
        child.connection.send_bytes(REQUESTS.encode(request))
        while isinstance(answer := ANSWERS.decode(child.connection.recv_bytes()), Came):
            on_came(answer)
    except (EOFError, OSError):
        return None
    return answer
