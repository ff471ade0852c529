"""A summary as Markdown, with every statement's place and what was and was not read."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from app import messages
from app.documents.options import Style
from app.documents.places import in_words, units
from app.documents.summary import Summary
from app.documents.values import Place, Statement, Unit
from app.messages import QT_TRANSLATE_NOOP
from inference.errors import Fact

_FEWEST_SECTIONS = 3
_MOST_SECTIONS = 12
_ORIGINAL = QT_TRANSLATE_NOOP("summary", "original")
_SECTIONS = QT_TRANSLATE_NOOP("summary", "Sections: {titles}.")
_READ = QT_TRANSLATE_NOOP("summary", "{read} of {total} {units} read")
_RECOGNIZED = QT_TRANSLATE_NOOP("summary", "{count} of them by text recognition")
_BLANK = QT_TRANSLATE_NOOP("summary", "{count} of them blank")
_WITHOUT_TEXT = QT_TRANSLATE_NOOP("summary", "{count} without text (scans that were not read)")
_UNREADABLE = QT_TRANSLATE_NOOP("summary", "{count} with an unreadable text layer")
_DISAGREE = QT_TRANSLATE_NOOP("summary", "The documents disagree")
_AGAINST = QT_TRANSLATE_NOOP("summary", "{first}, but {second}")
_COLUMNS: dict[Style, tuple[str, ...]] = {
    "facts": (
        QT_TRANSLATE_NOOP("summary", "Fact"),
        QT_TRANSLATE_NOOP("summary", "Sentence"),
        QT_TRANSLATE_NOOP("summary", "Place"),
    ),
    "actions": (
        QT_TRANSLATE_NOOP("summary", "Person"),
        QT_TRANSLATE_NOOP("summary", "Date"),
        QT_TRANSLATE_NOOP("summary", "Task"),
        QT_TRANSLATE_NOOP("summary", "Place"),
    ),
    "minutes": (
        QT_TRANSLATE_NOOP("summary", "Who"),
        QT_TRANSLATE_NOOP("summary", "When"),
        QT_TRANSLATE_NOOP("summary", "What"),
        QT_TRANSLATE_NOOP("summary", "Place"),
    ),
}
_MARKS = re.compile(r"([\\`*_\[\]<>|~])")

Translate = Callable[[str], str]


def markdown(summary: Summary, translate: Translate = str) -> str:
    """Return `summary` as Markdown; nothing of the document can become markup."""
    shown = _Shown(summary, translate, quoted)
    return "\n\n".join(shown.blocks())


def quoted(text: str) -> str:
    """Return `text` so that nothing of it can become markup."""
    return _MARKS.sub(r"\\\1", text)


def plain(summary: Summary, translate: Translate = str) -> str:
    """Return `summary` with the same layout for a terminal: nothing is escaped."""
    return "\n\n".join(_Shown(summary, translate, str).blocks())


def place_of(statement: Statement, unit: Unit, translate: Translate = str) -> str:
    """Return where the evidence of `statement` stands, in words; `unit` where it does not say."""
    place = statement.place or Place(statement.page, unit)
    return in_words(place, translate, name=statement.name, heading=statement.heading)


def coverage_line(summary: Summary, translate: Translate = str) -> str:
    """Return what was read, such as `46 of 48 pages read, 2 without text`."""
    coverage = summary.coverage
    named = units(coverage.unit, coverage.total, translate)
    parts = [translate(_READ).format(read=coverage.read, total=coverage.total, units=named)]
    counted = (
        (coverage.ocr, _RECOGNIZED),
        (coverage.blank, _BLANK),
        (coverage.without_text, _WITHOUT_TEXT),
        (summary.unreadable, _UNREADABLE),
    )
    parts += [translate(text).format(count=count) for count, text in counted if count]
    return ", ".join(parts) + "."


@dataclass(frozen=True, slots=True)
class _Shown:
    summary: Summary
    translate: Translate
    quote: Translate

    def blocks(self) -> Iterator[str]:
        summary = self.summary
        yield self._note(summary.note, summary.note_facts)
        if summary.also:
            yield self._note(summary.also, summary.also_facts)
        if summary.style not in _COLUMNS:
            yield from self._overview()
        if summary.statements:
            yield from self._body()
        if summary.disagreements:
            yield f"**{self.translate(_DISAGREE)}**"
            yield "\n".join(self._against(*pair) for pair in summary.disagreements)
        yield coverage_line(summary, self.translate)

    def _note(self, code: str, facts: Mapping[str, Fact]) -> str:
        notice = messages.describe_code(code, facts, self.translate)
        return f"*{self.quote(' '.join(part for part in (notice.message, notice.action) if part))}*"

    def _overview(self) -> Iterator[str]:
        titles = self.summary.sections
        if self.summary.about:
            yield self.quote(self.summary.about)
        elif len(titles) >= _FEWEST_SECTIONS:
            more = " …" if len(titles) > _MOST_SECTIONS else ""
            listed = "; ".join(titles[:_MOST_SECTIONS]) + more
            yield self.quote(self.translate(_SECTIONS).format(titles=listed))

    def _body(self) -> Iterator[str]:
        if self.summary.style in _COLUMNS:
            yield self._table(_COLUMNS[self.summary.style])
            return
        for heading, statements in _by_heading(self.summary.statements):
            if heading:
                yield f"**{self.quote(heading)}**"
            if self.summary.style == "paragraph":
                yield " ".join(map(self._sentence, statements))
            else:
                yield "\n".join(f"- {self._sentence(statement)}" for statement in statements)

    def _sentence(self, statement: Statement) -> str:
        return f"{self.quote(statement.text)} ({self._place(statement)})"

    def _place(self, statement: Statement) -> str:
        place = self.quote(place_of(statement, self.summary.coverage.unit, self.translate))
        is_mixed = any(item.written for item in self.summary.statements)
        if is_mixed and not statement.written:
            place += f" · {self.translate(_ORIGINAL)}"
        return place

    def _table(self, columns: Sequence[str]) -> str:
        rows = [[self.translate(column) for column in columns], ["---"] * len(columns)]
        for statement in self.summary.statements:
            beside = (*statement.row, *[""] * len(columns))[: len(columns) - 2]
            cells = [*map(self.quote, beside), self.quote(statement.text), self._place(statement)]
            rows.append(cells)
        return "\n".join("| " + " | ".join(row) + " |" for row in rows)

    def _against(self, first: Statement, second: Statement) -> str:
        pair = self.translate(_AGAINST).format(
            first=self._sentence(first), second=self._sentence(second)
        )
        return f"- {pair}"


def _by_heading(statements: Sequence[Statement]) -> Iterator[tuple[str, list[Statement]]]:
    """Yield runs of statements under the same heading, or of the same document."""
    run: list[Statement] = []
    for statement in statements:
        if run and (statement.heading, statement.name) != (run[-1].heading, run[-1].name):
            yield run[-1].heading, run
            run = []
        run.append(statement)
    if run:
        yield run[-1].heading, run
