"""`snug inspect`: what was found in documents before anything reaches a model, and their text."""

import argparse
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from app import messages
from app.cli.output import Output
from app.cli.reading import DocumentReader, add_reading_options
from app.documents.document import Page, ReadDocument
from app.documents.folders import expand
from app.documents.places import in_words
from app.documents.report_text import left_out_text, report_lines
from app.documents.values import LeftOut
from app.errors import DocumentError
from app.paths import Paths


def register(subparsers: Any) -> None:
    """Add the verb."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "inspect",
        help="show what Snug reads in documents",
        description="Print the intake report of each document and its text by place. Folders are "
        "searched for files.",
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a document or folder")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--report", action="store_true", help="leave the text out")
    add_reading_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, _places: Paths, output: Output) -> int:
    """Read every file; one that cannot be read does not stop the others."""
    reader = DocumentReader(options, output)
    documents: list[dict[str, Any]] = []
    left_out: list[LeftOut] = []
    failed = 0
    for found in expand(options.files):
        if isinstance(found, LeftOut):
            left_out.append(found)
            output.note(left_out_text(found))
            continue
        try:
            document = reader.read(found)
        except DocumentError as error:
            failed += 1
            notice = messages.describe(error)
            documents.append({"name": found.name, "error": asdict(notice)})
            if not output.as_json:
                output.error(notice)
            continue
        documents.append(_as_json(document, has_text=not options.report))
        if not output.as_json:
            for line in _for_people(document, has_text=not options.report):
                output.line(line)
    if output.as_json:
        output.result({"documents": documents, "left_out": [asdict(one) for one in left_out]})
    return 1 if failed else 0


def _for_people(document: ReadDocument, *, has_text: bool) -> Iterator[str]:
    size = messages.readable_bytes(document.size_bytes)
    yield f"# {document.name} ({document.kind}, {size})"
    if document.title:
        yield f"title: {document.title}"
    yield from report_lines(document.report)
    yield ""
    if has_text:
        for page in document.pages:
            yield f"## {in_words(document.place_of(page.number))}{_look(page)}"
            yield from (_row(line.cells, line.text) for line in page.lines)
            yield ""


def _look(page: Page) -> str:
    if page.ocr_confidence:
        return f" (recognized, {page.ocr_confidence * 100:.0f} % sure)"
    return "" if page.state == "text" else f" ({page.state.replace('_', ' ')})"


def _row(cells: str, text: str) -> str:
    shown = text.replace("\ufffe", "-")
    return f"{cells}: {shown}" if cells else shown


def _as_json(document: ReadDocument, *, has_text: bool) -> dict[str, Any]:
    body = {
        "name": document.name,
        "kind": document.kind,
        "title": document.title,
        "size_bytes": document.size_bytes,
        "sha256": document.sha256,
        "report": asdict(document.report),
        "report_text": list(report_lines(document.report)),
        "bookmarks": [asdict(mark) for mark in document.bookmarks],
    }
    return (
        body | {"pages": [_page(document, page) for page in document.pages]} if has_text else body
    )


def _page(document: ReadDocument, page: Page) -> dict[str, Any]:
    place = document.place_of(page.number)
    body = {
        "place": in_words(place),
        **{key: value for key, value in asdict(place).items() if key != "cells"},
        "state": page.state,
        "ocr_confidence": page.ocr_confidence or None,
        "text": page.text,
    }
    rows = [{"cells": line.cells, "text": line.text} for line in page.lines if line.cells]
    return body | {"rows": rows} if rows else body
