"""A pack gives the very model it was made of, or nothing at all."""

import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.errors import (
    DownloadError,
    NoSpace,
    PackDamaged,
    PackTooNew,
    SignatureNeeded,
    SignerNotAllowed,
    SigningKeyLocked,
)
from app.models import licences
from app.models.installed import InstalledModel, InstalledModels
from app.models.pack import exporting, installing, layout, reading, signing
from app.models.pack.layout import Pack, PackedFile
from app.models.pack.policy import Policy
from app.models.pack.trust import Trust, TrustedKey
from app.models.sources import PackSource, recognize
from app.models.task import Task
from inference import manifest
from inference.errors import (
    Cancelled,
    InferenceError,
    ModelDamaged,
    ModelMissing,
    ModelUnsupported,
)
from tests.app.models.pack.conftest import Key

OPEN = Trust(Policy())
KEPT = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.fixture
def plain(model: InstalledModel, tmp_path: Path) -> Path:
    file = tmp_path / "plain.snugpack"
    exporting.export(model, file, task=Task())
    return file


@pytest.fixture
def signed(model: InstalledModel, tmp_path: Path, key: Key) -> Path:
    file = tmp_path / "signed.snugpack"
    exporting.export(model, file, sign_with=key.file, task=Task())
    return file


def refused(file: Path, target: Path, trust: Trust = OPEN) -> Exception:
    """Install what must not be installed; return why, and see that nothing is left of it."""
    with pytest.raises((DownloadError, InferenceError)) as caught:
        installing.install(file, target, trust=trust, task=Task())
    assert not target.exists()
    return caught.value


def damaged(file: Path, at: int, change: int) -> Path:
    body = bytearray(file.read_bytes())
    body[at] ^= change
    wrong = file.with_name("damaged.snugpack")
    wrong.write_bytes(body)
    return wrong


def written(tmp_path: Path, pack: Pack, body: bytes, signature: bytes = b"") -> Path:
    """Write a pack by hand, whatever it says."""
    header = layout.encode(pack)
    file = tmp_path / "by-hand.snugpack"
    file.write_bytes(layout.encode_prologue(header, signature) + header + signature + body)
    return file


def repacked(file: Path, rewrite: Callable[[Pack, bytes], tuple[Pack, bytes]]) -> Path:
    """Write another pack of what is in `file`, unsigned, with right hashes for its header."""
    with reading.opened(file) as pack:
        header, body = rewrite(pack.header, pack.stream.read())
    return written(file.parent, header, body)


def with_file(name: str, content: bytes) -> Callable[[Pack, bytes], tuple[Pack, bytes]]:
    """Return what adds a file to a pack, with its right size and SHA-256."""

    def rewrite(pack: Pack, body: bytes) -> tuple[Pack, bytes]:
        import hashlib

        added = PackedFile(name, len(content), hashlib.sha256(content).hexdigest())
        return Pack(pack.id, pack.name, (*pack.files, added)), body + content

    return rewrite


def test_a_pack_gives_the_same_files_and_facts(
    model: InstalledModel, plain: Path, tmp_path: Path
) -> None:
    facts = installing.install(plain, tmp_path / "new" / "copy", trust=OPEN, task=Task())
    manifest.verify(tmp_path / "new" / "copy")
    before, after = manifest.read(model.folder), manifest.read(tmp_path / "new" / "copy")
    added = after.files.keys() - before.files.keys()
    assert added <= {layout.LICENCE_FILE}
    assert {name: after.files[name] for name in before.files} == before.files
    assert (after.name, after.architecture) == (before.name, before.architecture)
    assert (after.parameters, after.context_tokens) == (before.parameters, before.context_tokens)
    assert (facts.id, facts.signer, facts.bytes) == (model.id, "", model.disk_bytes)
    assert InstalledModels(tmp_path / "new", lambda: ()).get("copy").title == before.name


def test_exports_of_one_model_are_equal(model: InstalledModel, plain: Path, tmp_path: Path) -> None:
    exporting.export(model, tmp_path / "again.snugpack", task=Task())
    assert (tmp_path / "again.snugpack").read_bytes() == plain.read_bytes()


def test_a_pack_is_recognized_by_its_content(plain: Path, tmp_path: Path) -> None:
    moved = plain.rename(tmp_path / "model.bin")
    assert recognize([moved], ()) == PackSource(moved)
    assert not reading.is_pack(tmp_path / "none")


def test_the_signer_is_known_and_trusted_by_name(signed: Path, key: Key) -> None:
    facts = reading.open_pack(signed)
    assert facts.signer == key.public
    assert Trust(Policy(), (TrustedKey(key.public, "The team"),)).name_of(key.public) == "The team"
    assert OPEN.name_of(key.public) == signing.fingerprint(key.public)


def test_the_hash_of_the_original_counts_from_trusted_signers_alone(
    model: InstalledModel, signed: Path, key: Key, tmp_path: Path
) -> None:
    trusting = Trust(Policy(), (TrustedKey(key.public),))
    for name, trust in (("stranger", OPEN), ("friend", trusting)):
        installing.install(signed, tmp_path / "new" / name, trust=trust, task=Task())
    assert manifest.read(tmp_path / "new" / "stranger").source_sha256 == ""
    assert manifest.read(tmp_path / "new" / "friend").source_sha256 == model.sha256
    installed = InstalledModels(tmp_path / "new", lambda: ())
    (tmp_path / "new" / "stranger").rename(tmp_path / "new" / "tiny")
    assert installing.free_id(reading.open_pack(signed), installed, trusting) == "tiny-2"


@KEPT
@given(share=st.floats(0, 1, exclude_max=True), change=st.integers(1, 255))
def test_any_changed_byte_of_a_pack_is_found(
    plain: Path, signed: Path, share: float, change: int
) -> None:
    for file in (plain, signed):
        wrong = damaged(file, int(share * file.stat().st_size), change)
        refused(wrong, file.parent / "new" / "tiny")


def test_every_changed_byte_before_the_files_is_found_at_the_first_look(
    model: InstalledModel, plain: Path, signed: Path
) -> None:
    for file in (plain, signed):
        start = file.stat().st_size - model.disk_bytes
        original = file.read_bytes()[:start]
        for at, byte in enumerate(original):
            overwrite(file, at, byte ^ 1 << at % 8)
            with pytest.raises((PackDamaged, PackTooNew)):
                reading.open_pack(file)
            overwrite(file, at, byte)
        assert reading.open_pack(file).id == "tiny"


def overwrite(file: Path, at: int, byte: int) -> None:
    with file.open("r+b") as opened:
        opened.seek(at)
        opened.write(bytes((byte,)))


@KEPT
@given(share=st.floats(0, 1, exclude_max=True))
def test_a_pack_that_is_cut_anywhere_is_refused(signed: Path, share: float) -> None:
    cut = signed.with_name("cut.snugpack")
    cut.write_bytes(signed.read_bytes()[: int(share * signed.stat().st_size)])
    assert isinstance(refused(cut, signed.parent / "new" / "tiny"), PackDamaged)


def test_a_pack_with_something_behind_it_is_refused(signed: Path, tmp_path: Path) -> None:
    with signed.open("ab") as file:
        file.write(b"\0")
    assert isinstance(refused(signed, tmp_path / "new" / "tiny"), PackDamaged)


@KEPT
@given(body=st.binary(max_size=300), has_magic=st.booleans())
def test_noise_is_no_pack(tmp_path: Path, body: bytes, has_magic: bool) -> None:
    file = tmp_path / "noise"
    file.write_bytes(layout.MAGIC + body if has_magic else body)
    assert isinstance(refused(file, tmp_path / "new" / "tiny"), PackDamaged | PackTooNew)


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"[" * 100_000,
        b'{"type": "Pack"}',
        b'{"type": "Pack", "id": "../up", "name": "", "files": []}',
        b'{"type": "Pack", "id": "a", "name": "\\u001b[2J", "files": []}',
        b'{"type": "Pack", "id": "a", "name": "a\\u202eb", "files": []}',
        b'{"type": "Pack", "id": "a", "name": "", "files": [], "more": 1}',
        b'{"type": "Pack", "id": "a", "name": "", "files": []}',
        b'{"type": "Pack", "id": "a", "name": "", "files": [{"name": "a", "bytes": -1, "sha256": "'
        + b"0" * 64
        + b'"}]}',
        b'{"type": "Pack", "id": "a", "name": "", "files": [{"name": "a", "bytes": 1}]}',
    ],
)
def test_a_header_that_says_nonsense_is_refused(tmp_path: Path, header: bytes) -> None:
    file = tmp_path / "nonsense.snugpack"
    file.write_bytes(layout.encode_prologue(header, b"") + header)
    assert isinstance(refused(file, tmp_path / "new" / "tiny"), PackDamaged)


def test_a_huge_header_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "huge.snugpack"
    header = bytes(layout.MAX_HEADER_BYTES + 1)
    file.write_bytes(layout.encode_prologue(header, b"") + header)
    assert isinstance(refused(file, tmp_path / "new" / "tiny"), PackDamaged)


@pytest.mark.parametrize(
    "name",
    [
        *("../up.json", "/etc/cron.d/x", "a/b.json", "a\\b.json", "c:x", "..", ".", "", "a\0b"),
        *(".hidden", "ends.", "ends ", "con", "NUL.json", "café.json", "line\nbreak", "a" * 129),
        *("evil.so", "evil.DLL", "model.pkl", "setup.py", "libx.so.1", "run.exe"),
        *("manifest.json", "MANIFEST.json", "verified.json", "int8kv.json"),
    ],
)
def test_a_name_that_may_not_be_in_a_pack_is_refused_by_name(
    plain: Path, tmp_path: Path, name: str
) -> None:
    wrong = repacked(plain, with_file(name, b"{}"))
    assert isinstance(refused(wrong, tmp_path / "new" / "tiny"), ModelUnsupported)


@pytest.mark.parametrize("name", ["tokenizer.json", "TOKENIZER.json"])
def test_a_file_that_is_listed_twice_is_refused(plain: Path, tmp_path: Path, name: str) -> None:
    assert isinstance(
        refused(repacked(plain, with_file(name, b"{}")), tmp_path / "new" / "tiny"), PackDamaged
    )


def test_a_library_under_a_harmless_name_is_refused(plain: Path, tmp_path: Path) -> None:
    wrong = repacked(plain, with_file("weights.bin", b"\x7fELF" + bytes(100)))
    assert isinstance(refused(wrong, tmp_path / "new" / "tiny"), ModelUnsupported)


def test_a_pack_without_what_a_model_needs_is_refused(plain: Path, tmp_path: Path) -> None:
    def drop_tokenizer(pack: Pack, body: bytes) -> tuple[Pack, bytes]:
        at = 0
        for packed in pack.files:
            if packed.name == "tokenizer.json":
                break
            at += packed.bytes
        kept = tuple(other for other in pack.files if other != packed)
        return Pack(pack.id, pack.name, kept), body[:at] + body[at + packed.bytes :]

    wrong = repacked(plain, drop_tokenizer)
    assert isinstance(refused(wrong, tmp_path / "new" / "tiny"), ModelMissing)


def test_more_than_the_disk_holds_is_refused_before_the_first_byte(
    plain: Path, tmp_path: Path
) -> None:
    def grow(pack: Pack, body: bytes) -> tuple[Pack, bytes]:
        first, *others = pack.files
        return Pack(
            pack.id, pack.name, (PackedFile(first.name, 1 << 62, first.sha256), *others)
        ), body

    assert isinstance(refused(repacked(plain, grow), tmp_path / "new" / "tiny"), PackDamaged)


def test_too_little_room_is_said_before_the_first_byte(
    model: InstalledModel, plain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.models.room.free_bytes", lambda _: 1000)
    assert isinstance(refused(plain, tmp_path / "new" / "tiny"), NoSpace)
    with pytest.raises(NoSpace):
        exporting.export(model, tmp_path / "no-room.snugpack", task=Task())
    assert not list(tmp_path.glob("no-room*"))


def test_a_signature_of_another_pack_does_not_fit(signed: Path, plain: Path, key: Key) -> None:
    signature = signing.load(key.file).sign(b"another header")
    with reading.opened(plain) as pack:
        header, body = pack.header, pack.stream.read()
    wrong = written(plain.parent, header, body, signature)
    assert isinstance(refused(wrong, plain.parent / "new" / "tiny"), PackDamaged)


def test_a_signed_pack_whose_signature_was_taken_away_counts_as_unsigned(
    signed: Path, key: Key, tmp_path: Path
) -> None:
    stripped = repacked(signed, lambda pack, body: (pack, body))
    assert reading.open_pack(stripped).signer == ""
    ours = Trust(Policy(frozenset((key.public,)), allow_unsigned=False))
    assert isinstance(refused_by_policy(stripped, tmp_path, ours), SignatureNeeded)


def refused_by_policy(file: Path, tmp_path: Path, trust: Trust) -> Exception:
    with pytest.raises((SignatureNeeded, SignerNotAllowed)) as caught:
        installing.install(file, tmp_path / "new" / "tiny", trust=trust, task=Task())
    assert not (tmp_path / "new" / "tiny").exists()
    return caught.value


def test_packs_of_other_signers_are_refused_where_the_policy_names_signers(
    model: InstalledModel, signed: Path, key: Key, other_key: Key, tmp_path: Path
) -> None:
    ours = Trust(Policy(frozenset((key.public,)), allow_unsigned=False))
    exporting.export(model, tmp_path / "o.snugpack", sign_with=other_key.file, task=Task())
    error = refused_by_policy(tmp_path / "o.snugpack", tmp_path, ours)
    assert isinstance(error, SignerNotAllowed)
    assert error.facts["fingerprint"] == signing.fingerprint(other_key.public)
    installing.install(signed, tmp_path / "new" / "tiny", trust=ours, task=Task())
    assert (tmp_path / "new" / "tiny").exists()


class StopAfter(Task):
    """A task that somebody stops as soon as `stage` was reported `times` times."""

    def __init__(self, stage: str, times: int) -> None:
        super().__init__(self._count)
        self._stage, self._left = stage, times

    def _count(self, stage: str, _done: int, _total: int) -> None:
        self._left -= stage == self._stage
        if not self._left:
            self.stop()


@pytest.mark.parametrize(
    ("stage", "times"), [("space", 1), ("joining", 1), ("joining", 4), ("checking", 1)]
)
def test_an_install_that_is_stopped_leaves_nothing_and_can_be_made_again(
    plain: Path, tmp_path: Path, stage: str, times: int
) -> None:
    target = tmp_path / "new" / "tiny"
    with pytest.raises(Cancelled):
        installing.install(plain, target, trust=OPEN, task=StopAfter(stage, times))
    assert not target.exists()
    installing.install(plain, target, trust=OPEN, task=Task())
    manifest.verify(target)


@pytest.mark.parametrize("times", [1, 3])
def test_an_export_that_is_stopped_leaves_what_was_there(
    model: InstalledModel, tmp_path: Path, times: int
) -> None:
    file = tmp_path / "team.snugpack"
    file.write_bytes(b"an older pack")
    with pytest.raises(Cancelled):
        exporting.export(model, file, task=StopAfter("joining", times))
    assert file.read_bytes() == b"an older pack"
    assert [path.name for path in tmp_path.iterdir()] == ["team.snugpack"]


@pytest.mark.parametrize("seed", range(5))
def test_a_damaged_model_is_not_exported(model: InstalledModel, tmp_path: Path, seed: int) -> None:
    shutil.copytree(model.folder, tmp_path / "models" / "tiny")
    copy = InstalledModels(tmp_path / "models", lambda: ()).get("tiny")
    chance = random.Random(seed)  # noqa: S311 - the same bytes each time
    weights = copy.folder / "model.onnx.data"
    body = bytearray(weights.read_bytes())
    body[chance.randrange(len(body))] ^= 1 << chance.randrange(8)
    weights.write_bytes(body)
    with pytest.raises(ModelDamaged):
        exporting.export(copy, tmp_path / "wrong.snugpack", task=Task())
    assert not list(tmp_path.glob("wrong*"))


def test_the_text_of_a_licence_lies_beside_the_installed_model(plain: Path, tmp_path: Path) -> None:
    def add_text(pack: Pack, body: bytes) -> tuple[Pack, bytes]:
        return Pack(pack.id, pack.name, pack.files, "mit", "You may.\nReally."), body

    installing.install(
        repacked(plain, add_text), tmp_path / "new" / "tiny", trust=OPEN, task=Task()
    )
    folder = tmp_path / "new" / "tiny"
    assert (folder / layout.LICENCE_FILE).read_text() == "You may.\nReally."
    assert manifest.read(folder).licence == "mit"
    manifest.verify(folder)


def test_the_text_of_a_known_licence_goes_with_the_pack(
    model: InstalledModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "licences").mkdir()
    (tmp_path / "licences" / "mit.txt").write_text("Permission is granted.")
    monkeypatch.setattr("app.models.licences.files", lambda _: tmp_path)
    exporting.export(replace(model, licence="MIT"), tmp_path / "a.snugpack", task=Task())
    assert reading.open_pack(tmp_path / "a.snugpack").licence_text == "Permission is granted."
    installing.install(tmp_path / "a.snugpack", tmp_path / "new" / "tiny", trust=OPEN, task=Task())
    again = InstalledModels(tmp_path / "new", lambda: ()).get("tiny")
    assert licences.own_text(again.folder) == "Permission is granted."
    exporting.export(again, tmp_path / "b.snugpack", task=Task())
    assert reading.open_pack(tmp_path / "b.snugpack").licence_text == ""


@pytest.mark.parametrize("name", ["", "../catalog", "no-such-licence"])
def test_a_licence_that_is_not_known_has_no_text(name: str) -> None:
    assert licences.licence_text(name) is None


def test_a_locked_key_signs_with_its_passphrase_alone(
    model: InstalledModel, tmp_path: Path
) -> None:
    key = signing.new_key(tmp_path / "locked.pem", "correct horse")
    file = tmp_path / "signed.snugpack"
    for passphrase in ("", "wrong"):
        with pytest.raises(SigningKeyLocked):
            exporting.export(
                model,
                file,
                sign_with=tmp_path / "locked.pem",
                passphrase=passphrase,
                task=Task(),
            )
        assert not file.exists()
    exporting.export(
        model, file, sign_with=tmp_path / "locked.pem", passphrase="correct horse", task=Task()
    )
    assert reading.open_pack(file).signer == key


def test_the_real_starter_goes_through_a_signed_pack(
    starter_model: Path, key: Key, tmp_path: Path
) -> None:
    starter = InstalledModels(starter_model.parent).get(starter_model.name)
    file = tmp_path / "starter.snugpack"
    exporting.export(starter, file, sign_with=key.file, task=Task())
    trust = Trust(Policy(frozenset((key.public,)), False, False))
    target = tmp_path / "models" / "starter"
    installing.install(file, target, trust=trust, task=Task())
    arrived = InstalledModels(tmp_path / "models").get("starter")
    assert (arrived.title, arrived.sha256) == (starter.title, starter.sha256)
    manifest.verify(target)
