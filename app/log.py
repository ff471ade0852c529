"""Snug's own log: what failed, and where in the code, without a word of what anybody wrote.

An exception's message may hold text, a file name or a path, so only its type and the places in the
code are kept. The file is made with the first entry, readable by its owner only, and never grows
beyond two pages.
"""

import logging
import os
import traceback
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import Any

_PAGE_BYTES = 500_000
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def write_to(path: Path) -> None:
    """Send warnings and errors of this process to `path` from now on; call it once."""
    handler = _PrivateFile(path, maxBytes=_PAGE_BYTES, backupCount=1, encoding="utf-8", delay=True)
    handler.setLevel(logging.WARNING)
    handler.setFormatter(PlacesOnly(_FORMAT))
    logging.getLogger().addHandler(handler)


class PlacesOnly(logging.Formatter):
    """Writes exceptions as types and places: no messages, no paths outside the code."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the entry; what another formatter has kept of the exception is not used."""
        record.exc_text = None
        return super().format(record)

    def formatException(  # noqa: N802 - logging's name
        self, ei: tuple[type[BaseException], BaseException, TracebackType | None] | Any
    ) -> str:
        """Return an exception with its causes, the first cause first."""
        lines: list[str] = []
        error: BaseException | None = ei[1]
        while error is not None:
            frames = traceback.extract_tb(error.__traceback__)
            places = [f"  {_place(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames]
            lines[:0] = [type(error).__qualname__, *places]
            error = error.__cause__ or error.__context__
        return "\n".join(lines)


class _PrivateFile(RotatingFileHandler):
    def _open(self) -> TextIOWrapper:
        path = Path(self.baseFilename)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        stream = open(path, self.mode, encoding=self.encoding, opener=_open_private)  # noqa: SIM115
        assert isinstance(stream, TextIOWrapper)  # noqa: S101 - text mode
        return stream

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        """Let it go: a log that cannot be written must not stop what it tells of."""


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _place(filename: str) -> str:
    """Return the last two parts of a path: enough to find the code, nothing of the machine."""
    return "/".join(Path(filename).parts[-2:])
