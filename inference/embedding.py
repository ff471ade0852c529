"""The process that embeds, and the handle to it.

In a process of its own because the runtime takes a hundred megabytes that an idle Snug has no use
for, and because native code never runs in the window. It has a low priority, and one thread while a
model is answering: a person waits for that one.
"""

import base64
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

from inference.child import Child, hush
from inference.errors import (
    BadFrame,
    Cancelled,
    Fact,
    InferenceError,
    ModelMissing,
    WorkerDied,
    from_code,
)
from inference.frames import Codec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

IDLE_S = 60.0

_BATCH = 16
_LIMIT_S = 60.0
_POLL_S = 0.05
_NICE = 10
_TRIES = 2


@dataclass(frozen=True, slots=True)
class EmbedTexts:
    """Embed some texts.

    Attributes:
        folder: The model's folder, as an absolute path.
        beside_model: A model is answering meanwhile.
    """

    folder: str
    texts: tuple[str, ...]
    beside_model: bool


@dataclass(frozen=True, slots=True)
class Embedded:
    """Their vectors: little-endian float32[texts, width] in base64."""

    width: int
    vectors: str


@dataclass(frozen=True, slots=True)
class NotEmbedded:
    """They could not be embedded; see `inference.errors`."""

    code: str
    facts: dict[str, Fact] = field(default_factory=dict)


COMMANDS = Codec((EmbedTexts,))
ANSWERS = Codec((Embedded, NotEmbedded))


def serve(connection: Connection) -> int:
    """Embed until the pipe ends."""
    hush()
    lower_priority()
    embedders = _Embedders()
    try:
        while True:
            command: EmbedTexts = COMMANDS.decode(connection.recv_bytes())
            connection.send_bytes(ANSWERS.encode(embedders.answer(command)))
    except (EOFError, OSError, BadFrame):
        return 0


class _Embedders:
    """The model as it was asked for last: a change of threads loads it anew, in milliseconds."""

    def __init__(self) -> None:
        self._made: tuple[str, int, object] | None = None

    def answer(self, command: EmbedTexts) -> Embedded | NotEmbedded:
        from inference import threads  # noqa: PLC0415 - the parent imports this module too
        from inference.embedder import Embedder  # noqa: PLC0415

        beside: tuple[threads.Work, ...] = ("model",) if command.beside_model else ()
        count = threads.share("embedding", beside)
        try:
            if self._made is None or self._made[:2] != (command.folder, count):
                self._made = None
                embedder = Embedder(Path(command.folder), thread_count=count)
                self._made = (command.folder, count, embedder)
            made = self._made[2]
            assert isinstance(made, Embedder)  # noqa: S101 - put there above
            vectors = made.embed(command.texts)
        except InferenceError as error:
            return NotEmbedded(error.code, error.facts)
        except MemoryError:
            return NotEmbedded("out_of_memory")
        raw = vectors.astype("<f4").tobytes()
        return Embedded(vectors.shape[1], base64.b64encode(raw).decode("ascii"))


class EmbeddingClient:
    """Embeds in a child process that ends when nobody needs it; may be used from any thread.

    Args:
        launch: Starts an embedding process; may raise OSError.
        folder: Returns the folder of the installed embedding model, or None without one.
        is_model_busy: Whether a model is answering.
        idle_s: After so many seconds without a text the process ends.
    """

    def __init__(
        self,
        launch: Callable[[], Child],
        folder: Callable[[], Path | None],
        *,
        is_model_busy: Callable[[], bool] = lambda: False,
        idle_s: float = IDLE_S,
    ) -> None:
        self._launch = launch
        self._folder = folder
        self._is_model_busy = is_model_busy
        self._idle_s = idle_s
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._used_s = 0.0
        self._closing = threading.Event()
        self._watch: threading.Thread | None = None

    @property
    def is_available(self) -> bool:
        """Whether an embedding model is installed; looks at the disk."""
        return self._folder() is not None

    def embed(
        self, texts: Sequence[str], *, cancelled: threading.Event | None = None
    ) -> "NDArray[np.float32]":
        """Return float32[texts, width], each row of length 1; blocks until it is done.

        Texts go to the process a few at a time, and a question of another thread comes between.

        Raises:
            ModelMissing: No embedding model is installed, or a file of it is gone.
            ModelDamaged: It cannot be read.
            WorkerDied: The process ended twice, or all has been closed.
            Cancelled: `cancelled` was set.
        """
        import numpy as np  # noqa: PLC0415 - the window imports this module at its start

        folder = self._folder()
        if folder is None:
            raise ModelMissing(model="embedding")
        parts = []
        for start in range(0, len(texts), _BATCH):
            batch = tuple(texts[start : start + _BATCH])
            command = EmbedTexts(str(folder.absolute()), batch, self._is_model_busy())
            answer = self._ask(COMMANDS.encode(command), cancelled or self._closing)
            raw = np.frombuffer(base64.b64decode(answer.vectors), "<f4")
            parts.append(raw.reshape(-1, answer.width))
        if not parts:
            return np.zeros((0, 0), np.float32)
        return np.concatenate(parts).astype(np.float32, copy=False)

    def release(self) -> None:
        """End the process, so that the model's files can be removed; the next text starts one."""
        if child := self._child:
            child.kill()  # who embeds at this moment holds the lock
        with self._lock:
            self._end()

    def close(self) -> None:
        """End the process for good."""
        self._closing.set()
        self.release()
        if self._watch is not None:
            self._watch.join()

    def _ask(self, command: bytes, cancelled: threading.Event) -> Embedded:
        with self._lock:
            for tries_left in reversed(range(_TRIES)):
                child = self._running()
                try:
                    child.connection.send_bytes(command)
                    self._wait(child, cancelled)
                    answer: Embedded | NotEmbedded = ANSWERS.decode(child.connection.recv_bytes())
                except Cancelled:
                    self._end()
                    raise
                except (EOFError, OSError, BadFrame, TimeoutError) as error:
                    self._end()
                    if not tries_left:
                        raise WorkerDied from error
                    continue
                self._used_s = time.monotonic()
                if isinstance(answer, NotEmbedded):
                    raise from_code(answer.code, answer.facts)
                return answer
        raise AssertionError  # the loop returns or raises

    def _wait(self, child: Child, cancelled: threading.Event) -> None:
        from_s = time.monotonic()
        while not child.connection.poll(_POLL_S):
            if cancelled.is_set():
                raise Cancelled
            if time.monotonic() - from_s > _LIMIT_S:
                raise TimeoutError

    def _running(self) -> Child:
        if self._closing.is_set():
            raise WorkerDied
        if self._child is None:
            try:
                self._child = self._launch()
            except OSError as error:
                raise WorkerDied from error
            self._used_s = time.monotonic()
            if self._watch is None:
                self._watch = threading.Thread(
                    target=self._end_when_idle, name="embedding", daemon=True
                )
                self._watch.start()
        return self._child

    def _end_when_idle(self) -> None:
        while not self._closing.wait(self._idle_s / 4):
            with self._lock:
                if time.monotonic() - self._used_s >= self._idle_s:
                    self._end()

    def _end(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child.close()
            self._child = None


def lower_priority() -> None:
    """Let everything else on the machine go before this process."""
    with suppress(OSError):
        if sys.platform == "win32":
            import psutil  # noqa: PLC0415 - on this system only

            psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)
        else:
            os.nice(_NICE)
