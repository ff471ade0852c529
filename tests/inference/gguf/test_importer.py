import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from inference import manifest
from inference.errors import ModelDamaged, ModelMissing, ModelUnsupported, WriteFailed
from inference.gguf import importer
from inference.gguf.importer import import_gguf
from inference.gguf.reader import GgufFile
from inference.gguf.staging import staged
from tests.tiny_gguf import ALL_TYPES, GgufBuilder, Shape, write_tiny_gguf

SMALL = Shape(layers=1)
FILES = {
    "model.onnx",
    "model.int8kv.onnx",
    "model.onnx.data",
    "genai_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "chat_template.jinja",
    "manifest.json",
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_tiny_gguf(tmp_path / "tiny.gguf", shape=SMALL)


def names_in(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()}


def test_a_folder_has_every_file_and_its_manifest_names_them(source: Path) -> None:
    folder = source.with_name("model")

    report = import_gguf(source, folder)

    assert names_in(folder) == FILES
    written = manifest.read(folder)
    assert set(written.files) == FILES - {"manifest.json"}
    manifest.verify(folder)
    assert (written.id, written.name, written.architecture) == ("model", "Tiny llama", "llama")
    assert (written.licence, written.context_tokens) == ("apache-2.0", 2048)
    assert written.source_sha256 == hashlib.sha256(source.read_bytes()).hexdigest()
    assert report.source_sha256 == written.source_sha256
    assert report.folder_bytes == sum(each.bytes for each in written.files.values())


def test_progress_grows_to_the_end(source: Path) -> None:
    seen: list[tuple[int, int]] = []

    import_gguf(source, source.with_name("model"), progress=lambda *each: seen.append(each))

    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1] > 0
    assert len({total for _, total in seen}) == 1


@pytest.mark.parametrize(("wanted", "given"), [(None, 2048), (512, 512), (100_000, 2048)])
def test_the_context_window_is_what_was_asked_for_up_to_the_trained_one(
    source: Path, wanted: int | None, given: int
) -> None:
    folder = source.with_name("model")

    report = import_gguf(source, folder, context_tokens=wanted)

    config = json.loads((folder / "genai_config.json").read_text())
    assert report.context_tokens == given
    assert config["model"]["context_length"] == config["search"]["max_length"] == given


def test_a_long_trained_window_gets_caches_of_a_sensible_size(tmp_path: Path) -> None:
    shape = Shape(layers=1, context_tokens=131_072)
    source = write_tiny_gguf(tmp_path / "tiny.gguf", shape=shape)

    assert import_gguf(source, tmp_path / "model").context_tokens == 32_768


def test_a_missing_tensor_is_damage(tmp_path: Path) -> None:
    source = write_tiny_gguf(tmp_path / "tiny.gguf", shape=SMALL)
    body = source.read_bytes().replace(b"blk.0.attn_q.weight", b"blk.0.attn_z.weight")
    source.write_bytes(body)

    with pytest.raises(ModelDamaged):
        import_gguf(source, tmp_path / "model")


def test_too_little_space_is_known_before_the_first_byte(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(source.parent)._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage)

    with pytest.raises(WriteFailed) as caught:
        import_gguf(source, source.with_name("model"))

    facts = caught.value.facts
    assert (facts["reason"], facts["free_bytes"]) == ("space", 1000)
    assert int(facts["needed_bytes"]) > 1000
    assert names_in(source.parent) == {source.name}


@pytest.mark.parametrize("types", [ALL_TYPES, ("Q4_K",), ("Q5_K",)])
@pytest.mark.parametrize("tied", [True, False])
def test_the_space_asked_for_is_enough_and_not_far_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, types: tuple[str, ...], tied: bool
) -> None:
    monkeypatch.setattr(importer, "_MARGIN_BYTES", 1 << 19)
    shape = Shape(layers=2, hidden=1024, feed_forward=4096, heads=16, kv_heads=8)
    source = write_tiny_gguf(tmp_path / "tiny.gguf", shape=shape, types=types, tied=tied)

    with GgufFile(source) as file:
        needed = importer._Model.read(file, None, 4).needed_bytes()
    used = import_gguf(source, tmp_path / "model").folder_bytes

    assert used <= needed <= 1.25 * used + importer._MARGIN_BYTES


def test_a_disk_that_fills_up_while_writing_is_said_and_nothing_is_left(tmp_path: Path) -> None:
    def fill() -> None:
        with staged(tmp_path / "model", needed_bytes=0) as folder:
            (folder / "half").write_bytes(b"x")
            raise OSError(28, os.strerror(28))

    with pytest.raises(WriteFailed) as caught:
        fill()

    assert caught.value.facts["reason"] == "space"
    assert not names_in(tmp_path)


def test_a_folder_that_cannot_be_made_is_said(source: Path) -> None:
    (source.parent / "file").write_text("not a folder")

    with pytest.raises(WriteFailed):
        import_gguf(source, source.parent / "file" / "model")


def test_an_import_that_fails_midway_leaves_nothing(source: Path) -> None:
    class StopError(Exception):
        pass

    def stop(_done: int, _total: int) -> None:
        raise StopError

    with pytest.raises(StopError):
        import_gguf(source, source.with_name("model"), progress=stop)

    assert names_in(source.parent) == {source.name}


def test_a_process_that_dies_midway_leaves_nothing_that_looks_installed(source: Path) -> None:
    folder = source.with_name("model")
    code = (
        "import os, sys; from pathlib import Path; from inference.gguf.importer import import_gguf;"
        "import_gguf(Path(sys.argv[1]), Path(sys.argv[2]),"
        " progress=lambda done, total: os._exit(9) if done > total / 2 else None)"
    )

    died = subprocess.run([sys.executable, "-c", code, source, folder], check=False)

    assert died.returncode == 9
    assert not folder.exists()
    left = names_in(source.parent) - {source.name}
    assert len(left) == 1
    assert all(name.startswith("model.partial-") for name in left)
    with pytest.raises(ModelMissing):
        manifest.read(source.with_name(left.pop()))

    import_gguf(source, folder)

    assert names_in(source.parent) == {source.name, "model"}
    manifest.verify(folder)


def test_an_existing_folder_is_replaced_as_a_whole(source: Path) -> None:
    folder = source.with_name("model")
    import_gguf(source, folder)
    (folder / "stale").write_text("from before")

    import_gguf(source, folder, context_tokens=64)

    assert names_in(folder) == FILES
    assert manifest.read(folder).context_tokens == 64
    assert names_in(source.parent) == {source.name, "model"}


def test_a_failed_import_leaves_an_existing_folder_alone(source: Path) -> None:
    folder = source.with_name("model")
    import_gguf(source, folder)
    source.write_bytes(GgufBuilder({"general.architecture": "mamba"}).build())

    with pytest.raises(ModelUnsupported):
        import_gguf(source, folder)

    manifest.verify(folder)


def test_the_same_file_makes_the_same_folder(source: Path) -> None:
    import_gguf(source, source.with_name("one"))
    import_gguf(source, source.with_name("two"))

    one, two = (manifest.read(source.with_name(name)) for name in ("one", "two"))
    assert one.files == two.files
