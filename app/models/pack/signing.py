"""Keys that sign packs: Ed25519 (RFC 8032), private ones in PEM files, public ones as a short text.

A public key's text is `ed25519:` and its 32 bytes in Base64: short enough for a mail or a policy,
and what anybody needs to check a pack.
"""

import base64
import binascii
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from app.atomic import write_atomically
from app.errors import SigningKeyLocked, SigningKeyTaken, SigningKeyUnusable

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

KEY_BYTES = 32

_PREFIX = "ed25519:"
_LOCKED = b"BEGIN ENCRYPTED PRIVATE KEY"
_MAX_FILE_BYTES = 1 << 16
_FINGERPRINT_DIGITS = 32
_GROUP = 4


def new_key(file: Path, passphrase: str = "") -> str:
    """Make a private key in a new file that its owner alone may read; return its public key.

    Raises:
        SigningKeyTaken: There is a file of this name; it stays as it is.
        OSError: It cannot be written.
    """
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - slow to import
    from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415 - as above

    key = ed25519.Ed25519PrivateKey.generate()
    sealing: serialization.KeySerializationEncryption = serialization.NoEncryption()
    if passphrase:
        sealing = serialization.BestAvailableEncryption(passphrase.encode())
    body = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, sealing)
    try:
        write_atomically(file, body, replace=False)
    except FileExistsError as error:
        raise SigningKeyTaken(file=file.name) from error
    return _text(key.public_key().public_bytes_raw())


class SigningKey:
    """A private key that was opened."""

    def __init__(self, key: "Ed25519PrivateKey") -> None:
        self._key = key

    @property
    def public(self) -> str:
        """The text of its public key."""
        return _text(self._key.public_key().public_bytes_raw())

    def sign(self, content: bytes) -> bytes:
        """Return the public key and a signature, as they stand in a pack."""
        return self._key.public_key().public_bytes_raw() + self._key.sign(content)


def load(file: Path, passphrase: str = "") -> SigningKey:
    """Open a private key.

    Raises:
        SigningKeyLocked: It needs a passphrase, or another one.
        SigningKeyUnusable: It is no private key of this kind, or cannot be read.
    """
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415 - slow to import
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - as above
    from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415 - as above

    body = _read(file)
    has_lock = _LOCKED in body
    if has_lock and not passphrase:
        raise SigningKeyLocked(file=file.name, wrong=0)
    try:
        key = serialization.load_pem_private_key(body, passphrase.encode() if has_lock else None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        if has_lock:
            raise SigningKeyLocked(file=file.name, wrong=1) from error
        raise SigningKeyUnusable(file=file.name) from error
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise SigningKeyUnusable(file=file.name)
    return SigningKey(key)


def is_locked(file: Path) -> bool:
    """Whether a private key needs a passphrase.

    Raises:
        SigningKeyUnusable: The file cannot be read.
    """
    return _LOCKED in _read(file)


def is_private(file: Path) -> bool:
    """Whether a file looks like a private key.

    Raises:
        SigningKeyUnusable: It cannot be read.
    """
    return b"PRIVATE KEY-----" in _read(file)


def signer_of(signature: bytes, content: bytes) -> str | None:
    """Return the text of the public key that `content` was signed with, or None.

    Args:
        signature: As `SigningKey.sign` makes it.
        content: What must be signed.
    """
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - slow to import
    from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415 - as above

    raw = signature[:KEY_BYTES]
    try:
        ed25519.Ed25519PublicKey.from_public_bytes(raw).verify(signature[KEY_BYTES:], content)
    except (InvalidSignature, ValueError):
        return None
    return _text(raw)


def parse_public(text: str) -> str | None:
    """Return the text of a public key as Snug writes it, or None where `text` is none."""
    plain = text.strip()
    if not plain.startswith(_PREFIX):
        return None
    try:
        raw = base64.b64decode(plain.removeprefix(_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        return None
    return _text(raw) if len(raw) == KEY_BYTES else None


def read_public(file: Path) -> str:
    """Return the first public key in a text file, such as what `snug models key show` printed.

    Raises:
        SigningKeyUnusable: There is none in it.
    """
    for word in _read(file).decode("utf-8", "replace").split():
        if key := parse_public(word.strip('",')):
            return key
    raise SigningKeyUnusable(file=file.name)


def fingerprint(key: str) -> str:
    """Return a short form of a public key's text that people can compare on the telephone.

    It is the first half of the SHA-256 of the key's bytes, in groups of four digits.
    """
    raw = base64.b64decode(key.removeprefix(_PREFIX))
    digits = hashlib.sha256(raw).hexdigest()[:_FINGERPRINT_DIGITS]
    return " ".join(digits[at : at + _GROUP] for at in range(0, len(digits), _GROUP))


def _text(raw: bytes) -> str:
    return _PREFIX + base64.b64encode(raw).decode()


def _read(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            body = opened.read(_MAX_FILE_BYTES + 1)
    except OSError as error:
        raise SigningKeyUnusable(file=file.name) from error
    if len(body) > _MAX_FILE_BYTES:
        raise SigningKeyUnusable(file=file.name)
    return body
