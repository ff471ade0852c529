"""Copies a known number of bytes and hashes them on the way, which a second thread does.

Reading and writing wait for the disk and the hash for the processor; each lets go of the
interpreter, so side by side they take as long as the slower one and not the sum.
"""

import hashlib
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from io import FileIO
from types import TracebackType

_CHUNK_BYTES = 1 << 20


class Copier:
    """Copies from one file to another; a context manager, because it has a thread."""

    def __init__(self, before_each: Callable[[int], None]) -> None:
        """Make it.

        Args:
            before_each: Called with the bytes copied so far, at least once a megabyte; what it
                raises ends the copying.
        """
        self._before_each = before_each
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="pack-hash")
        self._buffers = [memoryview(bytearray(_CHUNK_BYTES)) for _ in range(2)]
        self.done_bytes = 0

    def __enter__(self) -> "Copier":
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._executor.shutdown()

    def copy(self, source: FileIO, target: FileIO, count: int) -> str | None:
        """Copy `count` bytes and return their hexadecimal SHA-256; None where there are fewer.

        Raises:
            OSError: One of the files cannot be read or written.
        """
        checksum, hashing = hashlib.sha256(), _nothing()
        turn = 0
        while count:
            self._before_each(self.done_bytes)
            # The other buffer is being hashed, this one no longer.
            buffer = self._buffers[turn]
            length = source.readinto(buffer[: min(count, _CHUNK_BYTES)])
            if not length:
                hashing.result()
                return None
            hashing.result()
            hashing = self._executor.submit(checksum.update, buffer[:length])
            _write(target, buffer[:length])
            count -= length
            self.done_bytes += length
            turn = 1 - turn
        hashing.result()
        return checksum.hexdigest()


def _write(target: FileIO, part: memoryview) -> None:
    while part:
        part = part[target.write(part) :]


def _nothing() -> "Future[None]":
    done: Future[None] = Future()
    done.set_result(None)
    return done
