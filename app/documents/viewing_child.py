"""The viewing process: draws pages of one document behind walls, as often as it is asked.

It has a file of somebody else open for as long as a person looks at it, so it can read that file
and nothing else, and it ends when the other end of the pipe goes away.
"""

import io
import os
from multiprocessing.connection import Connection
from pathlib import Path
from typing import BinaryIO

from app.documents import viewing_pages
from app.documents.confining import confine
from app.documents.formats.format import Damaged, FormatError, PasswordNeeded, TooMuch
from app.documents.frames import unwire_path
from app.documents.viewing_frames import (
    VIEW_COMMANDS,
    VIEW_EVENTS,
    Draw,
    Drawn,
    Find,
    Found,
    OpenView,
    ViewFailed,
    ViewOpened,
)
from inference.errors import BadFrame


def serve(connection: Connection) -> int:
    """Open a document and do what is asked with it until the pipe closes; return the exit code."""
    try:
        command = VIEW_COMMANDS.decode(connection.recv_bytes())
        if not isinstance(command, OpenView):
            return 1
        content = None if command.path else connection.recv_bytes()
        try:
            viewed = _open(command, content)
            opened: object = ViewOpened(viewed.sizes())
        except (FormatError, MemoryError, OSError) as error:
            connection.send_bytes(VIEW_EVENTS.encode(_failed(error)))
            return 0
        connection.send_bytes(VIEW_EVENTS.encode(opened))
        while True:
            _handle(VIEW_COMMANDS.decode(connection.recv_bytes()), viewed, connection)
    except EOFError:
        return 0
    except (OSError, BadFrame):
        return 1


def _open(command: OpenView, content: bytes | None) -> viewing_pages.Viewed:
    path = unwire_path(command.path) if command.path else Path(os.devnull)
    confine(path, command.memory_bytes)
    stream: BinaryIO = io.BytesIO(content) if content is not None else path.open("rb")
    return viewing_pages.open_viewed(stream, command.password)


def _handle(command: object, viewed: viewing_pages.Viewed, connection: Connection) -> None:
    try:
        if isinstance(command, Draw):
            bitmap = viewed.draw(command.number, command.dpi)
            boxes = viewed.boxes(command.number, command.marks) if command.marks else ()
            drawn = Drawn(bitmap.width, bitmap.height, boxes)
            connection.send_bytes(VIEW_EVENTS.encode(drawn))
            connection.send_bytes(bitmap.rgb)
        elif isinstance(command, Find):
            connection.send_bytes(VIEW_EVENTS.encode(Found(viewed.find(command.text))))
    except (FormatError, MemoryError) as error:
        connection.send_bytes(VIEW_EVENTS.encode(_failed(error)))


def _failed(error: Exception) -> ViewFailed:
    if isinstance(error, PasswordNeeded):
        return ViewFailed("document_locked")
    if isinstance(error, TooMuch):
        return ViewFailed("document_too_large", {"limit": str(error)})
    if isinstance(error, MemoryError):
        return ViewFailed("document_too_large", {"limit": "memory"})
    if isinstance(error, Damaged):
        return ViewFailed("document_unreadable", {"reason": "it is damaged"})
    return ViewFailed("document_unreadable", {"reason": "it cannot be shown"})
