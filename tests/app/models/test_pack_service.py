"""Packs, policies and removal with a way back, through the service that window and commands use."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.children import Verb
from app.errors import AddNotAllowed, ModelUnknown, SignatureNeeded
from app.models.add_job import AddView
from app.models.pack.policy import Policy
from app.models.pack.trust import Trust
from app.models.service import ModelService
from app.paths import Paths
from inference import manifest
from inference.child import Child
from tests.tiny_gguf import write_tiny_gguf

ANSWER_S = 60

Open = Callable[..., ModelService]


@pytest.fixture
def paths(tmp_path: Path, tiny_model: Path) -> Paths:
    """A data folder with one model."""
    places = Paths(tmp_path / "data")
    places.models.mkdir(parents=True)
    shutil.copytree(tiny_model, places.models / "tiny")
    return places


@pytest.fixture
def open_service(launch: Callable[[Verb], Child]) -> Iterator[Open]:
    """Open a service on a data folder, with a policy if given."""
    opened = []

    def make(
        places: Paths, policy: Policy | None = None, *, keeps_removed: bool = False
    ) -> ModelService:
        service = ModelService(
            places,
            lambda: launch("import"),
            trust=lambda _: Trust(policy or Policy()),
            keeps_removed=keeps_removed,
        )
        opened.append(service)
        return service

    yield make
    for service in opened:
        service.close()


@pytest.fixture
def pack(paths: Paths, tmp_path: Path, open_service: Open) -> Path:
    """A pack of the model, without a signature."""
    file = tmp_path / "tiny.snugpack"
    assert open_service(paths).export("tiny", file).wait(ANSWER_S).stage == "done"
    return file


def add(service: ModelService, file: Path) -> AddView:
    return service.add([file]).wait(ANSWER_S)


def test_a_pack_brings_a_model_to_another_computer(
    pack: Path, tmp_path: Path, open_service: Open, tiny_model: Path
) -> None:
    other = Paths(tmp_path / "other")
    service = open_service(other)
    view = add(service, pack)
    assert view.error is None
    (model,) = service.installed()
    files = manifest.read(model.folder).files
    assert files == {**manifest.read(tiny_model).files, **files}
    manifest.verify(model.folder)
    assert list(other.downloads.glob("*/*")) == []
    assert add(service, pack).model_id == model.id
    assert len(service.installed()) == 1


def test_a_damaged_pack_leaves_nothing(pack: Path, tmp_path: Path, open_service: Open) -> None:
    content = bytearray(pack.read_bytes())
    content[len(content) // 2] ^= 1
    pack.write_bytes(content)
    other = Paths(tmp_path / "other")
    service = open_service(other)
    view = add(service, pack)
    assert view.stage == "failed"
    assert getattr(view.error, "code", "") == "pack_damaged"
    assert service.installed() == ()
    assert service.problems() == ()


def test_a_policy_of_signed_packs_refuses_unsigned_ones_and_every_other_way(
    pack: Path, tmp_path: Path, open_service: Open
) -> None:
    strict = Policy(frozenset(), allow_unsigned=False, allow_other_models=False)
    service = open_service(Paths(tmp_path / "other"), strict)
    assert isinstance(add(service, pack).error, SignatureNeeded)
    write_tiny_gguf(tmp_path / "tiny.gguf")
    assert isinstance(add(service, tmp_path / "tiny.gguf").error, AddNotAllowed)
    assert isinstance(service.add("starter").wait(ANSWER_S).error, AddNotAllowed)
    assert isinstance(service.add("phi-4-mini").wait(ANSWER_S).error, AddNotAllowed)
    assert service.installed() == ()


def test_what_is_removed_can_be_put_back_until_the_next_start(
    paths: Paths, open_service: Open
) -> None:
    service = open_service(paths, keeps_removed=True)
    service.remove("tiny").result(ANSWER_S)
    assert service.installed() == ()
    service.undo_remove("tiny").result(ANSWER_S)
    (model,) = service.installed()
    manifest.verify(model.folder)
    service.remove("tiny").result(ANSWER_S)
    open_service(paths, keeps_removed=True).empty_trash().result(ANSWER_S)
    with pytest.raises(ModelUnknown):
        service.undo_remove("tiny").result(ANSWER_S)


def test_the_command_line_removes_for_good(paths: Paths, open_service: Open) -> None:
    service = open_service(paths)
    service.remove("tiny").result(ANSWER_S)
    with pytest.raises(ModelUnknown):
        service.undo_remove("tiny").result(ANSWER_S)


def test_the_service_says_who_vouches_for_a_pack(
    pack: Path, tmp_path: Path, open_service: Open
) -> None:
    service = open_service(Paths(tmp_path / "other"))
    assert service.vouching(pack).result(ANSWER_S) == ("pack_unsigned", {})
