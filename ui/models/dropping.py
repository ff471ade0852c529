"""Takes model files that are dropped, before the composer takes them for documents."""

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

_SUFFIXES = (".gguf", ".whl", ".snugpack")


class ModelDrop(QObject):
    """Watches widgets for drops; other files are left to whoever else wants them.

    Args:
        widgets: What is watched.
        takes_all: Take whatever is dropped, folders too, as on the page of the models: what it is
            tells whoever adds it, and not this thread, which must not wait for a disk.

    Signals:
        dropped: (paths: list[Path]).
    """

    dropped = Signal(list)

    def __init__(self, *widgets: QWidget, takes_all: bool = False) -> None:
        super().__init__(widgets[0])
        self._takes_all = takes_all
        for widget in widgets:
            widget.setAcceptDrops(True)
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Accept what holds model files, and hand them over when they are dropped."""
        if isinstance(event, QDropEvent) and event.type() in (
            QEvent.Type.DragEnter,
            QEvent.Type.Drop,
        ):
            files = model_files(event, takes_all=self._takes_all)
            if files:
                event.acceptProposedAction()
                if event.type() == QEvent.Type.Drop:
                    self.dropped.emit(files)
                return True
        return super().eventFilter(watched, event)


def model_files(event: QDropEvent, *, takes_all: bool = False) -> list[Path]:
    """Return the model files among what is dragged, told by their names, or all of it."""
    paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
    return [path for path in paths if takes_all or path.suffix.lower() in _SUFFIXES]
