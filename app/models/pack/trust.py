"""Whose packs are trusted: the keys that a person named, and what the machine's policy says."""

from dataclasses import dataclass
from pathlib import Path

from app.atomic import write_atomically
from app.errors import SigningKeyUnknown, SigningKeyUnusable
from app.models.pack import signing
from app.models.pack.policy import Policy
from app.paths import Paths, machine_policy
from inference.errors import BadFrame, Fact
from inference.frames import Codec


@dataclass(frozen=True, slots=True)
class TrustedKey:
    """A public key, and what the person who trusts it calls its owner."""

    key: str
    name: str = ""

    def __post_init__(self) -> None:
        if signing.parse_public(self.key) != self.key or not self.name.isprintable():
            raise ValueError("no public key, or a name that cannot be shown")

    @property
    def fingerprint(self) -> str:
        """A short form that people can compare."""
        return signing.fingerprint(self.key)


@dataclass(frozen=True, slots=True)
class _Kept:
    keys: tuple[TrustedKey, ...]


_JSON = Codec((_Kept,))


class TrustedKeys:
    """The public keys that a person trusts, in one file that is read anew each time."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def all(self) -> tuple[TrustedKey, ...]:
        """Return them in the order in which they were added.

        Raises:
            SigningKeyUnusable: The file cannot be understood.
        """
        try:
            kept = _JSON.decode(self._file.read_bytes())
        except FileNotFoundError:
            return ()
        except (OSError, BadFrame, RecursionError) as error:
            raise SigningKeyUnusable(file=self._file.name) from error
        if not isinstance(kept, _Kept):
            raise SigningKeyUnusable(file=self._file.name)
        return kept.keys

    def trust(self, key: str, name: str = "") -> TrustedKey:
        """Keep a public key; one that is known already gets the new name.

        Raises:
            ValueError: `key` is no text of a public key, or `name` cannot be shown.
            SigningKeyUnusable: The file cannot be understood.
            OSError: It cannot be written.
        """
        added = TrustedKey(key, name)
        self._write((*(old for old in self.all() if old.key != key), added))
        return added

    def forget(self, wanted: str) -> TrustedKey:
        """Trust a key no longer.

        Args:
            wanted: Its text, its fingerprint, or the name of its owner.

        Raises:
            SigningKeyUnknown: There is none, or more than one of this name.
            SigningKeyUnusable: The file cannot be understood.
            OSError: It cannot be written.
        """
        keys = self.all()
        digits = wanted.replace(" ", "").lower()
        found = [
            key
            for key in keys
            if wanted in (key.key, key.name) or digits == key.fingerprint.replace(" ", "")
        ]
        if len(found) != 1 or not wanted:
            raise SigningKeyUnknown(key=wanted)
        self._write(tuple(key for key in keys if key != found[0]))
        return found[0]

    def _write(self, keys: tuple[TrustedKey, ...]) -> None:
        write_atomically(self._file, _JSON.encode(_Kept(keys)))


@dataclass(frozen=True, slots=True)
class Trust:
    """What is known of signers, as of now."""

    policy: Policy
    keys: tuple[TrustedKey, ...] = ()

    @classmethod
    def load(cls, places: Paths, policy_file: Path | None = None) -> "Trust":
        """Return it for a data folder, with the policy of this machine unless given another.

        Where the file with the person's keys cannot be understood, none of them is trusted.

        Raises:
            PolicyUnreadable: The policy cannot be understood, so nothing may be added.
        """
        policy = Policy.load(policy_file or machine_policy())
        try:
            return cls(policy, TrustedKeys(places.pack_keys).all())
        except SigningKeyUnusable:
            return cls(policy)

    def vouches_for(self, signer: str) -> bool:
        """Whether the person or the policy named this public key."""
        return bool(signer) and (
            signer in (self.policy.signers or ()) or any(key.key == signer for key in self.keys)
        )

    def notice(self, signer: str) -> tuple[str, dict[str, Fact]]:
        """Return the code and the facts of what a person should know of a pack's signer."""
        if not signer:
            return "pack_unsigned", {}
        code = "pack_signed" if self.vouches_for(signer) else "pack_signer_unknown"
        return code, {
            "signer": self.name_of(signer),
            "fingerprint": signing.fingerprint(signer),
        }

    def name_of(self, signer: str) -> str:
        """Return what to call a signer: the name that was given, else the fingerprint."""
        for key in self.keys:
            if key.key == signer and key.name:
                return key.name
        return signing.fingerprint(signer)
