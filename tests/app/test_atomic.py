import os
import stat
from pathlib import Path

import pytest

from app.atomic import write_atomically


def test_a_file_is_replaced_as_a_whole_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file.json"
    write_atomically(path, b"first and long")
    write_atomically(path, b"second")
    assert path.read_bytes() == b"second"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.skipif(os.name != "posix", reason="modes of files are POSIX")
def test_only_its_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file.json"
    write_atomically(path, b"secret")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_file_that_is_there_stays_where_it_must_not_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    write_atomically(path, b"first", replace=False)
    with pytest.raises(FileExistsError):
        write_atomically(path, b"second", replace=False)
    assert path.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [path]


def test_without_hard_links_it_still_replaces_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(source: Path, target: Path) -> None:
        raise PermissionError("no hard links here")

    monkeypatch.setattr(os, "link", refuse)
    path = tmp_path / "file.json"
    write_atomically(path, b"first", replace=False)
    with pytest.raises(FileExistsError):
        write_atomically(path, b"second", replace=False)
    assert path.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(number: int) -> None:
        raise OSError(28, "no space left")

    path = tmp_path / "file.json"
    write_atomically(path, b"old")
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="no space"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
