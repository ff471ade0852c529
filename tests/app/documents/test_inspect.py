"""`snug inspect` as a person runs it: real processes."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.cli.output import Output
from app.cli.reading import DocumentReader
from tests.pdf_maker import Text, write_pdf


def inspect(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "app", "inspect", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, stdin=subprocess.DEVNULL
    )


def result(*arguments: str) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(inspect("--json", *arguments).stdout)
    return body


def test_report_and_text_come_by_place(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "two.pdf", [[Text("Results", 18, bold=True)], ["Wheat sold."]])
    document = result(str(path))["documents"][0]
    assert document["report"]["total"] == 2
    assert [(page["place"], page["text"]) for page in document["pages"]] == [
        ("p. 1", "Results"),
        ("p. 2", "Wheat sold."),
    ]
    shown = inspect(str(path)).stdout
    assert shown.index("read: all of 2 pages, 3 words") < shown.index("## p. 2")
    assert "Wheat sold." not in inspect("--report", str(path)).stdout


def test_one_bad_file_never_stops_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4\nnothing more")
    (tmp_path / "b.txt").write_text("It is still read.")
    os.mkfifo(tmp_path / "c.txt")
    (tmp_path / "d.bin").write_bytes(bytes(range(256)) * 4)
    done = inspect("--json", str(tmp_path))
    body = json.loads(done.stdout)
    assert done.returncode == 1
    assert [one.get("error", {}).get("code") for one in body["documents"]] == [
        "document_unreadable",
        None,
        "document_unreadable",
    ]
    assert [one["name"] for one in body["left_out"]] == ["c.txt"]


@pytest.mark.corpus
def test_a_password_comes_from_a_file(corpus: Path, tmp_path: Path) -> None:
    path = str(corpus / "un_password.pdf")
    password = tmp_path / "password"
    password.write_text("password\n")
    assert result(path)["documents"][0]["error"]["code"] == "document_locked"
    read = result("--password-file", str(password), path)["documents"][0]
    assert read["report"]["words"] > 0


@pytest.mark.corpus
def test_a_person_is_asked_for_the_password_until_it_fits(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = iter(("wrong", "password"))
    asked: list[str] = []

    def answer(question: str) -> str:
        asked.append(question)
        return next(given)

    monkeypatch.setattr("getpass.getpass", answer)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    options = argparse.Namespace(password_file=None, no_ocr=True)
    reader = DocumentReader(options, Output(as_json=False))
    assert reader.read(corpus / "un_password.pdf").text == "File with password"
    assert asked == ["Password of un_password.pdf: "] * 2
