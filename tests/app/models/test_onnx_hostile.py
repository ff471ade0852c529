"""Folders that hold code, lead out of themselves or lie: none passes, none ends in a crash."""

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.models import onnx_folder
from app.models.task import Task
from inference.errors import ModelDamaged, ModelMissing, ModelUnsupported
from inference.gguf import protobuf
from tests.app.models.onnx_folders import change_config, nested_graph, replace_graph


@pytest.fixture
def folder(tmp_path: Path, tiny_model: Path) -> Path:
    """A good folder without a manifest, as other programs make them."""
    copied = tmp_path / "My Model"
    shutil.copytree(tiny_model, copied, ignore=shutil.ignore_patterns("manifest.json"))
    return copied


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("weights.data", b"\x7fELF\x02\x01\x01"),
        ("weights.data", b"\xcf\xfa\xed\xfe"),
        ("weights.data", b"MZ" + bytes(58) + (64).to_bytes(4, "little") + b"PE\0\0"),
        ("model.bin", b"PK\x03\x04"),
        ("model.bin", b"\x80\x02}q\x00"),
        ("pytorch_model-00001-of-00002.bin", b"anything"),
        ("training_args.bin", b"anything"),
        ("model.ort", b"anything"),
    ],
)
def test_code_under_another_name_is_refused_by_name(name: str, head: bytes, folder: Path) -> None:
    (folder / name).write_bytes(head + bytes(100))
    with pytest.raises(ModelUnsupported, match="code in its folder"):
        onnx_folder.check(folder)


def test_weights_that_only_begin_like_a_program_pass(folder: Path) -> None:
    (folder / "weights.bin").write_bytes(b"MZ" + b"\xff" * 100)
    (folder / "short.bin").write_bytes(b"MZ")
    onnx_folder.check(folder)


@pytest.mark.parametrize(
    "location",
    [
        "../secret.data",
        "/etc/passwd",
        "C:\\secret",
        "..",
        "",
        "*/_ORT_MEM_ADDR_/*",
        "sub/model.data",
        "./model.onnx.data",
        "model.onnx.data\0.txt",
    ],
)
def test_weights_outside_the_folder_are_refused_by_name(location: str, folder: Path) -> None:
    replace_graph(folder, location)
    with pytest.raises(ModelUnsupported, match="weights outside its folder"):
        onnx_folder.check(folder)


def test_weights_that_are_not_there_or_too_short_are_said_so(folder: Path) -> None:
    size = (folder / "model.onnx.data").stat().st_size
    replace_graph(folder, "model.onnx.data", str(size - 24))
    onnx_folder.check(folder)
    replace_graph(folder, "model.onnx.data", str(size - 23))
    with pytest.raises(ModelDamaged, match=r"model\.onnx\.data"):
        onnx_folder.check(folder)
    replace_graph(folder, "gone.data")
    with pytest.raises(ModelMissing):
        onnx_folder.check(folder)


def test_a_graph_that_nothing_names_must_not_lead_out_either(folder: Path) -> None:
    replace_graph(folder, "../secret.data")
    (folder / "model.onnx").rename(folder / "hidden.onnx")
    change_config(folder, filename="other.onnx")
    replace_graph(folder, "model.onnx.data")
    (folder / "model.onnx").rename(folder / "other.onnx")
    with pytest.raises(ModelUnsupported):
        onnx_folder.check(folder)


@pytest.mark.parametrize("body", [b"", b"{", b"[" * 200_000, b"\xff"])
def test_a_tokenizer_that_is_no_json_is_damaged(body: bytes, folder: Path) -> None:
    (folder / "tokenizer.json").write_bytes(body)
    with pytest.raises(ModelDamaged, match=r"tokenizer\.json"):
        onnx_folder.check(folder)


def test_a_tokenizer_of_gigabytes_is_not_read(folder: Path) -> None:
    os.truncate(folder / "tokenizer.json", 1 << 34)
    with pytest.raises(ModelDamaged, match="too large"):
        onnx_folder.check(folder)


def test_what_is_no_file_is_refused_and_hard_links_are_fine(folder: Path) -> None:
    (folder / "again.data").hardlink_to(folder / "model.onnx.data")
    onnx_folder.check(folder)
    (folder / "itself").symlink_to(folder / "itself")
    with pytest.raises(ModelMissing):
        onnx_folder.check(folder)
    (folder / "itself").unlink()
    os.mkfifo(folder / "pipe")
    with pytest.raises(ModelUnsupported, match="what is no file"):
        onnx_folder.check(folder)


def test_a_folder_that_changes_while_it_is_copied_is_refused(folder: Path, tmp_path: Path) -> None:
    facts = onnx_folder.check(folder)
    change_config(folder, session_options={"custom_ops_library": "evil"})
    with pytest.raises(ModelUnsupported):
        onnx_folder.copy(facts, tmp_path / "copy", Task())


def plant(name: str, body: bytes = b"x") -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / name).write_bytes(body)

    return write


def link_out(folder: Path) -> None:
    (folder / "notes").symlink_to(folder.parent)


_HOSTILE: list[Callable[[Path], None]] = [
    plant("ops.so"),
    plant("weights.pickle"),
    plant("model.ort"),
    plant("data.bin", b"\x7fELF" + bytes(60)),
    plant("data.bin", b"PK\x03\x04" + bytes(60)),
    plant("spare.onnx", b"\xff" * 30),
    plant("spare.onnx", nested_graph(40)),
    plant("spare.onnx", protobuf.message(7, protobuf.message(1, protobuf.text(7, "evil")))),
    plant("vocab.json", b"[" * 200_000),
    link_out,
    lambda folder: os.mkfifo(folder / "pipe"),
    lambda folder: replace_graph(folder, "../secret"),
    lambda folder: replace_graph(folder, "model.onnx.data", str(1 << 40)),
    lambda folder: os.truncate(folder / "model.onnx", 1 << 31),
    lambda folder: os.truncate(folder / "tokenizer.json", 1 << 31),
    lambda folder: change_config(folder, session_options={"custom_ops_library": "x"}),
    lambda folder: change_config(folder, filename="../../x.onnx"),
]
_HARMLESS: list[Callable[[Path], None]] = [
    plant("README.md"),
    plant(".DS_Store"),
    plant("spare.data", b"MZ and more"),
    lambda folder: (folder / "folder").mkdir(exist_ok=True),
]


@settings(deadline=None, max_examples=80)
@given(
    hostile=st.lists(st.sampled_from(_HOSTILE), min_size=1, max_size=3, unique=True),
    harmless=st.lists(st.sampled_from(_HARMLESS), max_size=3),
    data=st.data(),
)
def test_no_hostile_folder_passes_or_ends_in_an_untyped_error(
    tmp_path_factory: pytest.TempPathFactory,
    tiny_model: Path,
    hostile: list[Callable[[Path], None]],
    harmless: list[Callable[[Path], None]],
    data: st.DataObject,
) -> None:
    folder = tmp_path_factory.mktemp("fuzz") / "model"
    shutil.copytree(tiny_model, folder)
    for change in harmless:
        change(folder)
    onnx_folder.check(folder)
    for change in data.draw(st.permutations(hostile)):
        with suppress(FileExistsError):
            change(folder)
    with pytest.raises((ModelDamaged, ModelMissing, ModelUnsupported)):
        onnx_folder.check(folder)
    shutil.rmtree(folder)
