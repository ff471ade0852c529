"""Takes documents that are dropped, wherever on the page that is."""

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget


class FileDrop(QObject):
    """Watches a widget for files that are dragged over it.

    Signals:
        hovered: (is_over: bool): whether files would be dropped here now.
        dropped: (paths: list[Path]).
    """

    hovered = Signal(bool)
    dropped = Signal(list)

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        widget.setAcceptDrops(True)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Accept files, and hand them over when they are dropped."""
        kind = event.type()
        if kind == QEvent.Type.DragLeave:
            self.hovered.emit(False)
        elif kind in (QEvent.Type.DragEnter, QEvent.Type.Drop) and isinstance(event, QDropEvent):
            files = _files(event)
            if files:
                event.acceptProposedAction()
                self.hovered.emit(kind == QEvent.Type.DragEnter)
                if kind == QEvent.Type.Drop:
                    self.dropped.emit(files)
                return True
        return super().eventFilter(watched, event)


def _files(event: QDropEvent) -> list[Path]:
    return [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
