"""The figures of a comparison as a table: a row for each figure, a column for each contender."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.messages import readable_bytes

if TYPE_CHECKING:
    from app.models.comparing_values import ComparisonReport, Measured

_Index = QModelIndex | QPersistentModelIndex
_NOTHING = "–"
_NO_PARENT = QModelIndex()


class CompareFigures(QAbstractTableModel):
    """What has been measured so far; a dash is what is not known yet."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._names: tuple[str, ...] = ()
        self._cells: list[tuple[str, ...]] = []
        self._rows = self._all_rows()

    def show_report(self, report: "ComparisonReport | None", names: Sequence[str] = ()) -> None:
        """Show a report, in which only figures have changed since the one before, or another."""
        measured = () if report is None else report.measured
        cells = [tuple(figure(each) for each in measured) for _, figure in self._rows]
        if tuple(names) != self._names:
            self.beginResetModel()
            self._names, self._cells = tuple(names), cells
            self.endResetModel()
        elif cells != self._cells:
            self._cells = cells
            self.dataChanged.emit(
                self.index(0, 0), self.index(len(cells) - 1, len(self._names) - 1)
            )

    def rowCount(self, parent: _Index = _NO_PARENT) -> int:
        """Return how many figures there are."""
        return 0 if parent.isValid() or not self._names else len(self._rows)

    def columnCount(self, parent: _Index = _NO_PARENT) -> int:
        """Return how many contenders there are."""
        return 0 if parent.isValid() else len(self._names)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a figure's text; a screen reader hears whose it is."""
        if not index.isValid():
            return None
        text = self._cells[index.row()][index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            whose, what = self._names[index.column()], self._rows[index.row()][0]
            return self.tr("{name}, {figure}: {value}").format(name=whose, figure=what, value=text)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def headerData(  # noqa: N802 - Qt's name
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return a contender's name, or what a row is."""
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if orientation == Qt.Orientation.Horizontal:
            return self._names[section] if section < len(self._names) else None
        return self._rows[section][0] if section < len(self._rows) else None

    def _all_rows(self) -> "list[tuple[str, Callable[[Measured], str]]]":
        return [
            (self.tr("Precision"), lambda each: each.quantization or _NOTHING),
            (self.tr("Runs on"), lambda each: each.device.name if each.device else _NOTHING),
            (self.tr("Time to load"), lambda each: _figure(each.load_s, "{} s")),
            (
                self.tr("Memory at most"),
                lambda each: readable_bytes(each.peak_bytes) if each.peak_bytes else _NOTHING,
            ),
            (self.tr("Time to the first word"), lambda each: _figure(each.ttft_s, "{} s")),
            (
                self.tr("Reads"),
                lambda each: _figure(each.prefill_tokens_per_s, self.tr("{} tokens/s")),
            ),
            (
                self.tr("Writes"),
                lambda each: _figure(each.decode_tokens_per_s, self.tr("{} tokens/s")),
            ),
            (
                self.tr("Writes, in characters"),
                lambda each: _figure(each.characters_per_s, self.tr("{} a second")),
            ),
            (
                self.tr("Document, bits per byte (less is better)"),
                lambda each: (
                    _NOTHING if each.scored is None else f"{each.scored.bits_per_byte:.3f}"
                ),
            ),
            (
                self.tr("Document, perplexity per token"),
                lambda each: _NOTHING if each.scored is None else f"{each.scored.perplexity:.2f}",
            ),
        ]


def _figure(value: float, text: str) -> str:
    if value <= 0:
        return _NOTHING
    return text.format(f"{value:.0f}" if value >= 100 else f"{value:.2g}")  # noqa: PLR2004 - two digits say enough
