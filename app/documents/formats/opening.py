"""Opens a document by what it is: finds the reader for it and loads that reader alone.

Readers are loaded by name, so that a process pays only for the format in front of it, and so that a
build without a reader says so instead of failing.
"""

import importlib
from types import ModuleType

from app.documents import decoding, sniffing
from app.documents.formats.format import (
    Context,
    Damaged,
    DocumentFile,
    FormatError,
    Source,
    Unsupported,
)
from app.documents.sniffing import Sniffed

_PACKAGES = {"pdf": "app.documents", "plain_text": "app.documents"}
_DECRYPTER = "encrypted"
READERS = (
    "plain_text",
    "pdf",
    "word",
    "legacy",
    "opendocument",
    "rich_text",
    "slides",
    "sheets",
    "delimited",
    "web",
    "book",
    "mail",
    "outlook",
    "archive",
    "image",
)
# What a password hides is one of these.
_LOCKED = ("word", "slides", "sheets")


def prepare(found: Sniffed) -> None:
    """Load everything that reading `found` may need; behind the walls nothing can be loaded."""
    decoding.prepare()
    if found.is_locked:
        names: tuple[str, ...] = (_DECRYPTER, *_LOCKED)
    elif found.holds_files:
        names = (_DECRYPTER, *READERS)
    else:
        names = (_DECRYPTER, found.reader) if found.reader else ()
    for name in names:
        module = _module(name)
        # A library may load parts of itself only when they are used; its reader knows them.
        warm = getattr(module, "prepare", None)
        if warm is not None:
            warm()


def open_file(source: Source, context: Context) -> DocumentFile:
    """Open the document in `source` with the reader for its content; decrypts it where it must.

    Raises:
        FormatError: One of its subclasses.
        MemoryError: There is not enough.
    """
    found = sniffing.sniff(source.stream)
    if found.is_locked:
        decrypter = _module(_DECRYPTER)
        if decrypter is None:
            raise Unsupported(found.what)
        source = decrypter.decrypt(source, context)
        found = sniffing.sniff(source.stream)
    reader = _module(found.reader) if found.reader else None
    if reader is None:
        raise Unsupported(found.what)
    try:
        file: DocumentFile = reader.open(source, context)
    except (FormatError, MemoryError):
        raise
    except Exception as error:  # libraries raise anything over a file that somebody else broke
        raise Damaged from error
    return file


def _module(name: str) -> ModuleType | None:
    """Return the module of a reader, or None where this build has none."""
    full_name = f"{_PACKAGES.get(name, 'app.documents.formats')}.{name}"
    try:
        return importlib.import_module(full_name)
    except ModuleNotFoundError:
        return None
