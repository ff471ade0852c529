"""A summary as Markdown, with every statement's page and what was and was not read."""

import re
from collections.abc import Callable, Iterator

from app import messages
from app.documents.places import in_words, units
from app.documents.summary import Summary
from app.documents.values import Place, Statement, Unit
from app.messages import QT_TRANSLATE_NOOP

_FEWEST_SECTIONS = 3
_MOST_SECTIONS = 12
_ORIGINAL = QT_TRANSLATE_NOOP("summary", "original")
_SECTIONS = QT_TRANSLATE_NOOP("summary", "Sections: {titles}.")
_READ = QT_TRANSLATE_NOOP("summary", "{read} of {total} {units} read")
_RECOGNIZED = QT_TRANSLATE_NOOP("summary", "{count} of them by text recognition")
_BLANK = QT_TRANSLATE_NOOP("summary", "{count} of them blank")
_WITHOUT_TEXT = QT_TRANSLATE_NOOP("summary", "{count} without text (scans that were not read)")
_UNREADABLE = QT_TRANSLATE_NOOP("summary", "{count} with an unreadable text layer")
_MARKS = re.compile(r"([\\`*_\[\]<>|~])")

Translate = Callable[[str], str]


def markdown(summary: Summary, translate: Translate = str) -> str:
    """Return `summary` as Markdown; nothing of the document can become markup."""
    return "\n\n".join(_blocks(summary, translate, lambda text: _MARKS.sub(r"\\\1", text)))


def plain(summary: Summary, translate: Translate = str) -> str:
    """Return `summary` with the same layout for a terminal: nothing is escaped."""
    return "\n\n".join(_blocks(summary, translate, str))


def place_of(statement: Statement, unit: Unit, translate: Translate = str) -> str:
    """Return where the evidence of `statement` stands, in words; `unit` where it does not say."""
    place = statement.place or Place(statement.page, unit)
    return in_words(place, translate, name=statement.name, heading=statement.heading)


def coverage_line(summary: Summary, translate: Translate = str) -> str:
    """Return what was read, such as `46 of 48 pages read, 2 without text`."""
    coverage = summary.coverage
    named = units(coverage.unit, coverage.total, translate)
    parts = [translate(_READ).format(read=coverage.read, total=coverage.total, units=named)]
    if coverage.ocr:
        parts.append(translate(_RECOGNIZED).format(count=coverage.ocr))
    if coverage.blank:
        parts.append(translate(_BLANK).format(count=coverage.blank))
    if coverage.without_text:
        parts.append(translate(_WITHOUT_TEXT).format(count=coverage.without_text))
    if summary.unreadable:
        parts.append(translate(_UNREADABLE).format(count=summary.unreadable))
    return ", ".join(parts) + "."


def _blocks(summary: Summary, translate: Translate, quote: Translate) -> Iterator[str]:
    notice = messages.describe_code(summary.note, summary.note_facts, translate)
    yield f"*{quote(' '.join(part for part in (notice.message, notice.action) if part))}*"
    if summary.about:
        yield quote(summary.about)
    elif len(summary.sections) >= _FEWEST_SECTIONS:
        titles = "; ".join(summary.sections[:_MOST_SECTIONS])
        more = " …" if len(summary.sections) > _MOST_SECTIONS else ""
        yield quote(translate(_SECTIONS).format(titles=titles + more))
    is_mixed = any(item.written for item in summary.statements)
    lines: list[str] = []
    heading = ""
    for statement in summary.statements:
        if statement.heading != heading:
            if lines:
                yield "\n".join(lines)
            lines = []
            heading = statement.heading
            if heading:
                yield f"**{quote(heading)}**"
        place = place_of(statement, summary.coverage.unit, translate)
        if is_mixed and not statement.written:
            place += f" · {translate(_ORIGINAL)}"
        lines.append(f"- {quote(statement.text)} ({place})")
    if lines:
        yield "\n".join(lines)
    yield coverage_line(summary, translate)
