"""`snug models export`, `key` and `default`, as a person and as a program call them."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from app.cli import engine, parser
from app.models.pack import reading
from app.paths import Paths
from inference.errors import ModelNotLoaded


@pytest.fixture
def models(data_dir: Path, tiny_model: Path) -> Path:
    for name in ("alpha", "beta", "tiny"):
        shutil.copytree(tiny_model, data_dir / "models" / name)
    return data_dir / "models"


class Said:
    """Exit status and output of one command."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *words: object) -> None:
        self.status = parser.run(["models", *map(str, words)])
        self.out, self.err = capsys.readouterr()

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def test_export_writes_a_pack_and_says_whether_it_is_signed(
    models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain, signed, key = (tmp_path / name for name in ("a.snugpack", "b.snugpack", "key.pem"))
    assert "not signed" in Said(capsys, "export", "tiny", plain).out
    made = Said(capsys, "key", "new", key, "--json").json
    said = Said(capsys, "export", "tiny", signed, "--sign", key, "--json").json
    assert (said["signer"], said["bytes"]) == (made["key"], signed.stat().st_size)
    assert reading.open_pack(plain).signer == ""
    assert reading.open_pack(signed).signer == made["key"]
    assert made["fingerprint"] in Said(capsys, "export", "tiny", signed, "--sign", key).out


def test_adding_a_pack_says_who_vouches_for_it(
    models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain, signed, key = (tmp_path / name for name in ("a.snugpack", "b.snugpack", "key.pem"))
    made = Said(capsys, "key", "new", key, "--json").json
    Said(capsys, "export", "tiny", plain)
    Said(capsys, "export", "tiny", signed, "--sign", key)
    for name in ("alpha", "beta", "tiny"):
        shutil.rmtree(models / name)
    said = Said(capsys, "add", plain)
    assert (said.status, "not signed" in said.err) == (0, True)
    assert (models / "tiny" / "manifest.json").exists()
    assert made["fingerprint"] in Said(capsys, "add", signed).err
    Said(capsys, "key", "trust", made["key"], "--name", "The team")
    assert "signed by The team, whom you trust" in Said(capsys, "add", signed).err
    assert Said(capsys, "add", signed, "--json").json["id"] == "tiny"


def test_a_machine_for_one_signer_takes_nothing_else(
    models: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    tiny_model: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    plain, signed, key = (tmp_path / name for name in ("a.snugpack", "b.snugpack", "key.pem"))
    made = Said(capsys, "key", "new", key, "--json").json
    Said(capsys, "export", "tiny", plain)
    Said(capsys, "export", "tiny", signed, "--sign", key)
    shutil.rmtree(models)
    policy = tmp_path / "policy.json"
    policy.write_text(json.dumps({"packs": {"only_signed_by": [made["key"]]}}))
    monkeypatch.setattr("app.models.pack.trust.machine_policy", lambda: policy)
    for source, code in (
        (plain, "signature_needed"),
        (tiny_model, "add_not_allowed"),
        ("starter", "add_not_allowed"),
    ):
        said = Said(capsys, "add", source, "--json")
        assert (said.status, json.loads(said.err)["error"]["code"]) == (1, code)
    assert not models.exists()
    assert Said(capsys, "add", signed).status == 0
    policy.write_text("{")
    said = Said(capsys, "add", signed)
    assert (said.status, "cannot be understood" in said.err) == (1, True)


def test_what_cannot_be_exported_is_a_sentence(
    models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (models / "beta" / "tokenizer.json").write_bytes(b"damaged")
    for words in (
        ("none", tmp_path / "a"),
        ("beta", tmp_path / "a"),
        ("tiny", tmp_path / "no" / "folder" / "a"),
        ("tiny", tmp_path / "a", "--sign", tmp_path / "none.pem"),
    ):
        said = Said(capsys, "export", *words)
        assert (said.status, said.out) == (1, "")
        assert said.err.startswith("snug: ")
    assert not (tmp_path / "a").exists()


def test_keys_are_made_shown_trusted_listed_and_forgotten(
    data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = tmp_path / "key.pem"
    assert "No key is trusted" in Said(capsys, "key", "list").err
    made = Said(capsys, "key", "new", key, "--json").json
    assert Said(capsys, "key", "new", key).status == 1
    shown = Said(capsys, "key", "show", key).out
    assert made["key"] in shown
    assert made["fingerprint"] in shown
    (tmp_path / "public.txt").write_text(shown)
    for given in (tmp_path / "public.txt", key, made["key"]):
        said = Said(capsys, "key", "trust", given, "--name", "The team")
        assert said.out == f"Trusted: {made['fingerprint']}  The team\n"
    assert Said(capsys, "key", "list", "--json").json == {"keys": [made | {"name": "The team"}]}
    assert "PRIVATE" not in (data_dir / "pack-keys.json").read_text()
    assert Said(capsys, "key", "forget", made["fingerprint"]).status == 0
    assert Said(capsys, "key", "list", "--json").json == {"keys": []}
    assert Said(capsys, "key", "forget", "The team").status == 1


def test_each_task_can_have_a_model_of_its_own(
    models: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert Said(capsys, "default", "--json").json == dict.fromkeys(
        ("chat", "summary", "documents"), "alpha"
    )
    assert Said(capsys, "default", "summary", "beta", "--json").json == {"summary": "beta"}
    assert Said(capsys, "default", "chat", "tiny").out.split() == ["chat", "tiny"]
    assert Said(capsys, "default", "--json").json == {
        "chat": "tiny",
        "summary": "beta",
        "documents": "tiny",
    }
    assert Said(capsys, "default", "summary", "--clear", "--json").json == {"summary": "tiny"}
    assert Said(capsys, "default", "--clear", "--json").json["chat"] == "alpha"


def test_a_model_that_is_not_there_cannot_be_a_default(
    models: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert Said(capsys, "default", "summary", "none").status == 1
    assert Said(capsys, "default", "summary", "--json").json == {"summary": "alpha"}


def test_a_runner_for_a_task_has_its_model(
    models: Path, data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Said(capsys, "default", "summary", "beta")
    with engine.open_runner(Paths(data_dir), device="cpu", task="summary") as runner:
        assert runner.view().model_id == "beta"
    with engine.open_runner(Paths(data_dir), device="cpu", task="documents") as runner:
        assert runner.view().model_id == "alpha"


def test_without_a_model_there_is_no_runner_for_a_task(data_dir: Path) -> None:
    with (
        pytest.raises(ModelNotLoaded),
        engine.open_runner(Paths(data_dir), device="cpu", task="summary"),
    ):
        pytest.fail("there is a model")
