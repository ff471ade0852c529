"""A variant comes into a workspace over as many starts as it takes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from app.errors import NoSpace
from app.models.hub.obtaining import came_bytes, obtain_variant, read_record
from app.models.hub.values import RemoteFile, Variant
from app.models.progress import FetchProgress
from app.models.sources import HubSource
from app.models.task import Task
from app.models.workspace import Workspace
from inference.errors import Cancelled
from tests.app.models.hub.conftest import FILES, Connect
from tests.fake_hub import REPOSITORY, FakeHub, noise

SOURCE = HubSource(REPOSITORY, variant="cpu", model_id="tiny")
FOLDER = [path for path in FILES if path.startswith("cpu/")]


def of(hub: FakeHub, name: str = "cpu") -> Variant:
    return Variant(name, "onnx", "cpu", "", hub.model(FOLDER).files)


def test_a_folder_comes_whole_without_what_is_beside_it(
    hub: FakeHub, connect: Connect, tmp_path: Path
) -> None:
    workspace = Workspace(tmp_path, "tiny")
    with workspace.claimed():
        folder = obtain_variant(
            SOURCE, of(hub), hub.model(), workspace, connect(hub.url), Task(), lambda _: None
        )
    found = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert found == {path.removeprefix("cpu/"): FILES[path] for path in FOLDER}
    assert not list(workspace.folder.rglob("*.part"))


def test_a_later_start_knows_what_was_under_way(
    serve: Callable[..., FakeHub], connect: Connect, tmp_path: Path
) -> None:
    hub = serve({**FILES, "cpu/model.onnx": noise(9_000_000)}, bytes_per_s=9_000_000)
    workspace, task = Workspace(tmp_path, "tiny"), Task()
    assert read_record(workspace) is None

    def stop(progress: FetchProgress) -> None:
        if progress.done_bytes * 3 > progress.total_bytes:
            task.stop()

    with workspace.claimed(), pytest.raises(Cancelled):
        obtain_variant(SOURCE, of(hub), hub.model(), workspace, connect(hub.url), task, stop)
    later = Workspace(tmp_path, "tiny")
    record = read_record(later)
    assert record is not None
    assert (record.source, record.variant) == (SOURCE, of(hub))
    assert 0 < came_bytes(later, record) < of(hub).bytes
    with later.claimed():
        obtain_variant(
            record.source,
            record.variant,
            hub.model(),
            later,
            connect(hub.url),
            Task(),
            lambda _: None,
        )
    assert came_bytes(later, record) == of(hub).bytes
    assert hub.sent_bytes <= of(hub).bytes * 1.02


def test_a_gguf_file_needs_room_for_what_is_made_of_it(
    hub: FakeHub, connect: Connect, tmp_path: Path
) -> None:
    huge = Variant("x.gguf", "gguf", "", "", (RemoteFile("x.gguf", 1 << 58, "0" * 64, True),))
    workspace = Workspace(tmp_path, "tiny")
    with workspace.claimed(), pytest.raises(NoSpace) as raised:
        obtain_variant(
            SOURCE, huge, hub.model(), workspace, connect(hub.url), Task(), lambda _: None
        )
    assert int(raised.value.facts["needed_bytes"]) > 2 << 58
    assert hub.asked == []
    assert read_record(workspace) is None


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'{"type": "DownloadRecord"}'])
def test_a_record_that_cannot_be_read_counts_as_none(tmp_path: Path, content: bytes) -> None:
    workspace = Workspace(tmp_path, "tiny")
    workspace.folder.mkdir()
    (workspace.folder / "download.json").write_bytes(content)
    assert read_record(workspace) is None
