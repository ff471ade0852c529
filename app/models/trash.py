"""Where models go when they are removed: out of the list in one step, then off the disk.

A model that the window removes is only set aside, so that a person can have it back until the next
start. Both places lie beside the models, on the same disk, so that moving is a rename.
"""

import shutil
from itertools import count
from pathlib import Path

from app.errors import ModelUnknown
from app.models.room import write_failed

_TRASH = ".trash"
_ASIDE = ".aside"


class Trash:
    """What was removed from one folder of models; may be used from any thread."""

    def __init__(self, models: Path) -> None:
        self._models = models
        self._trash = models / _TRASH
        self._aside = models / _ASIDE

    def discard(self, folder: Path) -> None:
        """Move a folder out of the list in one step, then delete it and what was left before.

        Raises:
            WriteFailed: It cannot be moved.
        """
        try:
            self._trash.mkdir(exist_ok=True)
            slot = next(
                self._trash / str(n) for n in count() if not (self._trash / str(n)).exists()
            )
            folder.rename(slot)
        except OSError as error:
            raise write_failed(error) from error
        shutil.rmtree(self._trash, ignore_errors=True)

    def set_aside(self, model_id: str) -> None:
        """Move a model to where `put_back` finds it; an older one of its id goes for good.

        Raises:
            WriteFailed: It cannot be moved.
        """
        self.forget(model_id)
        try:
            self._aside.mkdir(exist_ok=True)
            (self._models / model_id).rename(self._aside / model_id)
        except OSError as error:
            raise write_failed(error) from error

    def put_back(self, model_id: str) -> None:
        """Undo `set_aside`.

        Raises:
            ModelUnknown: None of this id is set aside.
            WriteFailed: It cannot be moved.
        """
        if model_id not in self.set_aside_ids():
            raise ModelUnknown(model=model_id)
        try:
            (self._aside / model_id).rename(self._models / model_id)
        except OSError as error:
            raise write_failed(error) from error

    def forget(self, model_id: str) -> None:
        """Delete a model that is set aside, if there is one.

        Raises:
            WriteFailed: It cannot be moved.
        """
        if model_id in self.set_aside_ids():
            self.discard(self._aside / model_id)

    def set_aside_ids(self) -> frozenset[str]:
        """Return what `put_back` can bring back."""
        try:
            return frozenset(path.name for path in self._aside.iterdir() if path.is_dir())
        except OSError:
            return frozenset()

    def empty(self) -> None:
        """Delete everything that was removed; what the system holds on to stays for the next time.

        Takes as long as the disk does, and nothing of it can be put back.
        """
        for place in (self._aside, self._trash):
            shutil.rmtree(place, ignore_errors=True)

    def set_aside_bytes(self) -> int:
        """Return the size of everything that is set aside."""
        return size_of(self._aside)

    def left_bytes(self) -> int:
        """Return the size of what was to be deleted and could not be."""
        return size_of(self._trash)


def size_of(folder: Path) -> int:
    """Return the bytes of all files in a folder and below; what cannot be read counts nothing."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.lstat().st_size if path.is_file() or path.is_symlink() else 0
        except OSError:
            continue
    return total
