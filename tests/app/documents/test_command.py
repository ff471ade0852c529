"""`snug summarize` as a person runs it: real processes, no model or the starter."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.pdf_maker import write_pdf

PAGE = [
    "Readers may keep books for four weeks and films for one week.",
    "Every reader must return the books on the last day of the loan.",
    "The library is open on every day of the week but Sunday.",
]


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "app", "summarize", "--json", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=150, check=False)


def result(*arguments: str) -> dict[str, Any]:
    done = run(*arguments)
    assert done.returncode == 0, done.stderr
    body: dict[str, Any] = json.loads(done.stdout)
    return body


def test_it_works_without_any_model_and_says_so(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "rules.pdf", [PAGE, []])
    body = result(str(path))
    coverage = body["documents"][0]["coverage"]
    text = coverage.pop("text")
    assert (coverage["unit"], coverage["total"], coverage["ocr"]) == ("page", 2, 0)
    assert coverage["without_text"] + coverage["blank"] == 1
    assert text.startswith(f"{coverage['read']} of 2 pages read")
    assert "no model is installed" in body["summary"]
    assert body["usage"]["generated_tokens"] == 0


def test_one_bad_file_does_not_stop_the_others(tmp_path: Path) -> None:
    good = write_pdf(tmp_path / "good.pdf", [PAGE])
    bad = tmp_path / "bad.pdf"
    bad.touch()
    done = run(str(bad), str(good))
    assert done.returncode == 1
    assert json.loads(done.stderr)["error"]["code"] == "document_empty"
    documents = json.loads(done.stdout)["documents"]
    assert [document["name"] for document in documents] == ["bad.pdf", "good.pdf"]
    assert "statements" in documents[1]


def test_all_documents_of_a_folder_are_summarized_each_and_jointly(tmp_path: Path) -> None:
    write_pdf(tmp_path / "first.pdf", [PAGE])
    (tmp_path / "second.txt").write_text("The museum lends paintings for up to six months.\n" * 2)
    body = result(str(tmp_path), "--joint")
    assert [document["name"] for document in body["documents"]] == ["first.pdf", "second.txt"]
    assert {statement["name"] for statement in body["joint"]["statements"]} == {
        "first.pdf",
        "second.txt",
    }
    assert "second.txt › section 1" in body["summary"]


def test_a_table_of_facts_in_the_documents_own_words(tmp_path: Path) -> None:
    path = tmp_path / "fees.txt"
    path.write_text("The library takes a fee of 2 euros for each week that a book is late.\n")
    body = result(str(path), "--style", "facts", "--language", "de")
    (document,) = body["documents"]
    assert document["statements"][0]["row"] == ["2 euros"]
    assert "| 2 euros | The library takes a fee" in body["summary"]
    assert document["also"]["code"] == "summary_no_translation"


def test_an_empty_folder_is_a_sentence_and_no_traceback(tmp_path: Path) -> None:
    done = run(str(tmp_path))
    assert done.returncode == 1
    assert json.loads(done.stderr)["error"]["code"] == "not_a_file"


@pytest.mark.starter
@pytest.mark.engine
def test_the_starter_is_tested_and_not_trusted_to_write(
    tmp_path: Path, data_dir: Path, starter_model: Path
) -> None:
    (data_dir / "models").mkdir(parents=True)
    shutil.copytree(starter_model, data_dir / "models" / "starter")
    body = result(str(write_pdf(tmp_path / "rules.pdf", [PAGE])))
    document = body["documents"][0]
    assert document["note"]["code"] == "summary_not_able"
    assert "writing tests" in body["summary"]
    assert "snug models add standard" in body["summary"]
    assert not any(statement["written"] for statement in document["statements"])
    (kept,) = json.loads((data_dir / "abilities.json").read_text()).values()
    assert kept["en"]["passed"] / kept["en"]["probes"] < 0.6
