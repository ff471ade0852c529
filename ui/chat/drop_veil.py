"""Says, over the whole page, that what is dragged can be dropped there."""

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QLabel, QWidget

_SILENT_MS = 3_000


class DropVeil(QLabel):
    """Lies over a widget while something is dragged; takes no events itself."""

    def __init__(self, place: QWidget) -> None:
        super().__init__(place)
        self.setObjectName("veil")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setText(self.tr("Drop documents or folders to add them"))
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SILENT_MS)
        self._timer.timeout.connect(self.hide)
        self._place = place
        place.installEventFilter(self)
        self.hide()

    def show_over(self, is_over: bool) -> None:
        """Show it, or take it away; without another word it goes by itself.

        A program that ends while something is dragged out of it never says so.
        """
        self.setGeometry(self._place.rect().adjusted(8, 8, -8, -8))
        self.setVisible(is_over)
        self.raise_()
        if is_over:
            self._timer.start()
        else:
            self._timer.stop()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the size of the widget below."""
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(self._place.rect().adjusted(8, 8, -8, -8))
        return False
