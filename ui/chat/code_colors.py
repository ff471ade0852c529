"""Colours for code: found in small slices of time, so that the window never waits for them.

Pygments takes 17 ms for a hundred lines and 45 ms to be imported. The import happens on the helper
thread, the first time code is shown; the tokens are drawn from its generator for a few milliseconds
at a time. Only code that is complete is coloured.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

import shiboken6
from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QColor, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from ui.tasks import Tasks
from ui.theme import Theme

_SLICE_S = 0.003
_MOST_CHARS = 60_000
_LAST_SINGLE = 0xFFFF
_COLORS = {
    "Keyword": "syntax_keyword",
    "Operator.Word": "syntax_keyword",
    "Name.Tag": "syntax_keyword",
    "Literal.String": "syntax_string",
    "Literal.Number": "syntax_number",
    "Comment": "syntax_comment",
    "Name.Function": "syntax_name",
    "Name.Class": "syntax_name",
    "Name.Builtin": "syntax_name",
    "Name.Attribute": "syntax_name",
}


class Lexer(Protocol):
    """What is used of a Pygments lexer."""

    def get_tokens(self, text: str) -> Iterator[tuple[object, str]]:
        """Yield kinds of token with their texts."""
        ...


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    length: int
    color: str


class CodeHighlighter(QSyntaxHighlighter):
    """Puts spans of colour on the lines of a document."""

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._theme = theme
        self._lines: list[list[_Span]] = []

    def color_lines(self, lines: list[list[_Span]]) -> None:
        """Colour the lines after those that have been coloured."""
        start = len(self._lines)
        self._lines += lines
        for number in range(start, len(self._lines)):
            block = self.document().findBlockByNumber(number)
            if block.isValid() and self._lines[number]:
                self.rehighlightBlock(block)

    def highlightBlock(self, text: str) -> None:  # noqa: N802 - Qt's name
        """Colour one line."""
        number = self.currentBlock().blockNumber()
        if number >= len(self._lines):
            return
        for span in self._lines[number]:
            style = QTextCharFormat()
            style.setForeground(QColor(self._theme.color(span.color)))
            self.setFormat(span.start, span.length, style)


class CodeColoring(QObject):
    """Colours code in the order it is asked for; GUI thread only."""

    def __init__(self, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._lexers: dict[str, Lexer | None] = {}
        self._work: list[tuple[CodeHighlighter, Iterator[list[_Span]]]] = []
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._go_on)

    def color(self, highlighter: CodeHighlighter, code: str, language: str) -> None:
        """Colour `code`, which the highlighter's document shows, as soon as there is time."""
        if not language or len(code) > _MOST_CHARS:
            return

        def begin(lexer: Lexer | None) -> None:
            if lexer is not None and shiboken6.isValid(highlighter):
                self._work.append((highlighter, _lines(lexer.get_tokens(code))))
                self._timer.start()

        self._with_lexer(language, begin)

    def _with_lexer(self, language: str, use: Callable[[Lexer | None], None]) -> None:
        if language in self._lexers:
            use(self._lexers[language])
            return

        def keep(lexer: Lexer | None) -> None:
            self._lexers[language] = lexer
            use(lexer)

        self._tasks.start(lambda: _find_lexer(language), keep, _raise, self)

    def _go_on(self) -> None:
        end_s = perf_counter() + _SLICE_S
        while self._work and perf_counter() < end_s:
            highlighter, lines = self._work[0]
            found: list[list[_Span]] = []
            if shiboken6.isValid(highlighter):
                for line in lines:
                    found.append(line)
                    if perf_counter() >= end_s:
                        break
                else:
                    self._work.pop(0)
                highlighter.color_lines(found)
            else:
                self._work.pop(0)
        if not self._work:
            self._timer.stop()


def _raise(error: Exception) -> None:
    raise error


def _find_lexer(language: str) -> Lexer | None:
    # Imported late: 45 ms that would come before the first paint.
    from pygments.lexers import get_lexer_by_name  # noqa: PLC0415
    from pygments.util import ClassNotFound  # noqa: PLC0415

    try:
        lexer: Lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
    return lexer


def _lines(tokens: Iterator[tuple[object, str]]) -> Iterator[list[_Span]]:
    """Yield the spans of each line; positions count UTF-16 units, as Qt does."""
    line: list[_Span] = []
    at = 0
    for kind, text in tokens:
        color = _color_of(str(kind))
        first, *others = text.split("\n")
        for index, part in enumerate((first, *others)):
            if index:
                yield line
                line, at = [], 0
            length = len(part) + sum(ord(each) > _LAST_SINGLE for each in part)
            if color and length:
                line.append(_Span(at, length, color))
            at += length
    yield line


def _color_of(kind: str) -> str:
    kind = kind.removeprefix("Token.")
    return next((color for prefix, color in _COLORS.items() if kind.startswith(prefix)), "")
