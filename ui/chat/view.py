"""The list of messages: as long as it may be, only what is near the window exists as widgets.

Heights of messages that have not been shown are estimated. While a person reads, the message at the
top of the window stays where it is, whatever is measured anew above it; while they are at the end,
the end stays in sight, whatever grows. Where text is replaced, as a summary's statements are, the
paragraph at the top of the window stays where it is, at the end as well.
"""

from collections.abc import Iterator

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QWidget

from ui.chat import reading_place
from ui.chat.answer import AnswerWidget
from ui.chat.focus_chain import FocusChain, beyond_px
from ui.chat.look import Look
from ui.chat.message_model import MessageModel
from ui.chat.message_widget import MessageWidget
from ui.chat.question import QuestionWidget
from ui.chat.row_heights import RowHeights, estimate
from ui.chat.rows import Fold

COLUMN_PX = 780
SIDE_PX = 24
_GAP_PX = 22
_TOP_PX = 12
_BOTTOM_PX = 20
_MARGIN_PX = 200
_AT_END_PX = 24
_MOST_PASSES = 6
_STEP_PX = 48

# A row, and how far the window's top is below the row's.
Anchor = tuple[int, int]


class ChatView(QAbstractScrollArea):
    """Shows a `MessageModel`; GUI thread only.

    Signals:
        link_activated: Somebody wants to follow a link; its target.
        citation_activated: Somebody wants to see what an answer rests on; a `Citation`.
        attachment_activated: Somebody wants to see a document of a question; its id.
        regenerate_requested: Somebody wants another last answer.
        continue_requested: Somebody wants the last answer to go on.
        overflow_chosen: Somebody says what to do with older messages; an `Overflow`.
        at_end_changed: The end has come into sight, or left it.
    """

    link_activated = Signal(str)
    citation_activated = Signal(object)
    attachment_activated = Signal(str)
    regenerate_requested = Signal()
    continue_requested = Signal()
    overflow_chosen = Signal(str)
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
        self._focus_chain = FocusChain(self)
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
        self._heights.insert(
            first, [estimate(self._model.text(row)) for row in range(first, last + 1)]
        )
        count = last - first + 1
        self._live = {
            row + (count if row >= first else 0): each for row, each in self._live.items()
        }
        self._arrange()

    def _on_changed(self, first: QModelIndex, last: QModelIndex) -> None:
        anchor, was_at_end = self._anchor(), self._is_at_end
        for row in range(first.row(), last.row() + 1):
            widget = self._live.get(row)
            if widget is not None:
                anchor = self._update(row, widget, anchor)
        self._arrange(anchor=anchor)
        if was_at_end != self._is_at_end:
            self._look_for_end()

    def _update(self, row: int, widget: MessageWidget, anchor: Anchor) -> Anchor:
        """Show a row as it is now; return where the window's top is in it, as far as it is there.

        An end that is in sight may leave it where the text was replaced: nobody reads on at an end
        that jumps.
        """
        shown = self._model.row(row)
        if shown.stage == "done" or shown.stage != widget.stage:
            self._focus_chain.forget()
        is_replaced = widget.is_replaced_by(shown)
        place = None
        if is_replaced and anchor[0] == row:
            place = reading_place.place_at(widget.blocks(), anchor[1])
        widget.show_row(shown)
        self._measure(row, widget)
        if is_replaced:
            self._set_at_end(False)
        y_px = reading_place.find(widget.blocks(), place) if place else None
        return anchor if y_px is None else (row, y_px)

    def _arrange(self, *, anchor: Anchor | None = None) -> None:
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

    def _look_for_end(self) -> None:
        bar = self.verticalScrollBar()
        self._set_at_end(bar.value() >= bar.maximum() - _AT_END_PX)

    def _anchor(self) -> Anchor:
        """Return the row at the top of the window, and how far it reaches above it."""
        y = self.verticalScrollBar().value() - _TOP_PX
        row = self._heights.row_at(y)
        return (row, y - self._heights.top(row)) if row >= 0 else (-1, 0)

    def _restore(self, anchor: Anchor) -> None:
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
        widget.citation_activated.connect(self.citation_activated)
        widget.attachment_activated.connect(self.attachment_activated)
        widget.regenerate_requested.connect(self.regenerate_requested)
        widget.continue_requested.connect(self.continue_requested)
        widget.overflow_chosen.connect(self.overflow_chosen)
        widget.fold_toggled.connect(lambda fold: self._on_fold_toggled(widget, fold))
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
        self._focus_chain.forget()
        for row, each in self._live.items():
            if each is widget:
                self._measure(row, widget)
        self._arrange(anchor=anchor)

    def _on_fold_toggled(self, widget: MessageWidget, fold: Fold) -> None:
        """Unfold downwards: what was pressed stays under the pointer, at the end as well."""
        self._set_at_end(False)
        for row, each in list(self._live.items()):
            if each is widget:
                self._model.toggle(row, fold)
        self._look_for_end()

    def _place_rows(self) -> None:
        left_px = (self.viewport().width() - self._column_width()) // 2
        scrolled_px = self.verticalScrollBar().value()
        for row, widget in self._live.items():
            widget.move(left_px, self._heights.top(row) + _TOP_PX - scrolled_px)
            widget.show()
        self._focus_chain.follow(self._live)

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
        return [estimate(self._model.text(row)) for row in range(self._model.rowCount())]

    def _set_at_end(self, is_at_end: bool) -> None:
        if is_at_end != self._is_at_end:
            self._is_at_end = is_at_end
            self.at_end_changed.emit(is_at_end)

    def scrollContentsBy(self, dx: int, dy: int) -> None:  # noqa: N802 - Qt's name
        """Follow the scroll bar; being at the end or not is what a person does with it."""
        if self._is_arranging:
            return
        self._look_for_end()
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
        if has_moved:
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + beyond_px(self.viewport(), QApplication.focusWidget()))
        return has_moved
