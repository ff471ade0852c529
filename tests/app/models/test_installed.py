"""Models that are taken away and put back, what they take, and which one a task uses."""

import shutil
from pathlib import Path

import pytest

from app.errors import ModelUnknown
from app.models.installed import InstalledModels, TaskName
from app.settings import Settings
from inference.errors import WriteFailed


@pytest.fixture
def installed(tmp_path: Path, tiny_model: Path) -> InstalledModels:
    """Three models: alpha, beta and tiny."""
    for name in ("alpha", "beta", "tiny"):
        shutil.copytree(tiny_model, tmp_path / "models" / name)
    return InstalledModels(tmp_path / "models", lambda: ())


def ids(installed: InstalledModels) -> list[str]:
    return [model.id for model in installed.all()]


def test_a_model_that_is_set_aside_comes_back_whole(installed: InstalledModels) -> None:
    installed.set_aside("beta")
    assert ids(installed) == ["alpha", "tiny"]
    assert installed.set_aside_ids() == {"beta"}
    installed.put_back("beta")
    assert ids(installed) == ["alpha", "beta", "tiny"]
    assert installed.set_aside_ids() == frozenset()
    installed.verify("beta")


def test_another_program_can_put_it_back_and_the_next_start_cannot(
    installed: InstalledModels,
) -> None:
    installed.set_aside("beta")
    InstalledModels(installed.folder, lambda: ()).put_back("beta")
    installed.set_aside("beta")
    InstalledModels(installed.folder, lambda: ()).empty_trash()
    with pytest.raises(ModelUnknown):
        installed.put_back("beta")
    assert sorted(path.name for path in installed.folder.iterdir()) == ["alpha", "tiny"]


def test_a_name_stays_taken_while_its_model_can_come_back(installed: InstalledModels) -> None:
    installed.set_aside("beta")
    assert "beta" in installed.taken_ids()
    installed.empty_trash()
    assert "beta" not in installed.taken_ids()


def test_a_model_placed_under_the_name_takes_the_place_of_the_one_set_aside(
    installed: InstalledModels, tmp_path: Path, tiny_model: Path
) -> None:
    installed.set_aside("beta")
    shutil.copytree(tiny_model, tmp_path / "new" / "beta")
    installed.place(tmp_path / "new" / "beta")
    assert installed.set_aside_ids() == frozenset()
    assert ids(installed) == ["alpha", "beta", "tiny"]


def test_setting_aside_twice_keeps_the_last(installed: InstalledModels) -> None:
    installed.set_aside("beta")
    (installed.folder / "alpha").rename(installed.folder / "beta")
    (installed.folder / "beta" / "mark").write_text("the second")
    installed.set_aside("beta")
    installed.put_back("beta")
    assert (installed.folder / "beta" / "mark").exists()


@pytest.mark.parametrize("model_id", ["none", "", ".aside", "../models/alpha"])
def test_what_is_no_model_cannot_be_set_aside_or_put_back(
    installed: InstalledModels, model_id: str
) -> None:
    installed.set_aside("beta")
    with pytest.raises(ModelUnknown):
        installed.set_aside(model_id)
    with pytest.raises(ModelUnknown):
        installed.put_back(model_id)


def test_a_model_that_cannot_be_moved_stays_in_the_list(
    installed: InstalledModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Path, target: Path) -> Path:
        raise PermissionError(13, "held open by another program")

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(WriteFailed):
        installed.set_aside("beta")
    monkeypatch.undo()
    assert "beta" in ids(installed)


def test_a_model_with_a_problem_can_be_set_aside(installed: InstalledModels) -> None:
    (installed.folder / "beta" / "model.onnx").unlink()
    installed.set_aside("beta")
    assert installed.problems() == ()
    installed.put_back("beta")
    assert [problem.id for problem in installed.problems()] == ["beta"]


def test_disk_use_counts_every_file_where_it_is(installed: InstalledModels) -> None:
    (installed.folder / "alpha" / "stray").write_bytes(bytes(1000))
    installed.set_aside("beta")
    left = installed.folder / ".trash" / "0"
    left.mkdir(parents=True)
    (left / "held").write_bytes(bytes(7))
    use = installed.disk_use()
    assert use.models["alpha"] == use.models["tiny"] + 1000
    assert use.set_aside_bytes == use.models["tiny"]
    assert use.left_bytes == 7


@pytest.mark.parametrize(
    ("chosen", "task", "expected"),
    [
        ({}, "summary", "alpha"),
        ({"summary": "beta"}, "summary", "beta"),
        ({"summary": "beta"}, "documents", "alpha"),
        ({"summary": "beta"}, "chat", "alpha"),
        ({"chat": "tiny"}, "documents", "tiny"),
        ({"documents": "gone"}, "documents", "alpha"),
    ],
)
def test_each_task_has_its_own_default(
    installed: InstalledModels, chosen: dict[str, str], task: TaskName, expected: str
) -> None:
    model = installed.default(Settings(task_models=chosen), task)
    assert model is not None
    assert model.id == expected


def test_a_task_without_a_model_of_its_own_uses_the_one_to_chat_with(
    installed: InstalledModels,
) -> None:
    model = installed.default(Settings(model_id="tiny"), "summary")
    assert model is not None
    assert model.id == "tiny"
