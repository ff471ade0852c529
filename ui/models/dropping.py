"""Takes model files that are dropped, before the composer takes them for documents."""

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

_SUFFIXES = (".gguf", ".whl")


class ModelDrop(QObject):
    """Watches widgets for drops; other files are left to whoever else wants them.

    Signals:
        dropped: (paths: list[Path]).
    """

    dropped = Signal(list)

    def __init__(self, *widgets: QWidget) -> None:
        super().__init__(widgets[0])
        for widget in widgets:
            widget.setAcceptDrops(True)
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Accept what holds model files, and hand them over when they are dropped."""
        if isinstance(event, QDropEvent) and event.type() in (
            QEvent.Type.DragEnter,
            QEvent.Type.Drop,
        ):
            files = model_files(event)
            if files:
                event.acceptProposedAction()
                if event.type() == QEvent.Type.Drop:
                    self.dropped.emit(files)
                return True
        return super().eventFilter(watched, event)


def model_files(event: QDropEvent) -> list[Path]:
    """Return the model files among what is dragged."""
    paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
    return [path for path in paths if path.suffix.lower() in _SUFFIXES]
