"""Takes documents that are dropped, wherever on the page that is.

What mail programs and browsers offer is often no file: a promise of one, or an address. Snug
fetches nothing, so it says how to make a file of it.
"""

from pathlib import Path
from typing import Literal

from PySide6.QtCore import QEvent, QMimeData, QObject, Signal
from PySide6.QtGui import QDropEvent, QImage
from PySide6.QtWidgets import QWidget

Unusable = Literal["mail", "web"]

_MAIL_FORMATS = ("filegroupdescriptor", "x-moz-message", "moz-file-promise", "renprivatemessages")
_MAIL_SCHEMES = frozenset({"imap", "imaps", "mailbox", "mailbox-message", "message", "mid"})
_WEB_SCHEMES = frozenset({"http", "https", "ftp"})
_KINDS = (QEvent.Type.DragEnter, QEvent.Type.DragMove, QEvent.Type.Drop)


class FileDrop(QObject):
    """Watches a widget for what is dragged over it.

    Signals:
        hovered: (is_over: bool): whether something would be dropped here now.
        dropped: (paths: list[Path]).
        image_dropped: (image: QImage).
        refused: It was dropped and is no file; an `Unusable`.
    """

    hovered = Signal(bool)
    dropped = Signal(list)
    image_dropped = Signal(object)
    refused = Signal(str)

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        widget.setAcceptDrops(True)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Accept what can be used or explained, and hand it over when it is dropped."""
        kind = event.type()
        if kind == QEvent.Type.DragLeave:
            self.hovered.emit(False)
        elif kind in _KINDS and isinstance(event, QDropEvent):
            data = event.mimeData()
            if _files(data) or data.hasImage() or _unusable(data):
                event.acceptProposedAction()
                self.hovered.emit(kind != QEvent.Type.Drop)
                if kind == QEvent.Type.Drop:
                    self._take(data)
                return True
        return super().eventFilter(watched, event)

    def _take(self, data: QMimeData) -> None:
        files = _files(data)
        image = data.imageData() if data.hasImage() else None
        if files:
            self.dropped.emit(files)
        elif isinstance(image, QImage) and not image.isNull():
            self.image_dropped.emit(image)
        else:
            self.refused.emit(_unusable(data) or "web")


def _files(data: QMimeData) -> list[Path]:
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]


def _unusable(data: QMimeData) -> Unusable | None:
    """Tell what something without a file in it is, where Snug can say how to make one."""
    schemes = {url.scheme().lower() for url in data.urls()}
    formats = " ".join(data.formats()).lower()
    if schemes & _MAIL_SCHEMES or any(each in formats for each in _MAIL_FORMATS):
        return "mail"
    return "web" if schemes & _WEB_SCHEMES else None
