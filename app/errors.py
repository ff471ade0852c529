"""What the environment can do to the application; the inference errors have a root of their own.

    AppError
    ├── DocumentError       a document could not be read
    │   ├── DocumentUnreadable    damaged, or no format Snug reads
    │   ├── DocumentEmpty         no bytes, or no text in it
    │   ├── DocumentLocked        needs a password
    │   ├── DocumentTooLarge      over the limit of memory, time or pages
    │   ├── RecognitionUnavailable    this build cannot read the text in pictures
    │   └── NotAFile              a folder, or nothing there
    ├── StoreError          the store could not be opened or written
    │   ├── WrongKey              the key does not open it
    │   ├── KeyNeeded             no keyring: a passphrase or a key file must be chosen
    │   ├── StoreFull             no space left
    │   ├── StoreReadOnly         the folder cannot be written
    │   ├── StoreDamaged          the file is damaged
    │   ├── StoreBusy             another Snug has it open
    │   ├── StoreTooNew           a newer Snug wrote it
    │   ├── KeyringLocked         the keyring that holds the key cannot be reached
    │   └── KeyExposed            others can read the key file
    ├── DownloadError       a model could not be fetched
    │   ├── SourceUnreachable     the package index did not answer
    │   ├── SourceAbsent          the package index does not have it
    │   ├── SourceMismatch        what came is not what was asked for: SHA-256 differs
    │   ├── SourceUnknown         what was given is no model that Snug can add
    │   ├── PartsMissing          some of a model's files were not given
    │   ├── FetchUnavailable      this build of Snug cannot fetch from a package index
    │   ├── AddBusy               the same model is being added already
    │   ├── VariantUnknown        a repository does not hold what was named, or nothing for Snug
    │   ├── HubUnreachable        the hub or its mirror did not answer
    │   ├── HubBusy               it answers that it is busy, again and again
    │   ├── HubAnswerWrong        it answers what cannot be understood
    │   ├── CertificateRefused    the system does not trust whoever answered
    │   ├── ProxyRefused          the proxy lets nothing through
    │   ├── HostRefused           a host that nobody named was to be asked
    │   ├── GatedModel            the owner wants to know who fetches it
    │   ├── TokenRefused          the hub does not accept the access token
    │   ├── TokenNotKept          there is no keyring for the access token
    │   ├── RepositoryUnknown     the hub has no such repository, or does not show it
    │   ├── RevisionUnknown       the repository has no such revision
    │   ├── ListingUnsafe         a file's name would lead out of its folder
    │   ├── DownloadEnded         the download process ended by itself
    │   ├── NothingToPause        no download of this model is under way
    │   ├── NothingToResume       no download of this model was stopped
    │   ├── PackDamaged           a model pack is not what it says, or not whole
    │   ├── PackTooNew            a newer Snug made the pack
    │   └── NoSpace               too little room, known before the first byte
    ├── ContextFull         older turns would have to leave, and the person wants to be asked
    ├── ModelUnknown        no installed model has this id
    ├── DeviceUnknown       no device has this name
    ├── LoadBlocked         this model's load crashed the last time; a person must ask again
    ├── MemoryTight         too little memory is free for this model; a person must choose
    ├── ComparisonTight     too little memory is free to compare a model
    ├── SigningKeyError     a key that signs model packs cannot be used
    │   ├── SigningKeyUnusable    the file holds no such key
    │   ├── SigningKeyLocked      it needs a passphrase, or another one
    │   ├── SigningKeyTaken       there is a file where a new key should go
    │   └── SigningKeyUnknown     none of the trusted keys is called so
    └── PolicyError         a connection that Snug does not allow
        ├── PolicyUnreadable      this machine's policy cannot be understood
        ├── AddNotAllowed         it does not allow models of this kind
        ├── SignatureNeeded       it does not allow packs without a signature
        └── SignerNotAllowed      it does not allow packs of this signer

Each class has a stable `code` and carries facts, never sentences; `app.messages` has the sentences.
"""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from inference import errors
from inference.errors import Fact, InferenceError


class AppError(Exception):
    """Root; `facts` fill the sentence shown."""

    code: ClassVar[str] = "app"

    def __init__(self, **facts: Fact) -> None:
        super().__init__(self.code, facts)
        self.facts: dict[str, Fact] = facts

    def __str__(self) -> str:
        return f"{self.code} {self.facts}" if self.facts else self.code


class DocumentError(AppError):
    """A document could not be read; every subclass has the fact `name`, the file's own name."""

    code = "document"


class DocumentUnreadable(DocumentError):
    """Facts: `name`, `reason`."""

    code = "document_unreadable"


class DocumentEmpty(DocumentError):
    """Facts: `name`."""

    code = "document_empty"


class DocumentLocked(DocumentError):
    """Facts: `name`, and `wrong`: 1 where a password was given that does not fit, else 0."""

    code = "document_locked"


class DocumentTooLarge(DocumentError):
    """Facts: `name`, `limit`."""

    code = "document_too_large"


class RecognitionUnavailable(DocumentError):
    """Facts: `name`."""

    code = "recognition_unavailable"


class NotAFile(DocumentError):
    """Facts: `name`."""

    code = "not_a_file"


class StoreError(AppError):
    """The store could not be opened or written."""

    code = "store"


class WrongKey(StoreError):
    """No facts."""

    code = "wrong_key"


class KeyNeeded(StoreError):
    """No facts."""

    code = "key_needed"


class StoreFull(StoreError):
    """No facts."""

    code = "store_full"


class StoreReadOnly(StoreError):
    """Facts: `folder`."""

    code = "store_read_only"


class StoreDamaged(StoreError):
    """No facts."""

    code = "store_damaged"


class StoreBusy(StoreError):
    """No facts."""

    code = "store_busy"


class StoreTooNew(StoreError):
    """No facts."""

    code = "store_too_new"


class KeyringLocked(StoreError):
    """No facts."""

    code = "keyring_locked"


class KeyExposed(StoreError):
    """Facts: `file`."""

    code = "key_exposed"


class DownloadError(AppError):
    """A model could not be fetched."""

    code = "download"


class SourceUnreachable(DownloadError):
    """Facts: `source`."""

    code = "source_unreachable"


class SourceAbsent(DownloadError):
    """Facts: `source`."""

    code = "source_absent"


class SourceMismatch(DownloadError):
    """Facts: `source`."""

    code = "source_mismatch"


class SourceUnknown(DownloadError):
    """Facts: `source`, the name as it was given without its folder."""

    code = "source_unknown"


class PartsMissing(DownloadError):
    """Facts: `model`, `missing` (names of packages), `count`."""

    code = "parts_missing"


class FetchUnavailable(DownloadError):
    """Facts: `source`."""

    code = "fetch_unavailable"


class AddBusy(DownloadError):
    """Facts: `model`."""

    code = "add_busy"


class VariantUnknown(DownloadError):
    """Facts: `repository`, `variants` (names of those there are, empty for none)."""

    code = "variant_unknown"


class HubUnreachable(DownloadError):
    """Facts: `host`."""

    code = "hub_unreachable"


class HubBusy(DownloadError):
    """Facts: `host`."""

    code = "hub_busy"


class HubAnswerWrong(DownloadError):
    """Facts: `host`."""

    code = "hub_answer_wrong"


class CertificateRefused(DownloadError):
    """Facts: `host`."""

    code = "certificate_refused"


class ProxyRefused(DownloadError):
    """Facts: `proxy`, its host."""

    code = "proxy_refused"


class HostRefused(DownloadError):
    """Facts: `host`, which was refused, and `hub`, the host that led there."""

    code = "host_refused"


class GatedModel(DownloadError):
    """Facts: `repository`, `host`."""

    code = "gated_model"


class TokenRefused(DownloadError):
    """Facts: `host`."""

    code = "token_refused"


class TokenNotKept(DownloadError):
    """No facts."""

    code = "token_not_kept"


class RepositoryUnknown(DownloadError):
    """Facts: `repository`, `host`."""

    code = "repository_unknown"


class RevisionUnknown(DownloadError):
    """Facts: `repository`, `revision`."""

    code = "revision_unknown"


class ListingUnsafe(DownloadError):
    """Facts: `file`, the name as the hub gave it, shortened."""

    code = "listing_unsafe"


class DownloadEnded(DownloadError):
    """No facts."""

    code = "download_ended"


class NothingToPause(DownloadError):
    """Facts: `model`."""

    code = "nothing_to_pause"


class NothingToResume(DownloadError):
    """Facts: `model`."""

    code = "nothing_to_resume"


class PackDamaged(DownloadError):
    """Facts: `file`, `reason`."""

    code = "pack_damaged"


class PackTooNew(DownloadError):
    """Facts: `file`."""

    code = "pack_too_new"


class NoSpace(DownloadError):
    """Facts: `needed_bytes`, `free_bytes`."""

    code = "no_space"


class ContextFull(AppError):
    """Facts: `needed_tokens`, `limit_tokens`."""

    code = "context_full"


class ModelUnknown(AppError):
    """Facts: `model`."""

    code = "model_unknown"


class DeviceUnknown(AppError):
    """Facts: `device`."""

    code = "device_unknown"


class LoadBlocked(AppError):
    """Facts: `model`."""

    code = "load_blocked"


class MemoryTight(AppError):
    """Facts: `model`, `needed_bytes`, `free_bytes`, and what would do.

    That is `fitting_tokens`, a context window, or `fitting_model`, the id of an installed model.
    """

    code = "memory_tight"


class SigningKeyError(AppError):
    """A key that signs model packs cannot be used."""

    code = "signing_key"


class SigningKeyUnusable(SigningKeyError):
    """Facts: `file`."""

    code = "signing_key_unusable"


class SigningKeyLocked(SigningKeyError):
    """Facts: `file`, and `wrong`: 1 where a passphrase was given that does not fit, else 0."""

    code = "signing_key_locked"


class SigningKeyTaken(SigningKeyError):
    """Facts: `file`."""

    code = "signing_key_taken"


class SigningKeyUnknown(SigningKeyError):
    """Facts: `key`, as it was given."""

    code = "signing_key_unknown"


class ComparisonTight(AppError):
    """Facts: `model`, `needed_bytes`, `free_bytes`: beside everything that is loaded."""

    code = "comparison_tight"


class PolicyError(AppError):
    """Facts: `what`."""

    code = "policy"


class PolicyUnreadable(PolicyError):
    """Facts: `file`, where the policy lies, and `reason`."""

    code = "policy_unreadable"


class AddNotAllowed(PolicyError):
    """Facts: `kind`, of the model that was to be added."""

    code = "add_not_allowed"


class SignatureNeeded(PolicyError):
    """Facts: `file`."""

    code = "signature_needed"


class SignerNotAllowed(PolicyError):
    """Facts: `file`, `fingerprint`."""

    code = "signer_not_allowed"


def from_code(code: str, facts: Mapping[str, Fact]) -> AppError | InferenceError:
    """Return the error that was kept as `code` and `facts`, of either tree."""
    for cls in _tree(AppError):
        if cls.code == code:
            return cls(**facts)
    return errors.from_code(code, facts)


def _tree(root: type[AppError]) -> Iterator[type[AppError]]:
    yield root
    for cls in root.__subclasses__():
        yield from _tree(cls)
