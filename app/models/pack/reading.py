"""Opens a pack and looks at it: what it says it is, who signed it, and whether it is all there."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from app.errors import PackDamaged, PackTooNew
from app.models.pack import layout, signing
from app.models.pack.layout import Pack, PackedFile


@dataclass(frozen=True, slots=True)
class PackFacts:
    """What a pack says of itself, whole and signed as said; its files are not read yet.

    Attributes:
        id: What the model was called where the pack was made.
        signer: Text of the public key that it was signed with; empty for none.
    """

    id: str
    name: str
    licence: str
    licence_text: str
    architecture: str
    parameters: int
    quantization: str
    context_tokens: int
    source_sha256: str
    files: tuple[PackedFile, ...]
    signer: str

    @property
    def bytes(self) -> int:
        """Of all its files."""
        return sum(file.bytes for file in self.files)


@dataclass(frozen=True, slots=True)
class OpenPack:
    """A pack that stands at the first byte of its first file."""

    stream: FileIO
    header: Pack
    signer: str

    def facts(self) -> PackFacts:
        """Return what it says of itself."""
        header = self.header
        return PackFacts(
            id=header.id,
            name=header.name,
            licence=header.licence,
            licence_text=header.licence_text,
            architecture=header.architecture,
            parameters=header.parameters,
            quantization=header.quantization,
            context_tokens=header.context_tokens,
            source_sha256=header.source_sha256,
            files=header.files,
            signer=self.signer,
        )


def is_pack(file: Path) -> bool:
    """Whether a file begins like a pack; False where it cannot be read."""
    try:
        with file.open("rb") as opened:
            return opened.read(len(layout.MAGIC)) == layout.MAGIC
    except OSError:
        return False


def open_pack(file: Path) -> PackFacts:
    """Look at a pack; reads its first few kilobytes.

    Raises:
        PackDamaged: It is no pack, is cut short or too long, or its signature does not fit.
        PackTooNew: Its layout is of a later version.
        ModelUnsupported: It lists a file that may not be in a pack.
        OSError: It cannot be read.
    """
    with opened(file) as pack:
        return pack.facts()


@contextmanager
def opened(file: Path) -> Iterator[OpenPack]:
    """Give a pack to read its files from; raises as `open_pack`."""
    with FileIO(file, "rb") as stream:
        yield _begin(stream, file.name)


def _begin(stream: FileIO, name: str) -> OpenPack:
    prologue = layout.decode_prologue(_read(stream, layout.PROLOGUE_BYTES))
    if prologue is None:
        raise PackDamaged(file=name, reason="it does not begin like one")
    if prologue.version > layout.VERSION:
        raise PackTooNew(file=name)
    if (
        prologue.version != layout.VERSION
        or prologue.header_bytes > layout.MAX_HEADER_BYTES
        or prologue.signature_bytes not in (0, layout.SIGNATURE_BYTES)
    ):
        raise PackDamaged(file=name, reason="its first bytes are wrong")
    header = _read(stream, prologue.header_bytes)
    if hashlib.sha256(header).digest() != prologue.header_sha256:
        raise PackDamaged(file=name, reason="its header is damaged")
    pack = layout.decode(header, file=name)
    layout.check_names(pack, file=name)
    signer = _signer(_read(stream, prologue.signature_bytes), header, name)
    if os.fstat(stream.fileno()).st_size != stream.tell() + pack.total_bytes:
        raise PackDamaged(file=name, reason="it is cut short, or too long")
    return OpenPack(stream, pack, signer)


def _signer(signature: bytes, header: bytes, name: str) -> str:
    if not signature:
        return ""
    if (signer := signing.signer_of(signature, header)) is None:
        raise PackDamaged(file=name, reason="its signature does not fit")
    return signer


def _read(stream: FileIO, count: int) -> bytes:
    """Return up to `count` bytes; fewer only at the end of the file."""
    parts: list[bytes] = []
    while count and (part := stream.read(count)):
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
