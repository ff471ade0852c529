"""The intake report in words, for the command line."""

from collections.abc import Iterator

from app.documents.places import units
from app.documents.values import Hidden, HiddenKind, IntakeReport, LeftOut, Unit
from app.messages import describe_code

_MOST_LINES = 20
_KINDS: dict[HiddenKind, str] = {
    "invisible_text": "invisible",
    "pale_text": "as pale as the paper",
    "tiny_text": "too small to read",
    "off_page": "beside the page",
    "hidden_slide": "hidden slide",
    "hidden_sheet": "hidden sheet",
    "hidden_cells": "hidden cells",
    "comment": "comment",
    "deleted_text": "deleted text",
    "annotation": "annotation",
    "metadata": "metadata",
    "order": "orders to language models",
}


def report_lines(report: IntakeReport) -> Iterator[str]:
    """Yield a line for everything that a person may want to know before trusting the text."""
    total = counted(report.unit, report.total)
    read = f"all of {total}" if report.read == report.total else f"{report.read:,} of {total}"
    yield f"read: {read}, {report.words:,} {_plural('word', report.words)}"
    if report.ocr:
        sure = round(report.ocr_confidence * 100)
        yield f"recognized in pictures: {counted(report.unit, report.ocr)}, {sure} % sure"
    if report.without_text:
        yield f"without text: {counted(report.unit, report.without_text)}"
    if report.unreadable:
        yield f"not readable, their text is only symbols: {counted(report.unit, report.unreadable)}"
    if report.tables:
        yield f"tables: {report.tables:,}"
    if report.parts:
        yield f"attachments read: {report.parts:,}"
    yield from _few([_hidden(one) for one in report.hidden])
    yield from _few([f"left out: {left_out_text(one)}" for one in report.left_out])


def left_out_text(one: LeftOut) -> str:
    """Return in a sentence what was not read and why."""
    facts = {"name": one.name, "detail": one.detail}
    known = {key: fact for key, fact in facts.items() if fact}
    return describe_code(one.code, {**known, "count": one.count}).message


def counted(unit: Unit, count: int) -> str:
    """Return a number of units, such as `3 pages`."""
    return f"{count:,} {units(unit, count)}"


def _hidden(one: Hidden) -> str:
    where = f" on {one.page}" if one.page else ""
    words = f"{one.words:,} {_plural('word', one.words)}"
    return f"hidden, kept from the model: {_KINDS[one.kind]}{where}, {words}: “{one.excerpt}”"


def _few(lines: list[str]) -> Iterator[str]:
    yield from lines[:_MOST_LINES]
    if len(lines) > _MOST_LINES:
        yield f"and {len(lines) - _MOST_LINES:,} more"


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"
