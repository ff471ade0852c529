"""Small pictures of all pages, to jump by; only those in sight are drawn."""

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QImage, QPainter, QPalette, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from ui.documents.page_layout import POINTS_AN_INCH
from ui.documents.renders import Drawn, PageRenders, Size, Wanted
from ui.theme import Theme

_SIDE_PX = 84
_FOOT_PX = 18
_PAD_PX = 8
_RING_PX = 2
_MOST_KEPT = 400
_NO_PARENT = QModelIndex()


class _Pages(QAbstractListModel):
    """The pages of a document by their numbers, and the small pictures that are there."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.sizes: tuple[Size, ...] = ()
        self.images: dict[int, QImage] = {}

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self.sizes)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self.tr("Page {}").format(index.row() + 1)
        if role == Qt.ItemDataRole.DecorationRole:
            return self.images.get(index.row() + 1)
        return None

    def reset(self, sizes: tuple[Size, ...]) -> None:
        self.beginResetModel()
        self.sizes = sizes
        self.images = {}
        self.endResetModel()

    def take(self, number: int, image: QImage) -> None:
        self.images[number] = image
        at = self.index(number - 1)
        self.dataChanged.emit(at, at)


class _Painter(QStyledItemDelegate):
    """Paints paper, what is on it, and the page's number below."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        area: QRect = option.rect
        state: QStyle.StateFlag = option.state
        palette: QPalette = option.palette
        model = index.model()
        assert isinstance(model, _Pages)  # noqa: S101 - the view has no other
        paper = _paper(area, model.sizes[index.row()])
        is_chosen = bool(state & QStyle.StateFlag.State_Selected)
        ring = self._theme.color("accent" if is_chosen else "border")
        width_px = _RING_PX if is_chosen else 1
        painter.fillRect(paper.adjusted(-width_px, -width_px, width_px, width_px), ring)
        painter.fillRect(paper, self._theme.color("paper"))
        image = index.data(Qt.ItemDataRole.DecorationRole)
        if isinstance(image, QImage):
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(paper, image)
        foot = QRect(area.left(), area.bottom() - _FOOT_PX, area.width(), _FOOT_PX)
        painter.setFont(self._theme.font("small"))
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        painter.drawText(foot, Qt.AlignmentFlag.AlignCenter, str(index.row() + 1))

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(_SIDE_PX + 2 * _PAD_PX, _SIDE_PX + _FOOT_PX + 2 * _PAD_PX)


class Thumbnails(QListView):
    """A strip of small pages.

    Signals:
        page_chosen: Show this page; its number.
    """

    page_chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._renders: PageRenders | None = None
        self._pages = _Pages(self)
        self._follows = False
        self.setObjectName("thumbnails")
        self.setModel(self._pages)
        self.setItemDelegate(_Painter(theme, self))
        self.setUniformItemSizes(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFixedWidth(_SIDE_PX + 2 * _PAD_PX + 14)
        self.setAccessibleName(self.tr("Small pages"))
        self.verticalScrollBar().valueChanged.connect(self._ask)
        self.selectionModel().currentChanged.connect(self._on_current)
        theme.changed.connect(self.viewport().update)

    def show_pages(self, renders: PageRenders, sizes: tuple[Size, ...]) -> None:
        """Show another document."""
        self.clear()
        self._renders = renders
        self._pages.reset(sizes)
        renders.drawn.connect(self._take)
        self.follow(1)
        self._ask()

    def clear(self) -> None:
        """Show nothing."""
        if self._renders is not None:
            self._renders.drawn.disconnect(self._take)
        self._renders = None
        self._pages.reset(())

    def follow(self, number: int) -> None:
        """Choose the page that is looked at."""
        at = self._pages.index(number - 1)
        if at.isValid() and at != self.currentIndex():
            self._follows = True
            self.setCurrentIndex(at)
            self._follows = False

    def _on_current(self, current: QModelIndex) -> None:
        if current.isValid() and not self._follows:
            self.page_chosen.emit(current.row() + 1)

    def _ask(self) -> None:
        if self._renders is None:
            return
        wanted: list[Wanted] = []
        if self.isVisible() and self._pages.sizes:
            row_px = max(1, self.sizeHintForRow(0))
            top_px = self.verticalScrollBar().value()
            first = top_px // row_px
            last = min(len(self._pages.sizes), (top_px + self.viewport().height()) // row_px + 1)
            numbers = range(first + 1, last + 1)
            wanted = [self._wanted(one) for one in numbers if one not in self._pages.images]
        self._renders.want("thumbnails", wanted)

    def _wanted(self, number: int) -> Wanted:
        longest_pt = max(1.0, *self._pages.sizes[number - 1])
        dpi = _SIDE_PX * POINTS_AN_INCH / longest_pt * self.devicePixelRatioF()
        return Wanted(number, round(dpi, 1))

    def _take(self, drawn: Drawn) -> None:
        number = drawn.wanted.number
        if number <= len(self._pages.sizes) and drawn.wanted == self._wanted(number):
            if len(self._pages.images) >= _MOST_KEPT and self._renders is not None:
                oldest = next(iter(self._pages.images))
                del self._pages.images[oldest]
                self._renders.forget(self._wanted(oldest))
            self._pages.take(number, drawn.image)

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for what is in sight."""
        super().showEvent(event)
        self._ask()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for what has come into sight."""
        super().resizeEvent(event)
        self._ask()


def _paper(area: QRect, size: Size) -> QRect:
    """Return where the paper lies: the longer edge has always the same length."""
    longest = max(1.0, *size)
    width, height = (max(1, round(_SIDE_PX * edge / longest)) for edge in size)
    left = area.left() + (area.width() - width) // 2
    return QRect(left, area.top() + _PAD_PX + (_SIDE_PX - height) // 2, width, height)
