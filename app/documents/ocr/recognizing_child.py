"""The recognizing process: draws pages of one document and reads the text in the pictures.

The models are loaded first; then the walls close, and one file can be read. It ends when the other
end of the pipe goes away.
"""

import os
import warnings
from collections.abc import Iterator
from multiprocessing.connection import Connection

from app.documents import sniffing
from app.documents.confining import confine
from app.documents.formats import image, opening  # noqa: F401 - Pillow's parts, before the walls
from app.documents.formats.format import (
    Context,
    DocumentFile,
    FormatError,
    PasswordNeeded,
    Source,
    TooMuch,
)
from app.documents.frames import unwire_path
from app.documents.ocr.engine import Engine, EngineMissing
from app.documents.ocr.frames import (
    OCR_COMMANDS,
    OCR_EVENTS,
    AllRecognized,
    Ready,
    RecognizedPage,
    RecognizePages,
    RecognizingFailed,
)
from app.documents.ocr.reading import read_picture
from inference.child import end_with_parent, hush
from inference.errors import BadFrame

_DPI = 200.0
# An image is taken as it is.
_IMAGE_DPI = 10_000.0
_POINTS_PER_INCH = 72
_SHEET_PT = 842


def serve(connection: Connection) -> int:
    """Recognize the pages that are asked for; return the exit code."""
    try:
        command = OCR_COMMANDS.decode(connection.recv_bytes())
    except (EOFError, OSError, BadFrame):
        return 1
    hush()
    warnings.simplefilter("ignore")
    end_with_parent(connection)
    try:
        for event in _events(command):
            connection.send_bytes(OCR_EVENTS.encode(event))
    except OSError:
        return 1
    return 0


def _events(command: RecognizePages) -> Iterator[object]:
    try:
        engine = Engine(command.threads)
        path = unwire_path(command.path)
        with path.open("rb") as stream:
            opening.prepare(sniffing.sniff(stream))
            confine(path, command.memory_bytes)
            source = Source(path.name, stream, stream.seek(0, os.SEEK_END))
            stream.seek(0)
            file = opening.open_file(source, Context(command.password))
            yield Ready()
            for number in command.pages:
                yield _page(engine, file, number)
            yield AllRecognized()
    except EngineMissing:
        yield RecognizingFailed("recognition_unavailable")
    except (FormatError, OSError, MemoryError) as error:
        yield _failed(error)


def _page(engine: Engine, file: DocumentFile, number: int) -> RecognizedPage:
    is_image = file.kind == "image"
    try:
        bitmap = file.render(number, _IMAGE_DPI if is_image else _DPI)
    except (FormatError, IndexError):
        bitmap = None
    if bitmap is None:
        return RecognizedPage(number, (), 0.0, "damaged")
    longest_px = max(bitmap.width, bitmap.height)
    points_per_px = _SHEET_PT / longest_px if is_image else _POINTS_PER_INCH / _DPI
    try:
        read = read_picture(engine, bitmap, points_per_px)
    except MemoryError:
        return RecognizedPage(number, (), 0.0, "memory")
    return RecognizedPage(number, read.lines, read.confidence)


def _failed(error: Exception) -> RecognizingFailed:
    if isinstance(error, PasswordNeeded):
        return RecognizingFailed("document_locked")
    if isinstance(error, TooMuch):
        return RecognizingFailed("document_too_large", {"limit": str(error)})
    if isinstance(error, MemoryError):
        return RecognizingFailed("document_too_large", {"limit": "memory"})
    return RecognizingFailed("document_unreadable", {"reason": "it is damaged"})
