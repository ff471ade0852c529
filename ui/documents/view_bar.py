"""The two lines above the pages: which document it is, and which page and how large."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.documents.values import Unit
from ui.buttons import IconButton
from ui.chat.wording import number
from ui.labels import ElidedLabel, text_label
from ui.theme import Theme

_FIELD_PX = 52


class ViewBar(QWidget):
    """Says what is shown and asks for something else.

    Signals:
        left: Back to the list of documents.
        page_wanted: (number).
        stepped: (by: int): zoom in (1) or out (-1).
        fit_wanted: Make pages as wide as the window.
        thumbnails_wanted: (is_shown).
        search_wanted: Search in the document.
    """

    left = Signal()
    page_wanted = Signal(int)
    stepped = Signal(int)
    fit_wanted = Signal()
    thumbnails_wanted = Signal(bool)
    search_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._count = 0
        self._back = IconButton(theme, "left", self.tr("Back to the documents"))
        self._name = ElidedLabel("title")
        self._search = IconButton(theme, "search", self.tr("Search in the document"))
        self._search.setToolTip(self.tr("Search in the document (Ctrl+F)"))
        self._thumbnails = IconButton(theme, "grid", self.tr("Small pages"))
        self._thumbnails.setCheckable(True)
        self.field = QLineEdit()
        self.field.setFixedWidth(_FIELD_PX)
        self.field.setProperty("role", "small")
        self.field.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.field.setAccessibleName(self.tr("Page"))
        self._of = text_label("", "muted")
        self._previous = IconButton(theme, "up", self.tr("Page before"), size_px=16)
        self._next = IconButton(theme, "down", self.tr("Next page"), size_px=16)
        self._smaller = IconButton(theme, "minus", self.tr("Smaller"), size_px=16)
        self._larger = IconButton(theme, "plus", self.tr("Larger"), size_px=16)
        self._zoom = QPushButton()
        self._zoom.setProperty("role", "small")
        self._zoom.setToolTip(self.tr("As wide as the window (Ctrl+0)"))
        self._zoom.clicked.connect(self.fit_wanted)
        self._connect()
        self._lay_out()
        self.show_zoom(1.0)

    def show_document(self, name: str, unit: Unit, count: int) -> None:
        """Say which document it is; a count of 0 is not known yet."""
        self._count = count
        self._name.setText(name)
        self._name.setToolTip(name)
        self.field.setValidator(QIntValidator(1, max(1, count), self.field))
        self.field.setAccessibleName(self._unit(unit))
        self.field.setEnabled(count > 1)
        self._of.setText(self.tr("of {}").format(number(count)) if count else "")
        self.show_page(1)

    def show_page(self, page: int) -> None:
        """Say which page is looked at."""
        self.field.setText(str(page))
        self._previous.setEnabled(page > 1)
        self._next.setEnabled(page < self._count)

    def show_zoom(self, zoom: float) -> None:
        """Say how large pages are."""
        percent = self.tr("{} %").format(number(round(zoom * 100)))
        self._zoom.setText(percent)
        self._zoom.setAccessibleName(
            self.tr("Size {}; make it as wide as the window").format(percent)
        )

    def offer_look(self, is_offered: bool) -> None:
        """Offer what only pictures of pages have: sizes, and small pages."""
        for widget in (self._smaller, self._zoom, self._larger, self._thumbnails):
            widget.setVisible(is_offered)

    def check_thumbnails(self, is_shown: bool) -> None:
        """Say whether small pages are shown."""
        self._thumbnails.setChecked(is_shown)

    def _unit(self, unit: Unit) -> str:
        match unit:
            case "slide":
                return self.tr("Slide")
            case "sheet":
                return self.tr("Sheet")
            case "page" | "image":
                return self.tr("Page")
        return self.tr("Section")

    def _connect(self) -> None:
        self._back.clicked.connect(self.left)
        self._search.clicked.connect(self.search_wanted)
        self._thumbnails.clicked.connect(self.thumbnails_wanted)
        self._smaller.clicked.connect(lambda: self.stepped.emit(-1))
        self._larger.clicked.connect(lambda: self.stepped.emit(1))
        self._previous.clicked.connect(lambda: self._step_page(-1))
        self._next.clicked.connect(lambda: self._step_page(1))
        self.field.returnPressed.connect(lambda: self.page_wanted.emit(self._entered()))

    def _step_page(self, by: int) -> None:
        self.page_wanted.emit(self._entered() + by)

    def _entered(self) -> int:
        return int(self.field.text() or 1)

    def _lay_out(self) -> None:
        first = QHBoxLayout()
        first.setSpacing(4)
        first.addWidget(self._back)
        first.addWidget(self._name, 1)
        first.addWidget(self._search)
        first.addWidget(self._thumbnails)
        second = QHBoxLayout()
        second.setSpacing(2)
        second.addWidget(self._previous)
        second.addWidget(self._next)
        second.addSpacing(4)
        second.addWidget(self.field)
        second.addSpacing(4)
        second.addWidget(self._of)
        second.addStretch(1)
        for widget in (self._smaller, self._zoom, self._larger):
            second.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 6)
        column.setSpacing(4)
        column.addLayout(first)
        column.addLayout(second)
