"""The widgets of one answer's segments, one below the other."""

from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from ui.chat.code import CodeSegment
from ui.chat.look import Look
from ui.chat.prose import ProseSegment
from ui.chat.reading_place import Block
from ui.chat.table import TableSegment
from ui.markdown.values import Segment

GAP_PX = 12

SegmentWidget = ProseSegment | TableSegment | CodeSegment


class SegmentStack(QObject):
    """Shows segments with as few changes as there are; owned by the widget it puts them in."""

    def __init__(self, look: Look, parent: QWidget, on_link: Callable[[str], None]) -> None:
        super().__init__(parent)
        self._look = look
        self._place = parent
        self._on_link = on_link
        self._shown: list[Segment] = []
        self._heights_px: list[int] = []
        self._width_px = 0
        self.widgets: list[SegmentWidget] = []

    def show(self, segments: Sequence[Segment]) -> None:
        """Show these segments; the widget of one that is the same as before is left alone."""
        while len(self.widgets) > len(segments):
            self._drop(len(self.widgets) - 1)
        for at, segment in enumerate(segments):
            if at < len(self._shown) and self._shown[at] == segment:
                continue
            if at < len(self._shown) and self._shown[at].kind != segment.kind:
                self._drop(at)
                self._insert(at, segment)
            elif at == len(self._shown):
                self._insert(at, segment)
            self._fill(self.widgets[at], segment)
            self._shown[at] = segment
            self._heights_px[at] = 0

    def lay_out(self, left_px: int, top_px: int, width_px: int) -> int:
        """Put the widgets in their places; return where the last one ends."""
        if width_px != self._width_px:
            self._width_px = width_px
            self._heights_px = [0] * len(self.widgets)
        bottom_px = top_px
        for at, widget in enumerate(self.widgets):
            top_px = bottom_px + (GAP_PX if at else 0)
            height_px = self._heights_px[at] = self._heights_px[at] or widget.lay_out(width_px)
            widget.setGeometry(left_px, top_px, width_px, height_px)
            bottom_px = top_px + height_px
        return bottom_px

    def dress(self) -> None:
        """Take the colours and fonts that are in force now."""
        for widget in self.widgets:
            widget.dress()
        self._heights_px = [0] * len(self.widgets)

    def has_selection(self) -> bool:
        """Whether anything is selected."""
        return any(widget.has_selection() for widget in self.widgets)

    def blocks(self) -> Iterator[Block]:
        """Return what the segments consist of, from the top down."""
        for widget in self.widgets:
            if isinstance(widget, ProseSegment):
                for text, top_px in widget.blocks():
                    yield Block(text, widget.y() + top_px)
            else:
                yield Block(widget.text, widget.y())

    def last_prose(self) -> ProseSegment | None:
        """Return the last widget where it is prose."""
        last = self.widgets[-1] if self.widgets else None
        return last if isinstance(last, ProseSegment) else None

    def _insert(self, at: int, segment: Segment) -> None:
        widget = self._make(segment)
        self.widgets.insert(at, widget)
        self._shown.insert(at, segment)
        self._heights_px.insert(at, 0)
        widget.setVisible(True)

    def _drop(self, at: int) -> None:
        widget = self.widgets.pop(at)
        del self._shown[at], self._heights_px[at]
        widget.hide()
        widget.deleteLater()

    def _make(self, segment: Segment) -> SegmentWidget:
        if segment.kind == "code":
            return CodeSegment(self._look, self._place)
        prose: ProseSegment | TableSegment
        if segment.kind == "table":
            prose = TableSegment(self._look, self._place)
        else:
            prose = ProseSegment(self._look, self._place)
        prose.link_activated.connect(self._on_link)
        prose.setAccessibleName(self.tr("Message text"))
        return prose

    def _fill(self, widget: SegmentWidget, segment: Segment) -> None:
        if isinstance(widget, CodeSegment):
            widget.show_segment(segment)
        elif segment.kind == "plain":
            widget.show_plain(segment.text)
        else:
            widget.show_html(segment.html)
