"""A sheet as a grid, with the cells marked that an answer rests on."""

import re
from collections.abc import Iterable

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QBrush
from PySide6.QtWidgets import QAbstractItemView, QFrame, QTableView, QWidget

from app.documents.document import Page
from ui.documents import marking
from ui.theme import Theme

_DIVIDER = re.compile(r" ?\| ?")
_NO_PARENT = QModelIndex()
_CELL = re.compile(r"\$?([A-Z]{1,3})\$?(\d+)", re.IGNORECASE)
_LETTERS = 26
_WIDEST_PX = 220


class Sheet(QAbstractTableModel):
    """The rows of a sheet as they were read."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: list[list[str]] = []
        self._names: list[str] = []
        self._first_column = 1
        self._columns = 0
        self._marked: set[int] = set()

    def show_page(self, page: Page) -> None:
        """Take another sheet."""
        self.beginResetModel()
        corners = [corner(line.cells) for line in page.lines]
        self._names = [str(row) if row else "" for _, row in corners]
        first = self._first_column = min((at for at, _ in corners if at), default=1)
        self._rows = [
            [*[""] * max(0, column - first), *_DIVIDER.split(line.text)]
            for line, (column, _) in zip(page.lines, corners, strict=True)
        ]
        self._columns = max((len(row) for row in self._rows), default=0)
        self._marked = set()
        self.endResetModel()

    def mark(self, rows: Iterable[int]) -> None:
        """Mark these rows and no others."""
        self._marked = set(rows)
        if self._rows:
            last = self.index(len(self._rows) - 1, max(0, self._columns - 1))
            self.dataChanged.emit(self.index(0, 0), last)

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _NO_PARENT) -> int:
        """Return how many rows were read."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = _NO_PARENT) -> int:
        """Return how many cells the longest row has."""
        return 0 if parent.isValid() else self._columns

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return a cell's text, and how it looks where it is marked."""
        row = self._rows[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return row[index.column()] if index.column() < len(row) else ""
        if index.row() in self._marked:
            if role == Qt.ItemDataRole.BackgroundRole:
                return QBrush(self._theme.color("mark"))
            if role == Qt.ItemDataRole.ForegroundRole:
                return QBrush(Qt.GlobalColor.black)
            if role == Qt.ItemDataRole.AccessibleDescriptionRole:
                return self.tr("Marked")
        return None

    def headerData(  # noqa: N802 - Qt's name
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        """Return a column's letter or a row's number, as far as they are known."""
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if orientation == Qt.Orientation.Horizontal:
            return letters(self._first_column + section)
        return self._names[section] or str(section + 1)

    def rows_of(self, cells: str, page: Page, marks: tuple[str, ...]) -> list[int]:
        """Return the rows that a range of cells touches, or that hold what is marked."""
        ends = _CELL.findall(cells)
        if ends:
            first, last = int(ends[0][1]), int(ends[-1][1])
            found = [
                at for at, line in enumerate(page.lines) if first <= corner(line.cells)[1] <= last
            ]
            if found:
                return found
        wanted = [mark for mark in marks if mark.strip()]
        return [
            at
            for at, line in enumerate(page.lines)
            if any(marking.spans(line.text, (mark,)) or line.text in mark for mark in wanted)
            and line.text.strip()
        ]


class SheetView(QTableView):
    """Shows one sheet; GUI thread only."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sheet")
        self._sheet = Sheet(theme, self)
        self.setModel(self._sheet)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setAccessibleName(self.tr("Sheet"))
        self.horizontalHeader().setMaximumSectionSize(_WIDEST_PX)
        self.horizontalHeader().setResizeContentsPrecision(100)
        self._page = Page(1, ())

    def show_page(self, page: Page) -> None:
        """Show another sheet."""
        self._page = page
        self._sheet.show_page(page)
        self.resizeColumnsToContents()
        self.scrollToTop()

    def mark(self, marks: tuple[str, ...], cells: str, nth: int = 0) -> int:
        """Mark what is meant and show the `nth` of it; return how many rows that is."""
        rows = self._sheet.rows_of(cells, self._page, marks)
        self._sheet.mark(rows)
        if rows:
            at = self._sheet.index(rows[min(nth, len(rows) - 1)], 0)
            self.setCurrentIndex(at)
            self.clearSelection()
            self.scrollTo(at, QAbstractItemView.ScrollHint.PositionAtCenter)
        return len(rows)


def corner(cells: str) -> tuple[int, int]:
    """Return column and row, from 1, of the first cell of a range; zeros where there is none."""
    found = _CELL.search(cells)
    if not found:
        return 0, 0
    column = 0
    for letter in found[1].upper():
        column = column * _LETTERS + ord(letter) - ord("A") + 1
    return column, int(found[2])


def letters(column: int) -> str:
    """Return the name of a column, counted from 1."""
    name = ""
    while column > 0:
        column, rest = divmod(column - 1, _LETTERS)
        name = chr(ord("A") + rest) + name
    return name
