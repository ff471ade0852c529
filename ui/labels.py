"""Labels: icons beside a text, plain text in a role's look, and text that gives way."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from ui.theme import Theme

_LEAST_CHARACTERS = 4


class IconLabel(QLabel):
    """An icon beside a text that already says what it means, so screen readers skip it."""

    def __init__(
        self,
        theme: Theme,
        icon: str,
        *,
        color: str = "muted",
        size_px: int = 16,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon = icon
        self._color = color
        self._size_px = size_px
        self.setFixedSize(size_px, size_px)
        self._tint()
        theme.changed.connect(self._tint)

    def set_icon(self, icon: str, color: str) -> None:
        """Show another icon, or the same one in another colour."""
        self._icon, self._color = icon, color
        self._tint()

    def _tint(self) -> None:
        icon = self._theme.icon(self._icon, self._color, self._size_px)
        self.setPixmap(icon.pixmap(QSize(self._size_px, self._size_px), self.devicePixelRatioF()))


def text_label(text: str = "", role: str = "", *, wrap: bool = False) -> QLabel:
    """Return a label that shows `text` as it is, never as markup, in the look of `role`."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(wrap)
    if role:
        label.setProperty("role", role)
    return label


class ElidedLabel(QLabel):
    """One line that ends in an ellipsis where there is too little room."""

    def __init__(self, role: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        if role:
            self.setProperty("role", role)

    def minimumSizeHint(self) -> QSize:
        """Return room for a few characters, so that a long text never widens the window."""
        width_px = self.fontMetrics().averageCharWidth() * _LEAST_CHARACTERS
        return QSize(width_px, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what fits."""
        painter = QPainter(self)
        shown = self.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideRight, self.width()
        )
        align = int(self.alignment() | Qt.AlignmentFlag.AlignVCenter)
        role = QPalette.ColorRole.WindowText
        rect = self.contentsRect()
        self.style().drawItemText(
            painter, rect, align, self.palette(), self.isEnabled(), shown, role
        )
