"""What an administrator lets people on this machine add, from one file that Snug only obeys.

    {"packs": {"only_signed_by": ["ed25519:…"],
               "allow_unsigned": false, "allow_other_models": false}}

`only_signed_by` names the public keys whose packs are allowed; without it every signer is. Packs
without a signature, and models that are no packs, are allowed where the file says so, and where it
names no signers. Who writes such a file wants something refused: one that cannot be understood, be
it for one unknown word, refuses everything. It binds people who keep to Snug; who may start other
programs can put files anywhere.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from app.errors import AddNotAllowed, PolicyUnreadable, SignatureNeeded, SignerNotAllowed
from app.models.pack import signing

AddKind = Literal["pack", "gguf", "folder", "hub", "catalog"]

_SECTION = "packs"
_SIGNERS, _UNSIGNED, _OTHERS = "only_signed_by", "allow_unsigned", "allow_other_models"
_MAX_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Policy:
    """What may be added.

    Attributes:
        signers: Texts of the public keys whose packs are allowed; None allows every signer.
        allow_unsigned: Whether packs without a signature are allowed.
        allow_other_models: Whether models that are no packs are allowed.
    """

    signers: frozenset[str] | None = None
    allow_unsigned: bool = True
    allow_other_models: bool = True

    @classmethod
    def load(cls, file: Path) -> "Policy":
        """Return what the file says; without one everything is allowed.

        Raises:
            PolicyUnreadable: It is there and cannot be understood, so nothing may be added.
        """
        try:
            with file.open("rb") as opened:
                content = opened.read(_MAX_BYTES + 1)
        except (FileNotFoundError, NotADirectoryError):
            return cls()
        except OSError as error:
            raise PolicyUnreadable(file=str(file), reason="it cannot be read") from error
        try:
            return _policy(content)
        except _Wrong as error:
            raise PolicyUnreadable(file=str(file), reason=str(error)) from error

    def check_add(self, kind: AddKind) -> None:
        """Raise AddNotAllowed where models of this kind may not be added."""
        if kind != "pack" and not self.allow_other_models:
            raise AddNotAllowed(kind=kind)

    def check_signer(self, signer: str, *, pack: str) -> None:
        """See whether a pack may be added.

        Args:
            signer: Text of the public key that it was signed with; empty for none.
            pack: What to call the pack.

        Raises:
            SignatureNeeded: It has none.
            SignerNotAllowed: It has another one than it must.
        """
        if not signer:
            if not self.allow_unsigned:
                raise SignatureNeeded(file=pack)
        elif self.signers is not None and signer not in self.signers:
            raise SignerNotAllowed(file=pack, fingerprint=signing.fingerprint(signer))


class _Wrong(Exception):
    """The file cannot be understood; the message says where."""


def _policy(content: bytes) -> Policy:
    if len(content) > _MAX_BYTES:
        raise _Wrong("it is too large")
    try:
        body = json.loads(content.decode("utf-8-sig"), object_pairs_hook=_each_once)
    except (ValueError, RecursionError) as error:
        raise _Wrong("it is not JSON") from error
    section = _object(body, "it", {_SECTION}).get(_SECTION)
    if section is None:
        raise _Wrong(f"{_SECTION} is missing")
    packs = _object(section, _SECTION, {_SIGNERS, _UNSIGNED, _OTHERS})
    signers = _signers(packs[_SIGNERS]) if _SIGNERS in packs else None
    is_open = signers is None
    return Policy(signers, _flag(packs, _UNSIGNED, is_open), _flag(packs, _OTHERS, is_open))


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    body = dict(pairs)
    if len(body) != len(pairs):
        raise _Wrong("it says one thing twice")
    return body


def _object(value: Any, where: str, known: set[str]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _Wrong(f"{where} is not an object")
    if unknown := value.keys() - known:
        raise _Wrong(f"it says what this version does not know: {min(unknown)[:40]!r}")
    return value


def _signers(value: Any) -> frozenset[str]:
    if not isinstance(value, list):
        raise _Wrong(f"{_SIGNERS} is not a list")
    keys = [signing.parse_public(text) if isinstance(text, str) else None for text in value]
    if None in keys:
        raise _Wrong(f"{_SIGNERS} holds what is not a public key")
    return frozenset(key for key in keys if key)


def _flag(packs: dict[str, Any], name: str, default: bool) -> bool:
    value = packs.get(name, default)
    if not isinstance(value, bool):
        raise _Wrong(f"{name} is neither true nor false")
    return value
