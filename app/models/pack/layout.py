"""What a `.snugpack` file looks like, version 1.

    offset  bytes  what
    0       8      `SNUGPACK`
    8       4      version of this layout: 1
    12      4      H, length of the header
    16      4      S, length of the signature: 0, or 96
    20      32     SHA-256 of the header
    52      H      the header: `pack.json`, UTF-8 (see `Pack`)
    52+H    S      32 bytes Ed25519 public key, 64 bytes signature over the exact header (RFC 8032)
    52+H+S         the files' bytes, one after the other in the header's order, and nothing else

Numbers are little-endian. Nothing is compressed and nothing stands between or behind the files, so
the length of a pack follows from its header: it cannot grow while it is read, hold what is not
listed, or be read in two ways, as archives can. The header names each file's SHA-256, and with that
a signature over the header covers everything.
"""

import hashlib
import re
import struct
from dataclasses import dataclass
from typing import NamedTuple

from app.errors import PackDamaged
from app.models import naming, onnx_config
from inference import int8_record, manifest
from inference.errors import BadFrame, ModelUnsupported
from inference.frames import Codec
from inference.gguf.cursor import shown

MAGIC = b"SNUGPACK"
VERSION = 1
SIGNATURE_BYTES = 96
MAX_HEADER_BYTES = 1 << 20
MAX_TEXT_CHARACTERS = 300
LICENCE_FILE = "LICENSE.txt"
"""Where the text of the licence lies in an installed folder."""

_PROLOGUE = struct.Struct("<8sIII32s")
PROLOGUE_BYTES = _PROLOGUE.size

_MAX_FILES = 256
_MAX_LICENCE_CHARACTERS = 200_000
_NAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9 ._+()-]{0,126}[A-Za-z0-9_+()-])?")
_PLACES = re.compile(r"[/\\:\0]|^\.*$")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_OWN = frozenset(
    (manifest.FILE_NAME, manifest.STAMP_NAME, int8_record.RECORD_FILE, int8_record.SCALES_FILE)
)
"""What Snug itself finds out about a model; nobody else may vouch for it."""


@dataclass(frozen=True, slots=True)
class PackedFile:
    """One file of a pack; `sha256` is hexadecimal."""

    name: str
    bytes: int
    sha256: str

    def __post_init__(self) -> None:
        if self.bytes < 0 or not _SHA256.fullmatch(self.sha256):
            raise ValueError("no size, or no SHA-256")


@dataclass(frozen=True, slots=True)
class Pack:
    """The header: what the model is, and its files. Fields as in `inference.manifest.Manifest`.

    Attributes:
        licence_text: The licence itself, where whoever made the pack knew it.
    """

    id: str
    name: str
    files: tuple[PackedFile, ...]
    licence: str = ""
    licence_text: str = ""
    architecture: str = ""
    parameters: int = 0
    quantization: str = ""
    context_tokens: int = 0
    source_sha256: str = ""
    origin: str = ""

    def __post_init__(self) -> None:
        lines = (self.name, self.licence, self.architecture, self.quantization, self.origin)
        is_plain = all(len(text) <= MAX_TEXT_CHARACTERS and text.isprintable() for text in lines)
        has_text = len(self.licence_text) <= _MAX_LICENCE_CHARACTERS
        if not (is_plain and has_text and naming.id_from(self.id) == self.id):
            raise ValueError("a text that could not be shown, or no id")
        if self.source_sha256 and not _SHA256.fullmatch(self.source_sha256):
            raise ValueError("no SHA-256")
        if min(self.parameters, self.context_tokens) < 0:
            raise ValueError("less than nothing")

    @property
    def total_bytes(self) -> int:
        """Of all its files."""
        return sum(file.bytes for file in self.files)


class Prologue(NamedTuple):
    """The first bytes of a pack, apart from its magic number."""

    version: int
    header_bytes: int
    signature_bytes: int
    header_sha256: bytes


_JSON = Codec((Pack,))


def encode(pack: Pack) -> bytes:
    """Return the exact bytes of a header, which are what is signed."""
    return _JSON.encode(pack)


def decode(header: bytes, *, file: str) -> Pack:
    """Return what a header says; its names are checked by `check_names`.

    Raises:
        PackDamaged: It is no header.
    """
    try:
        found = _JSON.decode(header)
    except (BadFrame, RecursionError) as error:
        raise PackDamaged(file=file, reason="its header cannot be read") from error
    if not isinstance(found, Pack):
        raise PackDamaged(file=file, reason="its header cannot be read")
    return found


def encode_prologue(header: bytes, signature: bytes) -> bytes:
    """Return the first bytes of a pack."""
    digest = hashlib.sha256(header).digest()
    return _PROLOGUE.pack(MAGIC, VERSION, len(header), len(signature), digest)


def decode_prologue(first: bytes) -> Prologue | None:
    """Return what the first bytes of a file say, or None where it is no pack."""
    if len(first) < PROLOGUE_BYTES or not first.startswith(MAGIC):
        return None
    return Prologue(*_PROLOGUE.unpack(first)[1:])


def is_snugs_own(name: str) -> bool:
    """Whether Snug writes this file beside a model, so that it belongs in no pack."""
    return name in _OWN


def check_names(pack: Pack, *, file: str) -> None:
    """See that the names are plain files of one folder on every system, each there once, no code.

    Raises:
        PackDamaged: There are none, or one is there twice.
        ModelUnsupported: A name is refused.
    """
    if not 0 < len(pack.files) <= _MAX_FILES:
        raise PackDamaged(file=file, reason=f"it lists {len(pack.files)} files")
    seen: set[str] = set()
    for name in (packed.name for packed in pack.files):
        _check_name(name)
        # Some systems do not tell capital letters from small ones.
        if name.casefold() in seen:
            raise PackDamaged(file=file, reason="it lists a file twice")
        seen.add(name.casefold())


def _check_name(name: str) -> None:
    if _PLACES.search(name):
        raise ModelUnsupported(what=f"a file outside its folder: {shown(name)}")
    if onnx_config.CODE.search(name):
        raise ModelUnsupported(what=f"code in its folder: {shown(name)}")
    is_own = is_snugs_own(name.casefold())
    if is_own or not _NAME.fullmatch(name) or naming.is_device_name(name):
        raise ModelUnsupported(what=f"a file of this name in a pack: {shown(name)}")
