"""The log says where, never what."""

import logging
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app import log

pytestmark = pytest.mark.expects_log
SECRET = "the salary of the director"


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    before = list(logging.getLogger().handlers)
    yield tmp_path / "data" / "snug.log"
    for handler in set(logging.getLogger().handlers) - set(before):
        logging.getLogger().removeHandler(handler)
        handler.close()


def _fail() -> None:
    try:
        int(SECRET)
    except ValueError as error:
        raise KeyError(f"C:/Users/somebody/{SECRET}.pdf") from error


def test_an_exception_leaves_its_type_and_place_and_none_of_its_words(path: Path) -> None:
    log.write_to(path)
    try:
        _fail()
    except KeyError:
        logging.getLogger("snug").exception("a test failed")
    written = path.read_text("utf-8")
    assert "ERROR snug: a test failed" in written
    assert "ValueError" in written
    assert "KeyError" in written
    assert "app/test_log.py" in written
    assert SECRET not in written
    assert "somebody" not in written
    assert str(Path(__file__).parents[2]) not in written


def test_nothing_is_written_while_nothing_fails(path: Path) -> None:
    log.write_to(path)
    logging.getLogger("snug").info("all is well")
    assert not path.parent.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_the_log_is_its_owners_only(path: Path) -> None:
    log.write_to(path)
    logging.getLogger("snug").warning("something")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_log_that_cannot_be_written_stops_nobody(path: Path, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("not a folder")
    log.write_to(path)
    logging.getLogger("snug").warning("something")
    assert os.listdir(tmp_path) == ["data"]  # noqa: PTH208 - names, not paths
