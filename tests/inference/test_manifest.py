import hashlib
import json
import os
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inference import manifest
from inference.digests import FileDigest
from inference.errors import Cancelled, ModelDamaged, ModelMissing
from inference.manifest import Verifier

DAY_S = 24 * 3600.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    model = tmp_path / "model"
    model.mkdir()
    (model / "weights").write_bytes(bytes(range(256)) * 5000)
    (model / "settings").write_text("{}")
    manifest.write(model, facts={"name": "A model", "context_tokens": 64})
    return model


def flip_a_bit(path: Path, *, keep_time: bool = False) -> None:
    state = path.stat()
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 1
    path.write_bytes(body)
    if keep_time:
        os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))


def check(folder: Path, *, now_s: float = 1000.0) -> None:
    verifier = Verifier(folder, now_s=lambda: now_s)
    verifier.start()
    verifier.wait()


def trust_what_is_wrong(folder: Path, name: str = "weights", *, ctime_ns: int = 0) -> None:
    """Have the manifest and a stamp of second 1000 say the same of a file that is another."""
    path = folder / name
    state = path.stat()
    wrong = FileDigest("00" * 32, state.st_size)
    manifest.write(folder, facts={}, files={name: wrong})
    stamp = {
        "sha256": wrong.sha256,
        "bytes": wrong.bytes,
        "mtime_ns": state.st_mtime_ns,
        "checked_s": 1000.0,
        "ctime_ns": ctime_ns or state.st_ctime_ns,
    }
    stamps = {"type": "_Stamps", "files": {name: stamp}}
    (folder / manifest.STAMP_NAME).write_text(json.dumps(stamps))


def test_a_manifest_reads_back_as_it_was_written(folder: Path) -> None:
    written = manifest.read(folder)

    assert (written.id, written.name, written.context_tokens) == ("model", "A model", 64)
    body = (folder / "weights").read_bytes()
    assert written.files["weights"] == FileDigest(hashlib.sha256(body).hexdigest(), len(body))
    assert set(written.files) == {"weights", "settings"}


def test_known_digests_are_taken_and_not_computed_again(folder: Path) -> None:
    known = {"weights": FileDigest("00", 1)}

    assert manifest.write(folder, facts={}, files=known).files["weights"].sha256 == "00"


def test_an_unharmed_model_passes_and_progress_reaches_its_end(folder: Path) -> None:
    seen: list[tuple[int, int]] = []

    manifest.verify(folder, progress=lambda *each: seen.append(each))

    assert seen[-1][0] == seen[-1][1] == 256 * 5000 + 2


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(0, 256 * 5000 - 1), bit=st.integers(0, 7))
def test_one_flipped_bit_is_found_wherever_it_is(folder: Path, at: int, bit: int) -> None:
    path = folder / "weights"
    with path.open("r+b") as file:
        file.seek(at)
        (byte,) = file.read(1)
        file.seek(at)
        file.write(bytes([byte ^ 1 << bit]))
    with pytest.raises(ModelDamaged) as caught:
        manifest.verify(folder)
    with path.open("r+b") as file:
        file.seek(at)
        file.write(bytes([byte]))

    assert caught.value.facts["file"] == "weights"
    manifest.verify(folder)


def test_a_file_of_another_size_is_damaged_and_a_missing_one_missing(folder: Path) -> None:
    with (folder / "settings").open("a") as file:
        file.write(" ")
    with pytest.raises(ModelDamaged, match="settings"):
        manifest.verify(folder)

    (folder / "settings").unlink()
    with pytest.raises(ModelMissing):
        manifest.verify(folder)
    with pytest.raises(ModelMissing):
        check(folder)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[]",
        "{}",
        '{"type": "Other", "files": {}, "id": "a"}',
        '{"type": "_Stamps", "files": {}}',
        '{"type": "Manifest", "format": 2, "files": {}, "id": "a"}',
        '{"type": "Manifest", "files": {"a": {"sha256": "00"}}, "id": "a"}',
        '{"type": "Manifest", "files": {"../a": {"sha256": "00", "bytes": 1}}, "id": "a"}',
        '{"type": "Manifest", "files": {}, "id": "a", "surprise": 1}',
        '{"type": "Manifest", "files": 7, "id": "a"}',
        '{"type": "Manifest", "files": {}, "id": 7}',
        '{"type": "Manifest", "files": {}, "id": "a", "context_tokens": "many"}',
        '{"type": "Manifest", "files": {"..": {"sha256": "00", "bytes": 1}}, "id": "a"}',
        "[" * 200_000,
        " " * (5 << 20) + '{"type": "Manifest", "files": {}, "id": "a"}',
    ],
)
def test_a_manifest_that_is_none_is_damaged(folder: Path, body: str) -> None:
    (folder / manifest.FILE_NAME).write_text(body)

    with pytest.raises(ModelDamaged):
        manifest.read(folder)


def test_a_folder_without_a_manifest_is_not_installed(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(ModelMissing):
            manifest.read(path)


def test_a_cancelled_check_stops(folder: Path) -> None:
    cancelled = threading.Event()
    cancelled.set()

    with pytest.raises(Cancelled):
        manifest.verify(folder, cancelled=cancelled)


def test_the_verifier_gives_its_verdict_to_whoever_waits(folder: Path) -> None:
    check(folder)

    flip_a_bit(folder / "weights")
    with pytest.raises(ModelDamaged, match="weights"):
        check(folder)
    with pytest.raises(ModelDamaged, match="weights"):
        check(folder)


def test_an_unchanged_file_is_not_read_again_within_a_day(folder: Path) -> None:
    trust_what_is_wrong(folder)

    check(folder, now_s=1000 + DAY_S - 1)
    with pytest.raises(ModelDamaged):
        check(folder, now_s=1000 + DAY_S)
    with pytest.raises(ModelDamaged):
        manifest.verify(folder)


@pytest.mark.parametrize("name", ["genai_config.json", "chat_template.jinja", "model.onnx"])
def test_what_steers_the_runtime_is_never_trusted(folder: Path, name: str) -> None:
    (folder / name).write_text("steers")
    trust_what_is_wrong(folder, name)

    with pytest.raises(ModelDamaged):
        Verifier(folder, now_s=lambda: 1000.0).start()


@pytest.mark.skipif(os.name == "nt", reason="the time of the last write is not kept there")
def test_a_write_whose_time_was_set_back_is_noticed(folder: Path) -> None:
    check(folder, now_s=1000)
    flip_a_bit(folder / "weights", keep_time=True)

    with pytest.raises(ModelDamaged):
        check(folder, now_s=1001)


def test_a_stamp_of_an_older_version_is_not_trusted(folder: Path) -> None:
    trust_what_is_wrong(folder, ctime_ns=1)

    with pytest.raises(ModelDamaged):
        check(folder, now_s=1001)


def test_a_clock_that_was_set_back_makes_it_read_again(folder: Path) -> None:
    trust_what_is_wrong(folder)

    with pytest.raises(ModelDamaged):
        check(folder, now_s=999)


def test_a_stamp_does_not_vouch_for_another_manifest(folder: Path) -> None:
    check(folder)
    other = FileDigest("00" * 32, (folder / "weights").stat().st_size)
    manifest.write(folder, facts={}, files={"weights": other})

    with pytest.raises(ModelDamaged):
        check(folder)


@pytest.mark.parametrize(
    "stamp", ["", "[]", '{"type": "_Stamps", "files": 7}', '{"type": "Manifest"}']
)
def test_a_broken_stamp_only_costs_time(folder: Path, stamp: str) -> None:
    (folder / manifest.STAMP_NAME).write_text(stamp)

    check(folder)

    assert json.loads((folder / manifest.STAMP_NAME).read_text())["files"].keys() == {
        "weights",
        "settings",
    }


def test_a_cancelled_verifier_has_no_verdict(folder: Path) -> None:
    verifier = Verifier(folder)
    verifier.cancel()
    verifier.start()

    with pytest.raises(Cancelled):
        verifier.wait()


def test_writing_a_manifest_again_leaves_itself_and_its_stamp_out(folder: Path) -> None:
    check(folder)

    assert set(manifest.write(folder, facts={}).files) == {"weights", "settings"}


def test_a_manifest_of_an_older_version_has_no_checksum_and_is_read(folder: Path) -> None:
    path = folder / manifest.FILE_NAME
    body = json.loads(path.read_text())
    assert len(body.pop("checksum")) == 64
    path.write_text(json.dumps(body))

    assert manifest.read(folder).name == "A model"
    manifest.verify(folder)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_one_changed_byte_of_the_manifest_is_found_wherever_it_is(
    folder: Path, data: st.DataObject
) -> None:
    path = folder / manifest.FILE_NAME
    good = path.read_bytes()
    at = data.draw(st.integers(0, len(good) - 1))
    other = data.draw(st.integers(0, 255).filter(lambda byte: byte != good[at]))
    try:
        path.write_bytes(good[:at] + bytes([other]) + good[at + 1 :])
        with pytest.raises(ModelDamaged):
            manifest.read(folder)
    finally:
        path.write_bytes(good)
    manifest.read(folder)


@pytest.mark.parametrize("cut", [1, 2, 70, 90, 200])
def test_a_manifest_that_was_cut_is_damaged(folder: Path, cut: int) -> None:
    path = folder / manifest.FILE_NAME
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(ModelDamaged):
        manifest.read(folder)


@pytest.mark.parametrize("name", ["chat_template.jinja", "generation_config.json", "evil.so", "x"])
def test_a_file_that_is_not_in_the_manifest_is_refused_by_name(folder: Path, name: str) -> None:
    (folder / name).write_text("planted")

    for look in (manifest.verify, check):
        with pytest.raises(ModelDamaged) as caught:
            look(folder)
        assert caught.value.facts["stranger"] == name


def test_what_the_system_or_snug_itself_leaves_in_a_folder_is_harmless(folder: Path) -> None:
    check(folder)
    for name in (".DS_Store", "Thumbs.db", "desktop.ini", "int8kv.json", "model.int8kv.scales"):
        (folder / name).write_text("anything")
    (folder / "verified.json.new").write_text("a write that was cut")
    (folder / "folder").mkdir()

    manifest.verify(folder)
    check(folder)
