"""A summary that was cut off is gone on with, and comes to what it would have come to."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.documents.ability import Ability, AbilityBook
from app.documents.options import SummaryOptions
from app.documents.reader import read_document
from app.documents.summarizer import Summarizer
from app.documents.summary import Summary
from inference.child import Child
from inference.errors import WorkerDied
from tests.fakes import FakeGenerator
from tests.pdf_maker import write_pdf

Start = Callable[[], Child]

PAGES = [
    [
        "Readers may keep books for four weeks and films for one week.",
        "The library is open on every day of the week but Sunday.",
        "Every reader must return the books on the last day of the loan.",
    ],
    [
        "The library takes a fee of 2 euros for each week that a book is late.",
        "Readers must pay for the books that they have lost or damaged.",
        "Children under 12 years do not pay a fee for late books.",
    ],
]
SAID = (
    "Readers may keep books for four weeks and films for one week.",
    "The library takes a fee of 2 euros for each week that a book is late.",
    "This document describes library rules for readers and books.",
)


class MemoryProgress:
    """The `SummaryProgress` of a test."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        return self.kept.get(key)

    def put(self, key: str, body: bytes) -> None:
        self.kept[key] = body


def summarize(
    path: Path,
    start: Start,
    generator: FakeGenerator,
    progress: MemoryProgress,
    options: SummaryOptions | None = None,
) -> Summary:
    abilities = AbilityBook(path.parent / "abilities.json", str)
    abilities.put("fake", "en", Ability(6, 6, 6, 1.0))
    return Summarizer(generator, abilities, launch=start, progress=progress).run(
        read_document(path, launch=start),
        on_update=lambda view: None,
        cancelled=threading.Event(),
        options=options or SummaryOptions(),
    )


def test_what_was_answered_is_not_asked_again(tmp_path: Path, start: Start) -> None:
    path, progress = write_pdf(tmp_path / "rules.pdf", PAGES), MemoryProgress()
    with FakeGenerator() as generator:
        generator.say(SAID[0], lane="batch")
        generator.fail(WorkerDied(), lane="batch")
        broken = summarize(path, start, generator, progress)
        assert broken.note == "summary_failed"
        first = generator.requests[0].messages
    with FakeGenerator() as generator:
        resumed = summarize(path, start, generator, progress)
        asked = [request.messages for request in generator.requests]
        assert first not in asked
    with FakeGenerator() as generator:
        again = summarize(path, start, generator, progress)
        assert not generator.requests
    assert again.statements == resumed.statements
    assert resumed.note == again.note == "summary_written"


def test_other_wishes_begin_anew(tmp_path: Path, start: Start) -> None:
    path, progress = write_pdf(tmp_path / "rules.pdf", PAGES), MemoryProgress()
    for options in (SummaryOptions(), SummaryOptions(length="long")):
        with FakeGenerator() as generator:
            summarize(path, start, generator, progress, options)
            assert generator.requests
    assert len(progress.kept) == 2


def test_progress_that_cannot_be_read_costs_nothing_but_time(tmp_path: Path, start: Start) -> None:
    path, progress = write_pdf(tmp_path / "rules.pdf", PAGES), MemoryProgress()
    with FakeGenerator() as generator:
        summarize(path, start, generator, progress)
    progress.kept = dict.fromkeys(progress.kept, b"\xff[")
    with FakeGenerator() as generator:
        assert summarize(path, start, generator, progress).note == "summary_written"
        assert generator.requests


@pytest.mark.starter
@pytest.mark.engine
def test_a_run_that_is_killed_is_gone_on_with_and_comes_to_the_same(
    tmp_path: Path, starter_model: Path
) -> None:
    path = write_pdf(tmp_path / "rules.pdf", PAGES)
    whole = finished(path, starter_model, tmp_path / "whole")
    again = finished(path, starter_model, tmp_path / "again")
    # Nothing of it is left to chance but how soon the model stops after a sentence.
    assert (again["statements"], again["about"]) == (whole["statements"], whole["about"])

    process = started(path, starter_model, tmp_path / "killed")
    wait_for_file(tmp_path / "killed" / "progress", process)
    process.kill()
    process.communicate()
    resumed = finished(path, starter_model, tmp_path / "killed")
    assert resumed["statements"] == whole["statements"]
    assert resumed["about"] == whole["about"]
    assert resumed["generated"] < whole["generated"]


def started(path: Path, model: Path, work: Path) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tests.summary_run", str(path), str(model), str(work)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finished(path: Path, model: Path, work: Path) -> dict[str, Any]:
    out, errors = started(path, model, work).communicate(timeout=150)
    assert out, errors
    body: dict[str, Any] = json.loads(out)
    return body


def wait_for_file(folder: Path, process: "subprocess.Popen[str]") -> None:
    """Return once something was kept; the process must not end before."""
    tick = threading.Event()
    for _ in range(3000):
        if folder.is_dir() and any(item.name != "partial" for item in folder.iterdir()):
            return
        assert process.poll() is None
        tick.wait(0.05)
    raise TimeoutError
