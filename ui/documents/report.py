"""The intake report: everything that was found in a document, and what was left out and why."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from app.documents.values import Hidden, HiddenKind, IntakeReport, LeftOut
from app.messages import describe_code
from ui.chat.wording import Wording, number
from ui.labels import text_label
from ui.notices import translate_message
from ui.theme import Theme

if TYPE_CHECKING:
    from inference.errors import Fact

_MOST_LINES = 12


class ReportWords(QObject):
    """An `IntakeReport` as pairs of what and how much, in the window's language."""

    def lines(self, report: IntakeReport) -> Iterator[tuple[str, str]]:
        """Yield every line that has something to say."""
        yield self.tr("Read"), self._read(report)
        yield self.tr("Words"), number(report.words)
        if report.ocr:
            text = self.tr("{} read from their picture, {} % sure")
            sure = number(round(report.ocr_confidence * 100))
            yield self.tr("Recognized"), text.format(number(report.ocr), sure)
        if report.tables:
            yield self.tr("Tables"), number(report.tables)
        if report.parts:
            yield self.tr("Attachments"), self.tr("{} read").format(number(report.parts))
        if report.without_text:
            yield self.tr("Without text"), number(report.without_text)
        if report.unreadable:
            yield (
                self.tr("Not readable"),
                self.tr("{}: their text is only symbols").format(number(report.unreadable)),
            )
        yield from self._hidden(report.hidden)
        yield from self._left_out(report.left_out)

    def _read(self, report: IntakeReport) -> str:
        units = Wording(self).units(report)
        if report.read == report.total:
            return self.tr("all of {}").format(units)
        return self.tr("{} of {}").format(number(report.read), units)

    def _hidden(self, hidden: tuple[Hidden, ...]) -> Iterator[tuple[str, str]]:
        title = self.tr("Hidden text")
        for each in hidden[:_MOST_LINES]:
            where = self.tr(", p. {}").format(each.page) if each.page else ""
            kind = self._kind(each.kind)
            yield title, self.tr("{}{}: “{}”").format(kind, where, each.excerpt)
            title = ""
        if len(hidden) > _MOST_LINES:
            yield "", self.tr("and {} more").format(number(len(hidden) - _MOST_LINES))
        if hidden:
            yield "", self.tr("None of it is shown to the model.")

    def _left_out(self, left_out: tuple[LeftOut, ...]) -> Iterator[tuple[str, str]]:
        title = self.tr("Left out")
        for each in left_out[:_MOST_LINES]:
            facts: dict[str, Fact] = {"count": each.count}
            facts |= {"name": each.name} if each.name else {}
            facts |= {"detail": each.detail} if each.detail else {}
            yield title, describe_code(each.code, facts, translate_message).message
            title = ""
        if len(left_out) > _MOST_LINES:
            yield "", self.tr("and {} more").format(number(len(left_out) - _MOST_LINES))

    def _kind(self, kind: HiddenKind) -> str:
        kinds: dict[HiddenKind, str] = {
            "invisible_text": self.tr("Invisible"),
            "pale_text": self.tr("As pale as the paper"),
            "tiny_text": self.tr("Too small to read"),
            "off_page": self.tr("Beside the page"),
            "hidden_slide": self.tr("Hidden slide"),
            "hidden_sheet": self.tr("Hidden sheet"),
            "hidden_cells": self.tr("Hidden cells"),
            "comment": self.tr("Comment"),
            "deleted_text": self.tr("Deleted text"),
            "annotation": self.tr("Annotation"),
            "metadata": self.tr("Metadata"),
            "order": self.tr("Orders to language models"),
        }
        return kinds[kind]


class ReportView(QWidget):
    """Shows a report as two columns that can be read and copied."""

    def __init__(self, theme: Theme, report: IntakeReport, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Intake report"))
        lines = list(ReportWords(self).lines(report))
        self.text = "\n".join(f"{what}: {much}" if what else much for what, much in lines)
        grid = QGridLayout(self)
        grid.setContentsMargins(4, 2, 4, 2)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(3)
        grid.setColumnStretch(1, 1)
        for row, (what, much) in enumerate(lines):
            grid.addWidget(text_label(what, "muted"), row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(_selectable(much), row, 1)


def _selectable(text: str) -> QLabel:
    label = text_label(text, "small", wrap=True)
    flags = Qt.TextInteractionFlag
    label.setTextInteractionFlags(flags.TextSelectableByMouse | flags.TextSelectableByKeyboard)
    return label
