"""ZIP archives of documents; nothing of them is ever written to the disk."""

import io
import posixpath

from app.documents.formats.format import (
    Context,
    DocumentFile,
    FormatError,
    PasswordNeeded,
    Source,
    TooMuch,
)
from app.documents.formats.package import Package
from app.documents.formats.parts import PartsFile, said
from app.documents.values import LeftOut

_LARGEST_MEMBER_BYTES = 250_000_000
_NOBODYS = ("__macosx/", "thumbs.db", "desktop.ini")


def open(source: Source, context: Context) -> DocumentFile:  # noqa: A001 - the name all readers have
    """Open the members that are documents.

    Raises:
        PasswordNeeded: All its members are encrypted, and the password is missing or wrong.
        FormatError: Another of its subclasses.
    """
    package = Package(source, context.budget, password=context.password)
    archive = PartsFile("archive", "page", context)
    locked = 0
    for name in package.names():
        if name.endswith("/") or _is_nobodys(name):
            continue
        if context.budget.members <= 0:
            archive.findings.left_out.append(
                LeftOut("rest_left_out", detail=f"{archive.findings.parts} files")
            )
            break
        try:
            data = package.read(name, _LARGEST_MEMBER_BYTES)
        except PasswordNeeded:
            locked += 1
            reason = "it is protected by a password"
            archive.findings.left_out.append(LeftOut("part_left_out", name, detail=reason))
        except FormatError as error:
            archive.findings.left_out.append(LeftOut("part_left_out", name, detail=said(error)))
            if isinstance(error, TooMuch) and context.budget.unpacked_bytes <= 0:
                break
        else:
            archive.add(Source(_shown(name), io.BytesIO(data), len(data)))
    if locked and not len(archive):
        raise PasswordNeeded
    return archive


def _is_nobodys(name: str) -> bool:
    lower = name.lower()
    base = posixpath.basename(lower)
    return lower.startswith(_NOBODYS[0]) or base in _NOBODYS or base.startswith(".")


def _shown(name: str) -> str:
    """Return a name that cannot pretend to be elsewhere."""
    steps = [step for step in name.replace("\\", "/").split("/") if step not in ("", ".", "..")]
    return "/".join(steps)
