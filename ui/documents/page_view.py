"""The pages of a document below each other; only what is in sight exists as a picture.

Pages are painted, not made of widgets: a document of any length opens at once. Paper stays white in
the dark theme too, because a scan or a form with inverted colors is another document.
"""

from collections import OrderedDict
from collections.abc import Iterable

from PySide6.QtCore import QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QImage,
    QKeyEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from ui.documents.page_layout import GAP_PX, SIDE_PX, PageLayout
from ui.documents.renders import Box, Drawn, PageRenders, Size, Wanted
from ui.theme import Theme

_KEPT_BYTES = 96_000_000
_STEP_PX = 60
_AHEAD = 1
_MARK_TOP_SHARE = 0.3
_MARK_PAD_PX = 2


class PageView(QAbstractScrollArea):
    """Shows the pages that `PageRenders` draws; GUI thread only.

    Signals:
        page_changed: Another page is at the upper part of the window; its number.
        zoom_changed: The zoom is another one; a share of the natural size.
        marks_found: (number, count): how many marked places a page has on its picture.
    """

    page_changed = Signal(int)
    zoom_changed = Signal(float)
    marks_found = Signal(int, int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._renders: PageRenders | None = None
        self._layout = PageLayout(())
        self._pictures: OrderedDict[Wanted, Drawn] = OrderedDict()
        self._newest: dict[int, Wanted] = {}
        self._marks: dict[int, tuple[str, ...]] = {}
        self._awaited: tuple[int, int] | None = None
        self._strong: int | None = None
        self._is_fitted = True
        self._page = 1
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Pages"))
        self.viewport().setAutoFillBackground(False)
        self.verticalScrollBar().setSingleStep(_STEP_PX)
        theme.changed.connect(self.viewport().update)

    @property
    def page(self) -> int:
        """The page that is looked at."""
        return self._page

    @property
    def count(self) -> int:
        """How many pages there are; 0 until that is known."""
        return len(self._layout)

    @property
    def zoom(self) -> float:
        """How large pages are, as a share of their natural size."""
        return self._layout.zoom

    @property
    def is_fitted(self) -> bool:
        """Whether pages are as wide as the window."""
        return self._is_fitted

    def boxes(self, number: int) -> tuple[Box, ...]:
        """Return where marks stand on a page, as far as its picture is there."""
        shown = self._pictures.get(self._newest.get(number, Wanted(0, 0)))
        return shown.boxes if shown is not None and shown.wanted.marks else ()

    def drawn_pages(self) -> set[int]:
        """Return the pages whose pictures are kept."""
        return {wanted.number for wanted in self._pictures}

    def show_pages(self, renders: PageRenders, sizes: tuple[Size, ...]) -> None:
        """Show another document, from its first page."""
        self.clear()
        self._renders = renders
        self._layout = PageLayout(sizes)
        renders.drawn.connect(self._take)
        self._arrange()
        self._note_page()
        self._ask()

    def clear(self) -> None:
        """Show nothing."""
        if self._renders is not None:
            self._renders.drawn.disconnect(self._take)
        self._renders = None
        self._layout = PageLayout(())
        self._pictures.clear()
        self._newest.clear()
        self._marks = {}
        self._awaited = None
        self._page = 1
        self.verticalScrollBar().setValue(0)
        self.viewport().update()

    def go_to(self, number: int) -> None:
        """Show a page from its top."""
        self._awaited = None
        if self.count:
            number = min(max(1, number), self.count)
            self.verticalScrollBar().setValue(self._layout.top_px(number) - GAP_PX // 2)

    def mark(self, number: int, marks: Iterable[str], nth: int | None = None) -> None:
        """Mark sentences on a page and bring the first marked place into sight, or the `nth`.

        The `nth` is marked more strongly than the others. Where it is becomes known with the
        picture: until then the page is shown from its top.
        """
        marks = tuple(marks)
        self._marks = {number: marks} if marks else {}
        self.go_to(number)
        if marks:
            self._awaited = (number, nth or 0)
        self._strong = nth
        self._ask()
        self._show_awaited()
        self.viewport().update()

    def unmark(self) -> None:
        """Take all marks away and stay where it is."""
        self._marks = {}
        self._awaited = None
        self._ask()
        self.viewport().update()

    def zoom_by(self, steps: int) -> None:
        """Show pages larger or smaller."""
        self._is_fitted = False
        self._set_zoom(self._layout.step(steps))

    def fit_width(self) -> None:
        """Make pages as wide as the window, now and whenever it gets another width."""
        self._is_fitted = True
        self._arrange()
        self._ask()

    def natural_size(self) -> None:
        """Show pages as large as they are on paper."""
        self._is_fitted = False
        self._set_zoom(1.0)

    def _set_zoom(self, zoom: float) -> None:
        place = self._place()
        self._layout.set_zoom(zoom)
        self._set_ranges()
        self._restore(place)
        self.zoom_changed.emit(self._layout.zoom)
        self._ask()
        self.viewport().update()

    def _arrange(self) -> None:
        """Fit pages into the width where that is wished, and set how far one can scroll."""
        if self._is_fitted and self.count:
            place = self._place()
            self._layout.set_zoom(self._layout.fitting(self.viewport().width()))
            self._set_ranges()
            self._restore(place)
            self.zoom_changed.emit(self._layout.zoom)
        else:
            self._set_ranges()
        self.viewport().update()

    def _set_ranges(self) -> None:
        page_px = self.viewport().height()
        bar = self.verticalScrollBar()
        bar.setPageStep(max(1, page_px - _STEP_PX))
        bar.setRange(0, max(0, self._layout.height_px - page_px))
        sideways = self.horizontalScrollBar()
        width_px = self._layout.width_px + 2 * SIDE_PX if self.count else 0
        sideways.setPageStep(self.viewport().width())
        sideways.setRange(0, max(0, width_px - self.viewport().width()))
        if self._is_fitted:
            sideways.setRange(0, 0)

    def _place(self) -> tuple[int, float]:
        """Return the page at the window's top, and which share of it is above."""
        if not self.count:
            return 1, 0.0
        y = self.verticalScrollBar().value()
        number = self._layout.page_at(y)
        above_px = y - self._layout.top_px(number)
        return number, above_px / self._layout.page_size_px(number)[1]

    def _restore(self, place: tuple[int, float]) -> None:
        number, share = place
        if self.count:
            height_px = self._layout.page_size_px(number)[1]
            top_px = self._layout.top_px(number)
            self.verticalScrollBar().setValue(round(top_px + share * height_px))

    def _rect(self, number: int) -> QRect:
        """Return where a page is in the window."""
        width_px, height_px = self._layout.page_size_px(number)
        room_px = max(self.viewport().width(), self._layout.width_px + 2 * SIDE_PX)
        if self._is_fitted:
            room_px = self.viewport().width()
        left_px = (room_px - width_px) // 2 - self.horizontalScrollBar().value()
        top_px = self._layout.top_px(number) - self.verticalScrollBar().value()
        return QRect(left_px, top_px, width_px, height_px)

    def _in_sight(self) -> range:
        top_px = self.verticalScrollBar().value()
        return self._layout.pages_between(top_px, top_px + self.viewport().height())

    def _wanted(self, number: int) -> Wanted:
        dpi = round(self._layout.dpi * self.devicePixelRatioF(), 1)
        return Wanted(number, dpi, self._marks.get(number, ()))

    def _ask(self) -> None:
        """Have drawn what is in sight, the page that is looked at first."""
        if self._renders is None or not self.count or not self.isVisible():
            return
        seen = self._in_sight()
        numbers = sorted(seen, key=lambda number: abs(number - self._page))
        numbers += range(seen.stop, min(seen.stop + _AHEAD, self.count + 1))
        numbers += range(max(1, seen.start - _AHEAD), seen.start)
        self._renders.want("pages", [self._wanted(number) for number in numbers])

    def _take(self, drawn: Drawn) -> None:
        number = drawn.wanted.number
        if drawn.wanted != self._wanted_now(number):
            return
        self._pictures[drawn.wanted] = drawn
        self._newest[number] = drawn.wanted
        self._drop_old()
        if drawn.wanted.marks:
            self.marks_found.emit(number, len(drawn.boxes))
        self._show_awaited()
        self.viewport().update()

    def _wanted_now(self, number: int) -> Wanted | None:
        return self._wanted(number) if 1 <= number <= self.count else None

    def _drop_old(self) -> None:
        """Keep the pictures seen last, within a limit, and one at least."""
        seen = set(self._in_sight())
        kept_bytes = sum(each.image.sizeInBytes() for each in self._pictures.values())
        for wanted in list(self._pictures):
            is_replaced = self._newest.get(wanted.number) != wanted
            if not is_replaced and (kept_bytes <= _KEPT_BYTES or wanted.number in seen):
                continue
            kept_bytes -= self._pictures.pop(wanted).image.sizeInBytes()
            if not is_replaced:
                del self._newest[wanted.number]
            if self._renders is not None:
                self._renders.forget(wanted)

    def _show_awaited(self) -> None:
        """Bring the awaited mark into sight once its picture says where it is."""
        if self._awaited is None:
            return
        number, nth = self._awaited
        newest = self._newest.get(number)
        if newest is None or newest != self._wanted_now(number):
            return
        self._awaited = None
        boxes = self.boxes(number)
        if boxes:
            left, top, right, _ = boxes[min(nth, len(boxes) - 1)]
            width_px, height_px = self._layout.page_size_px(number)
            y = self._layout.top_px(number) + top * height_px
            page_px = self.viewport().height()
            self.verticalScrollBar().setValue(round(y - page_px * _MARK_TOP_SHARE))
            middle_px = (left + right) / 2 * width_px + SIDE_PX
            self.horizontalScrollBar().setValue(round(middle_px - self.viewport().width() / 2))

    def _note_page(self) -> None:
        if not self.count:
            return
        y = self.verticalScrollBar().value() + self.viewport().height() // 3
        number = self._layout.page_at(y)
        if number != self._page:
            self._page = number
            self.page_changed.emit(number)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the pages in sight: white paper at once, what is on it as soon as it is drawn."""
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), self._theme.color("desk"))
        for number in self._in_sight():
            self._paint_page(painter, number)

    def _paint_page(self, painter: QPainter, number: int) -> None:
        rect = self._rect(number)
        painter.fillRect(rect.adjusted(-1, -1, 1, 1), self._theme.color("border"))
        painter.fillRect(rect, self._theme.color("paper"))
        newest = self._newest.get(number)
        if newest is None:
            painter.setPen(self._theme.color("ink"))
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, str(number))
            return
        drawn = self._pictures[newest]
        _paint_image(painter, rect, drawn.image)
        if number in self._marks:
            self._paint_marks(painter, rect, drawn.boxes)

    def _paint_marks(self, painter: QPainter, rect: QRect, boxes: Iterable[Box]) -> None:
        """Paint like a marker pen: what is printed shows through."""
        painter.save()
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Multiply)
        plain, strong = QPainterPath(), QPainterPath()
        for at, (left, top, right, bottom) in enumerate(boxes):
            box = QRectF(
                rect.left() + left * rect.width(),
                rect.top() + top * rect.height(),
                (right - left) * rect.width(),
                (bottom - top) * rect.height(),
            )
            pad = _MARK_PAD_PX
            (strong if at == self._strong else plain).addRect(box.adjusted(-pad, -pad, pad, pad))
        # Lines overlap, and a pen that goes over a place twice leaves it darker.
        for path, token in ((plain, "mark"), (strong, "mark_strong")):
            path.setFillRule(Qt.FillRule.WindingFill)
            painter.fillPath(path, self._theme.color(token))
        painter.restore()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit pages into the new width."""
        super().resizeEvent(event)
        self._arrange()
        self._note_page()
        self._ask()

    def showEvent(self, event: object) -> None:
        """Ask for what could not be seen until now."""
        self._arrange()
        self._ask()

    def scrollContentsBy(self, dx: int, dy: int) -> None:  # noqa: N802 - Qt's name
        """Follow the scroll bars."""
        self._note_page()
        self._ask()
        self.viewport().update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll; with Ctrl make pages larger or smaller."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_by(1 if event.angleDelta().y() > 0 else -1)
            event.accept()
        else:
            super().wheelEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Turn pages with the keys that people know."""
        bar = self.verticalScrollBar()
        key = event.key()
        if key == Qt.Key.Key_Home:
            bar.setValue(bar.minimum())
        elif key == Qt.Key.Key_End:
            bar.setValue(bar.maximum())
        elif key == Qt.Key.Key_Space:
            bar.triggerAction(bar.SliderAction.SliderPageStepAdd)
        else:
            super().keyPressEvent(event)


def _paint_image(painter: QPainter, rect: QRect, image: QImage) -> None:
    is_as_large = abs(image.width() - rect.width() * painter.device().devicePixelRatioF()) < 2  # noqa: PLR2004 - a rounded pixel
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, not is_as_large)
    painter.drawImage(rect, image)
