"""What holds for the models of every program."""

import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.messages import describe as told
from app.models.found import reading
from app.models.found.homes import Homes
from app.models.found.looking import ARCHITECTURES, look
from inference.errors import ModelDamaged, ModelUnsupported
from inference.gguf.families import registry
from tests.app.models.found.conftest import Machine, OllamaFolder, gguf

LM_STUDIO = ".lmstudio/models/publisher/model"


def test_a_machine_without_other_programs_has_nothing(machine: Machine) -> None:
    assert machine.look() == ()
    assert look(Homes()) == ()


def test_every_program_is_found_and_nothing_of_theirs_is_changed(
    machine: Machine, ollama: OllamaFolder
) -> None:
    machine.put(f"{LM_STUDIO}/a.gguf", gguf(pairs={"general.name": "one"}))
    ollama.pull("b:7b", ("model", gguf(pairs={"general.name": "two"})))
    machine.put(".local/share/Jan/data/llamacpp/models/c/model.yml", "model_path: c.gguf\n")
    machine.put(".local/share/Jan/data/c.gguf", gguf(pairs={"general.name": "three"}))
    machine.put(".local/share/nomic.ai/GPT4All/d.gguf", gguf(pairs={"general.name": "four"}))
    before = {path: path.stat().st_mtime_ns for path in machine.home.rglob("*")}

    found = machine.look()

    assert [(model.program, model.name, model.error) for model in found] == [
        ("GPT4All", "d", None),
        ("Jan", "c", None),
        ("LM Studio", "a", None),
        ("Ollama", "b:7b", None),
    ]
    assert [model.summary.name for model in found if model.summary] == [
        "four",
        "three",
        "one",
        "two",
    ]
    assert {path: path.stat().st_mtime_ns for path in machine.home.rglob("*")} == before


def test_a_file_with_two_names_or_in_two_programs_is_there_once(machine: Machine) -> None:
    first = machine.put(f"{LM_STUDIO}/a.gguf", gguf())
    (first.parent / "same.gguf").symlink_to(first)
    (machine.home / ".local/share/nomic.ai/GPT4All").mkdir(parents=True)
    os.link(first, machine.home / ".local/share/nomic.ai/GPT4All" / "hard.gguf")
    machine.put(".lmstudio/settings.json", {"downloadsFolder": str(machine.home / ".lmstudio")})

    assert machine.names() == [("LM Studio", "a")]


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"", ModelDamaged),
        (b"GGML", ModelDamaged),
        (gguf()[:40], ModelDamaged),
        (gguf("mamba"), ModelUnsupported),
    ],
    ids=["empty", "another format", "cut", "another architecture"],
)
def test_what_cannot_be_run_is_named_with_its_error(
    body: bytes, error: type[Exception], machine: Machine
) -> None:
    machine.put(f"{LM_STUDIO}/bad.gguf", body)
    machine.put(f"{LM_STUDIO}/good.gguf", gguf())

    bad, good = machine.look()

    assert isinstance(bad.error, error)
    assert told(bad.error).message
    assert good.error is None


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (gguf(tensors=()), "a file without weights"),
        (gguf(pairs={"split.count": 3}), "a model in 3 files"),
        (gguf(pairs={"general.type": "adapter"}), "a file of the kind adapter"),
        (gguf("mamba"), "architecture mamba"),
        (
            gguf().replace(
                b"F32" + struct.pack("<IQI", 1, 1, 0), b"F32" + struct.pack("<IQI", 1, 1, 23)
            ),
            "tensor type IQ4_XS",
        ),
    ],
    ids=["vocabulary", "split", "adapter", "architecture", "type"],
)
def test_what_the_importer_would_refuse_is_said_at_once(
    body: bytes, what: str, machine: Machine
) -> None:
    machine.put(f"{LM_STUDIO}/m.gguf", body)

    (model,) = machine.look()

    assert isinstance(model.error, ModelUnsupported)
    assert model.error.facts["what"] == what
    assert model.summary is not None


def test_what_cannot_be_opened_or_is_no_file_stops_nothing(machine: Machine) -> None:
    folder = machine.put(f"{LM_STUDIO}/good.gguf", gguf()).parent
    os.mkfifo(folder / "pipe.gguf")
    (folder / "nowhere.gguf").symlink_to(folder / "gone")
    (folder / "itself.gguf").symlink_to(folder / "itself.gguf")
    (folder / "device.gguf").symlink_to("/dev/zero")
    (folder / "folder.gguf").mkdir()
    (folder / "loop").symlink_to(folder.parent)

    assert machine.names() == [("LM Studio", "good")]


def test_names_are_printable_and_not_a_novel(machine: Machine) -> None:
    machine.put(f"{LM_STUDIO}/{'x' * 200}\x1b[31m.gguf", gguf())
    (machine.home / LM_STUDIO / os.fsdecode(b"bytes-\xff.gguf")).write_bytes(gguf())

    for model in machine.look():
        assert model.name.isprintable()
        assert len(model.name) <= 61


def test_a_projector_under_another_name_is_no_model(machine: Machine) -> None:
    machine.put(f"{LM_STUDIO}/sees.gguf", gguf("clip"))

    assert machine.look() == ()


def test_what_the_importer_takes_is_not_refused_here() -> None:
    assert set(registry.ARCHITECTURES) == ARCHITECTURES


def test_looking_needs_no_numpy() -> None:
    code = "import app.models.found.looking, sys; sys.exit('numpy' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    where=st.sampled_from(
        [
            ".ollama/models/manifests/registry.ollama.ai/library/m/t",
            ".ollama/models/manifests/registry.ollama.ai/library",
            ".lmstudio/settings.json",
            ".lmstudio-home-pointer",
            ".config/LM Studio/settings.json",
            ".local/share/Jan/settings.json",
            ".local/share/Jan/data/llamacpp/models/m/model.yml",
            ".local/share/Jan/data/models/m/model.json",
            ".config/nomic.ai/GPT4All.ini",
            f"{LM_STUDIO}/m.gguf",
        ]
    ),
    body=st.one_of(
        st.binary(max_size=200),
        st.sampled_from(
            [
                b"[" * 100_000,
                b'{"layers": ' + b"[" * 100_000,
                b'{"downloadsFolder": "\\u0000/x", "data_folder": "\\u0000/x"}',
                b'{"downloadsFolder": "/proc/self", "data_folder": "/dev"}',
                b'{"sources": [{"filename": "../../m.gguf"}]}',
                b"model_path: ../../../etc/passwd\n",
                b"model_path: /dev/zero\n",
                b"modelPath=/dev\n",
                b"/" + b"x" * 5000,
                gguf(),
                gguf()[:50],
            ]
        ),
    ),
)
def test_no_file_of_another_program_stops_the_rest(
    tmp_path_factory: pytest.TempPathFactory, where: str, body: bytes
) -> None:
    machine = Machine(tmp_path_factory.mktemp("home"), {})
    machine.put(where, body)
    machine.put(f"{LM_STUDIO}/a-good-one.gguf", gguf())

    assert ("LM Studio", "a-good-one") in machine.names()


def test_a_link_from_one_of_their_settings_into_a_huge_file_is_not_read(machine: Machine) -> None:
    huge = machine.put("huge", b"{}")
    os.truncate(huge, 1 << 40)
    for name in (".lmstudio/settings.json", ".config/nomic.ai/GPT4All.ini"):
        machine.put(name, b"")
        (machine.home / name).unlink()
        (machine.home / name).symlink_to(huge)

    assert machine.look() == ()


def test_a_folder_with_more_than_anybody_has_ends(
    machine: Machine, ollama: OllamaFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MAX_ENTRIES", 100)
    for number in range(60):
        machine.put(f".lmstudio/models/p/{number:03}/m{number}.gguf", gguf())
        machine.put(f".local/share/Jan/data/llamacpp/models/{number:03}/model.yml", "")
        ollama.pull(f"m{number}:t", ("model", gguf(pairs={"general.name": str(number)})))

    assert 0 < len(machine.look()) < 150


def test_the_real_machine_has_homes_too() -> None:
    homes = Homes.of_this_machine()

    assert all(isinstance(folder, Path) for folder in homes.jan.folders)
    assert homes.lm_studio.folders
