"""Keys that sign packs, the ones a person trusts, and what a machine's policy allows."""

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.errors import (
    AddNotAllowed,
    PolicyUnreadable,
    SignatureNeeded,
    SignerNotAllowed,
    SigningKeyLocked,
    SigningKeyTaken,
    SigningKeyUnknown,
    SigningKeyUnusable,
)
from app.messages import describe
from app.models.pack import signing
from app.models.pack.policy import AddKind, Policy
from app.models.pack.trust import Trust, TrustedKeys
from app.paths import Paths, machine_policy
from tests.app.models.pack.conftest import Key

OTHERS: tuple[AddKind, ...] = ("gguf", "folder", "hub", "catalog")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "policy.json"


def policy(file: Path, **packs: Any) -> Policy:
    file.write_text(json.dumps({"packs": packs}))
    return Policy.load(file)


def test_a_private_key_is_for_its_owner_alone_and_never_overwritten(
    tmp_path: Path, key: Key
) -> None:
    if os.name != "nt":
        assert stat.S_IMODE(key.file.stat().st_mode) == 0o600
    before = key.file.read_bytes()
    with pytest.raises(SigningKeyTaken):
        signing.new_key(key.file)
    assert key.file.read_bytes() == before
    assert signing.load(key.file).public == key.public


def test_a_locked_key_gives_nothing_without_its_passphrase(tmp_path: Path) -> None:
    public = signing.new_key(tmp_path / "key.pem", "Grüße")
    for passphrase, wrong in (("", 0), ("gruesse", 1)):
        with pytest.raises(SigningKeyLocked) as caught:
            signing.load(tmp_path / "key.pem", passphrase)
        assert caught.value.facts["wrong"] == wrong
    assert signing.load(tmp_path / "key.pem", "Grüße").public == public


@pytest.mark.parametrize("content", [b"", b"hello", b"\xff" * 100, bytes(1 << 17)])
def test_what_is_no_key_is_said_to_be_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    for read in (signing.load, signing.read_public):
        with pytest.raises(SigningKeyUnusable):
            read(tmp_path / "file")
        with pytest.raises(SigningKeyUnusable):
            read(tmp_path / "none")


def test_a_key_of_another_kind_is_refused(tmp_path: Path) -> None:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import x25519

    body = x25519.X25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    (tmp_path / "key.pem").write_bytes(body)
    with pytest.raises(SigningKeyUnusable):
        signing.load(tmp_path / "key.pem")


def test_a_signature_is_of_these_bytes_alone(key: Key) -> None:
    signature = signing.load(key.file).sign(b"content")
    assert signing.signer_of(signature, b"content") == key.public
    assert signing.signer_of(signature, b"contenu") is None
    assert signing.signer_of(bytes(96), b"content") is None


def test_a_signature_is_as_the_standard_says() -> None:
    """RFC 8032, 7.1, test 2: key, message and signature."""
    public = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
    signature = (
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    )
    assert signing.signer_of(bytes.fromhex(public + signature), b"\x72") is not None


@pytest.mark.parametrize("text", ["", "ed25519:", "ed25519:AAAA", "ed25519:!", "rsa:AAAA"])
def test_what_is_no_public_key_is_none(text: str) -> None:
    assert signing.parse_public(text) is None


def test_trusted_keys_are_kept_renamed_and_forgotten(
    tmp_path: Path, key: Key, other_key: Key
) -> None:
    keys = TrustedKeys(tmp_path / "keys.json")
    assert keys.all() == ()
    keys.trust(key.public)
    keys.trust(other_key.public, "Helpdesk")
    keys.trust(key.public, "The team")
    assert [each.name for each in keys.all()] == ["Helpdesk", "The team"]
    keys.forget(signing.fingerprint(key.public).upper())
    keys.forget("Helpdesk")
    assert TrustedKeys(tmp_path / "keys.json").all() == ()
    for wanted in ("", "Helpdesk", key.public):
        with pytest.raises(SigningKeyUnknown):
            keys.forget(wanted)


@pytest.mark.parametrize("content", ["", "[]", '{"type": "_Kept", "keys": [{"key": "x"}]}'])
def test_a_damaged_list_of_keys_trusts_nobody(tmp_path: Path, content: str) -> None:
    (tmp_path / "pack-keys.json").write_text(content)
    assert Trust.load(Paths(tmp_path), tmp_path / "none") == Trust(Policy())
    with pytest.raises(SigningKeyUnusable):
        TrustedKeys(tmp_path / "pack-keys.json").all()


def test_without_a_policy_everything_is_allowed(file: Path) -> None:
    found = Policy.load(file)
    for kind in OTHERS:
        found.check_add(kind)
    found.check_signer("", pack="a")


def test_named_signers_leave_nothing_else(file: Path, key: Key, other_key: Key) -> None:
    found = policy(file, only_signed_by=[key.public])
    found.check_add("pack")
    found.check_signer(key.public, pack="a")
    for kind in OTHERS:
        with pytest.raises(AddNotAllowed) as caught:
            found.check_add(kind)
        assert "signed model packs" in describe(caught.value).message
    with pytest.raises(SignatureNeeded):
        found.check_signer("", pack="a")
    with pytest.raises(SignerNotAllowed) as refused:
        found.check_signer(other_key.public, pack="a.snugpack")
    assert signing.fingerprint(other_key.public) in describe(refused.value).message


def test_what_the_policy_allows_beside_is_allowed(file: Path, key: Key) -> None:
    found = policy(file, only_signed_by=[key.public], allow_unsigned=True, allow_other_models=True)
    found.check_signer("", pack="a")
    for kind in OTHERS:
        found.check_add(kind)


def test_without_named_signers_each_rule_stands_alone(file: Path, key: Key) -> None:
    found = policy(file, allow_unsigned=False)
    found.check_signer(key.public, pack="a")
    found.check_add("gguf")
    with pytest.raises(SignatureNeeded):
        found.check_signer("", pack="a")
    with pytest.raises(AddNotAllowed):
        policy(file, allow_other_models=False).check_add("hub")


def test_nobody_named_is_nobody_allowed(file: Path, key: Key) -> None:
    with pytest.raises(SignerNotAllowed):
        policy(file, only_signed_by=[]).check_signer(key.public, pack="a")


@pytest.mark.parametrize(
    "content",
    [
        *("", "{", "[]", "null", "{}", '{"packs": null}', '{"packs": []}', '{"pack": {}}'),
        *('{"packs": {"only_signed_bt": []}}', '{"packs": {}, "packs": {}}', "[" * 5000),
        *('{"packs": {"only_signed_by": "ed25519:AAAA"}}', '{"packs": {"only_signed_by": [1]}}'),
        *('{"packs": {"only_signed_by": ["x"]}}', '{"packs": {"allow_unsigned": 0}}'),
        *('{"packs": {"allow_other_models": "false"}}', '{"packs": {"allow_unsigned": null}}'),
        *('{"packs": {}, "later": {}}', "\ud800"),
    ],
)
def test_a_policy_that_cannot_be_understood_refuses_everything(file: Path, content: str) -> None:
    file.write_bytes(content.encode("utf-8", "surrogatepass"))
    with pytest.raises(PolicyUnreadable) as caught:
        Policy.load(file)
    assert str(file) in describe(caught.value).message


def test_a_policy_in_the_way_of_reading_refuses(file: Path) -> None:
    file.mkdir()
    with pytest.raises(PolicyUnreadable):
        Policy.load(file)


@settings(
    max_examples=100,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(at=st.floats(0, 1, exclude_max=True), byte=st.integers(0, 255))
def test_a_damaged_policy_allows_no_stranger(
    file: Path, key: Key, other_key: Key, at: float, byte: int
) -> None:
    body = bytearray(json.dumps({"packs": {"only_signed_by": [key.public]}}).encode())
    body[int(at * len(body))] = byte
    file.write_bytes(body)
    with pytest.raises((PolicyUnreadable, SignerNotAllowed)):
        Policy.load(file).check_signer(other_key.public, pack="a")


def test_the_policy_lies_where_people_do_not_write() -> None:
    assert machine_policy().is_absolute() or os.name == "nt"
    assert machine_policy().name == "policy.json"
