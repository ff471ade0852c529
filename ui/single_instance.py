"""One window a data folder: a lock, and a file by which a second start asks for the first window.

A request file in the data folder and not a local socket or a named pipe: those need QtNetwork,
which the window does not load, or a thread and another mechanism on each system. Qt watches a
folder on all three, the data folder is already only this person's, and a request that comes while
nobody listens is a file that the next start deletes. The lock names the process that holds it, so
one left behind by a crash is taken over.
"""

from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QLockFile, QObject, Signal

from app.paths import Paths


class SingleInstance(QObject):
    """Holds the data folder's lock for as long as it lives, or passes the request on.

    Signals:
        raise_requested: Another start asks for the window that is here.
    """

    raise_requested = Signal()

    def __init__(self, paths: Paths, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = paths.data
        self._request = paths.raise_request
        self._lock = QLockFile(str(paths.lock))
        self._lock.setStaleLockTime(0)
        self._watcher: QFileSystemWatcher | None = None

    def acquire(self) -> bool:
        """Take the lock; False where another window has it.

        A folder that cannot be written has no lock and no second window's work to lose: the store
        says what is wrong with it, in a window that can show it.
        """
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            return True
        if not self._lock.tryLock(0):
            return self._lock.error() != QLockFile.LockError.LockFailedError
        self._request.unlink(missing_ok=True)
        self._watcher = QFileSystemWatcher([str(self._folder)], self)
        self._watcher.directoryChanged.connect(self._look)
        return True

    def request_raise(self) -> None:
        """Ask the window that holds the lock to come to the front."""
        self._request.touch()

    def release(self) -> None:
        """Give the lock back."""
        self._watcher = None
        self._lock.unlock()

    def _look(self, _: str) -> None:
        if _take(self._request):
            self.raise_requested.emit()


def _take(request: Path) -> bool:
    try:
        request.unlink()
    except FileNotFoundError:
        return False
    return True
