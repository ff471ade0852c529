"""Documents on the command line: their passwords, their progress, folders and pictures."""

import argparse
import getpass
import sys
from pathlib import Path

from app.children import command
from app.cli.output import Output
from app.documents.document import ReadDocument
from app.documents.intake import Intake, IntakeProgress
from app.errors import DocumentLocked, NotAFile
from inference import child

_MOST_TRIES = 3
_LARGEST_PASSWORD_FILE_BYTES = 10_000
_STAGES = {"reading": "reading", "recognizing": "recognizing text in pictures"}
_LONG_S = 90


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Add what decides how documents are read."""
    parser.add_argument(
        "--password-file",
        type=Path,
        metavar="FILE",
        help="a file whose first line is the password of locked documents; "
        "without it a terminal asks",
    )
    parser.add_argument(
        "--no-ocr",
        action="store_true",
        help="do not recognize the text in scans and pictures",
    )


class DocumentReader:
    """Reads documents for one run of a verb.

    Raises:
        NotAFile: The file with the password cannot be read.
    """

    def __init__(self, options: argparse.Namespace, output: Output) -> None:
        self._output = output
        self._password = _password_in(options.password_file)
        self._intake = Intake(
            lambda: child.start(command("document")),
            None if options.no_ocr else lambda: child.start(command("ocr")),
        )

    def read(self, path: Path) -> ReadDocument:
        """Read one document; asks for its password where there is somebody to ask.

        Raises:
            DocumentError: One of its subclasses.
        """
        password = self._password
        for tries_left in reversed(range(_MOST_TRIES + 1)):
            try:
                return self._read(path, password)
            except DocumentLocked:
                if not tries_left or self._output.as_json or not sys.stdin.isatty():
                    raise
            password = getpass.getpass(f"Password of {path.name}: ")
        raise AssertionError("the last try either returns or raises")

    def _read(self, path: Path, password: str | None) -> ReadDocument:
        def tell(progress: IntakeProgress) -> None:
            left = time_left(progress.seconds_left)
            stage = _STAGES[progress.stage]
            count = f"{progress.done:,} of {progress.total:,}"
            self._output.status(f"{path.name}: {stage}, {count}{left}")

        try:
            return self._intake.read(path, password=password, on_progress=tell)
        finally:
            self._output.clear_status()


def _password_in(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        with path.open("rb") as stream:
            content = stream.read(_LARGEST_PASSWORD_FILE_BYTES)
    except OSError as error:
        raise NotAFile(name=path.name) from error
    return content.decode("utf-8-sig", "replace").splitlines()[0] if content.strip() else ""


def time_left(seconds: float | None) -> str:
    """Return what a line of progress says of the time left: nothing where it is not known."""
    if seconds is None:
        return ""
    if seconds < _LONG_S:
        return f", {seconds:.0f} s left"
    return f", {seconds / 60:.0f} min left"
