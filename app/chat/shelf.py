"""The archive, opened with the first thing that needs it."""

from collections.abc import Callable

from app.chat.archive import Archive
from app.store.database import Database


class Shelf:
    """Opens the archive once, and again where that failed; belongs to the store's thread."""

    def __init__(self, open_database: Callable[[], Database]) -> None:
        self._open_database = open_database
        self._opened: Archive | None = None

    def archive(self) -> Archive:
        """Return the open archive.

        Raises:
            StoreError: It cannot be opened, or not be put in order.
        """
        if self._opened is None:
            archive = Archive(self._open_database())
            archive.settle()
            self._opened = archive
        return self._opened

    def close(self) -> None:
        """Close it where it is open."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None
