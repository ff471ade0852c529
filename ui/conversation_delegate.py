"""Paints the sidebar's rows: headings, titles, and results with the words that were found."""

from unicodedata import bidirectional

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import (
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from ui.conversation_model import Role
from ui.theme import FontRole, Theme

AnyIndex = QModelIndex | QPersistentModelIndex

_TITLE_PX = 37
_RESULT_PX = 56
_PADDING_PX = 10
_RADIUS_PX = 8
_BEFORE_CHARACTERS = 14


class ConversationDelegate(QStyledItemDelegate):
    """One line a conversation, two a search result."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """Return the height of a row; the width is the list's.

        Headings are as high as titles, so that a list without results has one height: Qt then asks
        once and not for each of thousands of rows.
        """
        grown_px = max(0, self._theme.font().pixelSize() - 14) * 2
        return QSize(0, (_RESULT_PX if index.data(Role.EXCERPT) else _TITLE_PX) + grown_px)

    def createEditor(
        self, parent: QWidget, option: QStyleOptionViewItem, index: AnyIndex
    ) -> QWidget:
        """Return the field in which a conversation is renamed."""
        field = QLineEdit(parent)
        field.setObjectName("renaming")
        field.setAccessibleName(self.tr("New title"))
        field.setMaxLength(200)
        return field

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: AnyIndex
    ) -> None:
        """Put the field over the row."""
        rect: QRect = option.rect
        editor.setGeometry(rect.adjusted(2, 2, -4, -2))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Paint one row."""
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inner = rect.adjusted(_PADDING_PX, 0, -_PADDING_PX - 4, 0)
        if index.data(Role.IS_HEADING):
            self._paint_heading(painter, inner, str(index.data()))
        else:
            self._paint_background(painter, rect, state)
            self._paint_row(painter, inner, index, state)
        painter.restore()

    def _paint_heading(self, painter: QPainter, rect: QRect, text: str) -> None:
        font = self._theme.font("small")
        font.setWeight(font.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(self._theme.color("muted"))
        align = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom
        painter.drawText(rect.adjusted(0, 0, 0, -6), align, text)

    def _paint_background(self, painter: QPainter, rect: QRect, state: QStyle.StateFlag) -> None:
        is_selected = bool(state & QStyle.StateFlag.State_Selected)
        has_focus = bool(state & QStyle.StateFlag.State_HasFocus)
        shape = rect.adjusted(1, 1, -3, -1)
        if is_selected or state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.color("selection" if is_selected else "hover"))
            painter.drawRoundedRect(shape, _RADIUS_PX, _RADIUS_PX)
        if has_focus and state & QStyle.StateFlag.State_KeyboardFocusChange:
            painter.setPen(QPen(self._theme.color("link"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(shape, _RADIUS_PX, _RADIUS_PX)

    def _paint_row(
        self, painter: QPainter, rect: QRect, index: AnyIndex, state: QStyle.StateFlag
    ) -> None:
        excerpt = index.data(Role.EXCERPT)
        line = QRect(rect)
        if excerpt:
            line.setHeight(rect.height() // 2)
            line.translate(0, 3)
        is_selected = bool(state & QStyle.StateFlag.State_Selected)
        is_inverted = is_selected and self._theme.is_high_contrast
        painter.setPen(self._theme.color("accent_text" if is_inverted else "text"))
        self._draw_line(painter, line, str(index.data()), "body", is_strong=is_selected)
        if excerpt:
            line.translate(0, line.height() - 4)
            painter.setPen(self._theme.color("accent_text" if is_inverted else "muted"))
            before, match, after = excerpt
            if len(before) > _BEFORE_CHARACTERS:
                before = "…" + before[-_BEFORE_CHARACTERS:]
            self._draw_line(painter, line, f"{before}{match}{after}", "small")

    def _draw_line(
        self, painter: QPainter, rect: QRect, text: str, role: FontRole, *, is_strong: bool = False
    ) -> None:
        font = self._theme.font(role)
        if role == "body":
            font.setPixelSize(font.pixelSize() - 1)
        if is_strong:
            font.setWeight(font.Weight.Medium)
        painter.setFont(font)
        one_line = " ".join(text.split())
        left, right = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
        side = right if _is_right_to_left(one_line) else left
        shown = QFontMetrics(font).elidedText(one_line, Qt.TextElideMode.ElideRight, rect.width())
        flags = side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(rect, flags, shown)


def _is_right_to_left(text: str) -> bool:
    for character in text:
        direction = bidirectional(character)
        if direction in ("L", "R", "AL"):
            return direction != "L"
    return False
