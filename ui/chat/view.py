"""The list of messages: as long as it may be, only what is near the window exists as widgets.

Heights of messages that have not been shown are estimated. While a person reads, the message at the
top of the window stays where it is, whatever is measured anew above it; while they are at the end,
the end stays in sight, whatever grows.
"""

from collections.abc import Iterator

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QWidget

from ui.chat.answer import AnswerWidget
from ui.chat.look import Look
from ui.chat.message_model import MessageModel
from ui.chat.message_widget import MessageWidget
from ui.chat.question import QuestionWidget
from ui.chat.row_heights import RowHeights

COLUMN_PX = 780
SIDE_PX = 24
_GAP_PX = 22
_TOP_PX = 12
_BOTTOM_PX = 20
_MARGIN_PX = 200
_AT_END_PX = 24
_MOST_PASSES = 6
_LINE_CHARS = 105
_LINE_PX = 22
_CHROME_PX = 60
_STEP_PX = 48


class ChatView(QAbstractScrollArea):
    """Shows a `MessageModel`; GUI thread only.

    Signals:
        link_activated: Somebody wants to follow a link; its target.
        regenerate_requested: Somebody wants another last answer.
        at_end_changed: The end has come into sight, or left it.
    """

    link_activated = Signal(str)
    regenerate_requested = Signal()
    at_end_changed = Signal(bool)

    def __init__(self, model: MessageModel, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._look = look
        self._heights = RowHeights(_GAP_PX)
        self._live: dict[int, MessageWidget] = {}
        self._is_at_end = True
        self._is_arranging = False
        self._width_px = 0
        self._chained_rows: list[int] = []
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setAutoFillBackground(False)
        self.setAccessibleName(self.tr("Messages"))
        self.verticalScrollBar().setSingleStep(_STEP_PX)
        model.modelReset.connect(self._on_reset)
        model.rowsInserted.connect(self._on_inserted)
        model.dataChanged.connect(self._on_changed)

    @property
    def is_at_end(self) -> bool:
        """Whether the end is in sight, and stays there when something is added."""
        return self._is_at_end

    def live_rows(self) -> list[int]:
        """Return the rows that exist as widgets."""
        return sorted(self._live)

    def widget(self, row: int) -> MessageWidget | None:
        """Return the widget of a row near the window, or None."""
        return self._live.get(row)

    def scroll_to_end(self) -> None:
        """Show the end, and keep it in sight."""
        self._set_at_end(True)
        self._arrange()

    def scroll_to_row(self, row: int) -> None:
        """Show a row at the top of the window."""
        self._set_at_end(False)
        self._arrange(anchor=(row, 0))

    def _on_reset(self) -> None:
        for row in list(self._live):
            self._drop(row)
        self._heights.reset(self._estimates())
        self._set_at_end(True)
        self._arrange()

    def _on_inserted(self, _parent: QModelIndex, first: int, last: int) -> None:
        self._heights.insert(first, [self._estimate(row) for row in range(first, last + 1)])
        count = last - first + 1
        self._live = {
            row + (count if row >= first else 0): each for row, each in self._live.items()
        }
        self._arrange()

    def _on_changed(self, first: QModelIndex, last: QModelIndex) -> None:
        anchor = self._anchor()
        for row in range(first.row(), last.row() + 1):
            widget = self._live.get(row)
            if widget is not None:
                widget.show_row(self._model.row(row))
                self._measure(row, widget)
        self._arrange(anchor=anchor)

    def _arrange(self, *, anchor: tuple[int, int] | None = None) -> None:
        """Make, measure and place what is in sight, until nothing moves any more."""
        width_px = self._column_width()
        if self._is_arranging or width_px <= 0 or not self.isVisible():
            return
        self._is_arranging = True
        anchor = anchor or self._anchor()
        for _ in range(_MOST_PASSES):
            self._set_range()
            self._restore(anchor)
            if not self._realize():
                break
        self._drop_far_rows()
        self._place_rows()
        self._is_arranging = False

    def _anchor(self) -> tuple[int, int]:
        """Return the row at the top of the window, and how far it reaches above it."""
        y = self.verticalScrollBar().value() - _TOP_PX
        row = self._heights.row_at(y)
        return (row, y - self._heights.top(row)) if row >= 0 else (-1, 0)

    def _restore(self, anchor: tuple[int, int]) -> None:
        bar = self.verticalScrollBar()
        row, offset_px = anchor
        if self._is_at_end:
            bar.setValue(bar.maximum())
        elif 0 <= row < len(self._heights):
            bar.setValue(self._heights.top(row) + _TOP_PX + offset_px)

    def _set_range(self) -> None:
        count = len(self._heights)
        content_px = _TOP_PX + self._heights.top(count) + (_BOTTOM_PX if count else 0)
        page_px = self.viewport().height()
        bar = self.verticalScrollBar()
        bar.setPageStep(page_px)
        bar.setRange(0, max(0, content_px - page_px))

    def _realize(self) -> bool:
        """Make and measure the widgets in sight; return whether a height was not as estimated."""
        is_other = False
        for row in self._rows_near():
            widget = self._live.get(row) or self._make(row)
            is_other |= self._measure(row, widget)
        return is_other

    def _rows_near(self) -> Iterator[int]:
        top_px = self.verticalScrollBar().value() - _TOP_PX
        bottom_px = top_px + self.viewport().height()
        row = self._heights.row_at(top_px - _MARGIN_PX)
        while 0 <= row < len(self._heights) and self._heights.top(row) < bottom_px + _MARGIN_PX:
            yield row
            row += 1

    def _make(self, row: int) -> MessageWidget:
        shown = self._model.row(row)
        kind = QuestionWidget if shown.message.role == "user" else AnswerWidget
        widget = kind(self._look, self.viewport())
        widget.link_activated.connect(self.link_activated)
        widget.regenerate_requested.connect(self.regenerate_requested)
        widget.height_changed.connect(lambda: self._on_height_changed(widget))
        widget.show_row(shown)
        self._live[row] = widget
        return widget

    def _measure(self, row: int, widget: MessageWidget) -> bool:
        width_px = self._column_width()
        height_px = widget.lay_out(width_px)
        if not widget.is_complete:
            height_px = max(height_px, self._heights.height(row))
        widget.resize(width_px, height_px)
        return self._heights.set_height(row, height_px)

    def _on_height_changed(self, widget: MessageWidget) -> None:
        anchor = self._anchor()
        for row, each in self._live.items():
            if each is widget:
                self._measure(row, widget)
        self._arrange(anchor=anchor)

    def _place_rows(self) -> None:
        left_px = (self.viewport().width() - self._column_width()) // 2
        scrolled_px = self.verticalScrollBar().value()
        for row, widget in self._live.items():
            widget.move(left_px, self._heights.top(row) + _TOP_PX - scrolled_px)
            widget.show()
        if self.live_rows() != self._chained_rows:
            self._chain_focus()

    def _chain_focus(self) -> None:
        """Let the Tab key go from the top down, in whatever order the widgets were made."""
        self._chained_rows = self.live_rows()
        before: QWidget = self
        for row in self._chained_rows:
            for widget in self._live[row].focus_chain():
                QWidget.setTabOrder(before, widget)
                before = widget

    def _drop_far_rows(self) -> None:
        near = set(self._rows_near())
        focused = QApplication.focusWidget()
        for row, widget in list(self._live.items()):
            has_focus = focused is not None and widget.isAncestorOf(focused)
            if row not in near and not has_focus and not widget.has_selection():
                self._drop(row)

    def _drop(self, row: int) -> None:
        widget = self._live.pop(row)
        widget.hide()
        widget.deleteLater()

    def _column_width(self) -> int:
        return min(COLUMN_PX, self.viewport().width() - 2 * SIDE_PX)

    def _estimates(self) -> list[int]:
        return [self._estimate(row) for row in range(self._model.rowCount())]

    def _estimate(self, row: int) -> int:
        text = self._model.text(row)
        lines = text.count("\n") + len(text) // _LINE_CHARS + 1
        return lines * _LINE_PX + _CHROME_PX

    def _set_at_end(self, is_at_end: bool) -> None:
        if is_at_end != self._is_at_end:
            self._is_at_end = is_at_end
            self.at_end_changed.emit(is_at_end)

    def scrollContentsBy(self, dx: int, dy: int) -> None:  # noqa: N802 - Qt's name
        """Follow the scroll bar; being at the end or not is what a person does with it."""
        if self._is_arranging:
            return
        bar = self.verticalScrollBar()
        self._set_at_end(bar.value() >= bar.maximum() - _AT_END_PX)
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the lines anew where the column has another width."""
        super().resizeEvent(event)
        anchor = self._anchor()
        width_px = self._column_width()
        if width_px != self._width_px:
            self._width_px = width_px
            self._heights.reset(self._estimates())
            for row, widget in self._live.items():
                self._measure(row, widget)
        self._arrange(anchor=anchor)

    def showEvent(self, event: QShowEvent) -> None:
        """Make what could not be made while nothing was in sight."""
        super().showEvent(event)
        self._arrange()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Scroll with the keys that people know."""
        bar = self.verticalScrollBar()
        if event.key() == Qt.Key.Key_Home:
            bar.setValue(bar.minimum())
        elif event.key() == Qt.Key.Key_End:
            self.scroll_to_end()
        elif event.key() == Qt.Key.Key_Space:
            bar.triggerAction(bar.SliderAction.SliderPageStepAdd)
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:  # noqa: N802 - Qt's signature
        """Bring into sight what the Tab key has reached."""
        has_moved = super().focusNextPrevChild(forward)
        focused = QApplication.focusWidget()
        if has_moved and focused is not None and self.viewport().isAncestorOf(focused):
            top_px = focused.mapTo(self.viewport(), QPoint(0, 0)).y()
            bottom_px = top_px + min(focused.height(), self.viewport().height())
            beyond_px = max(0, bottom_px - self.viewport().height())
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + (top_px if top_px < 0 else beyond_px))
        return has_moved
