"""A key, sealed with a passphrase.

The passphrase is stretched with Argon2id, whose memory is what makes guessing dear. Its parameters
lie beside the sealed key, so that they can grow with the machines, and are authenticated with it.
"""

import secrets
import unicodedata
from dataclasses import dataclass, field

from app.errors import WrongKey

_MEMORY_KIB = 64 * 1024
_ITERATIONS = 3
_LANES = 4
_SALT_BYTES = 16
_NONCE_BYTES = 12
_KEY_BYTES = 32
# A file that asks for more is not ours and would only exhaust the machine.
_MOST_MEMORY_KIB = 1024 * 1024
_MOST_ITERATIONS = 64
_MOST_LANES = 64


@dataclass(frozen=True, slots=True)
class WrappedKey:
    """A sealed key and how to open it; bytes are hexadecimal digits."""

    salt: str
    nonce: str
    sealed: str = field(repr=False)
    memory_kib: int = _MEMORY_KIB
    iterations: int = _ITERATIONS
    lanes: int = _LANES

    def __post_init__(self) -> None:
        if not (
            0 < self.lanes <= _MOST_LANES
            and 8 * self.lanes <= self.memory_kib <= _MOST_MEMORY_KIB
            and 0 < self.iterations <= _MOST_ITERATIONS
        ):
            raise ValueError("no parameters of ours")
        bytes.fromhex(self.salt + self.nonce + self.sealed)

    def parameters(self) -> bytes:
        """Return what is authenticated beside the key."""
        return f"snug argon2id {self.memory_kib} {self.iterations} {self.lanes}".encode()


def wrap(key: bytes, passphrase: str) -> WrappedKey:
    """Seal `key`; takes about a quarter of a second and 64 MiB."""
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305  # noqa: PLC0415

    salt, nonce = secrets.token_bytes(_SALT_BYTES), secrets.token_bytes(_NONCE_BYTES)
    empty = WrappedKey(salt.hex(), nonce.hex(), "")
    cipher = ChaCha20Poly1305(_stretch(empty, passphrase))
    sealed = cipher.encrypt(nonce, key, empty.parameters())
    return WrappedKey(salt.hex(), nonce.hex(), sealed.hex())


def unwrap(wrapped: WrappedKey, passphrase: str) -> bytes:
    """Return the key.

    Raises:
        WrongKey: This is not the passphrase.
    """
    # Only where a passphrase is used: both cost the start of every other window 30 ms.
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305  # noqa: PLC0415

    cipher = ChaCha20Poly1305(_stretch(wrapped, passphrase))
    try:
        return cipher.decrypt(
            bytes.fromhex(wrapped.nonce), bytes.fromhex(wrapped.sealed), wrapped.parameters()
        )
    except (InvalidTag, ValueError) as error:
        raise WrongKey from error


def _stretch(wrapped: WrappedKey, passphrase: str) -> bytes:
    from cryptography.hazmat.primitives.kdf.argon2 import Argon2id  # noqa: PLC0415

    kdf = Argon2id(
        salt=bytes.fromhex(wrapped.salt),
        length=_KEY_BYTES,
        iterations=wrapped.iterations,
        lanes=wrapped.lanes,
        memory_cost=wrapped.memory_kib,
    )
    # The same passphrase typed on another system must be the same bytes.
    return kdf.derive(unicodedata.normalize("NFC", passphrase).encode("utf-8", "surrogatepass"))
