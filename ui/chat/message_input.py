"""The field in which a question is written."""

from pathlib import Path

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragMoveEvent,
    QFontMetrics,
    QImage,
    QInputMethodEvent,
    QKeyEvent,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from ui.theme import Theme

_MOST_LINES = 8
_MARGIN_PX = 4
_LONGEST_LINE = 20_000


class MessageInput(QPlainTextEdit):
    """Grows with its text up to eight lines; takes plain text only.

    Signals:
        submitted: Enter was pressed, and not to confirm what an input method proposes.
        files_pasted: (paths: list[Path]).
        image_pasted: (image: QImage).
    """

    submitted = Signal()
    files_pasted = Signal(list)
    image_pasted = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_composing = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setPlaceholderText(self.tr("Message the model, or drop files here"))
        self.setAccessibleName(self.tr("Message"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(_MARGIN_PX)
        self.textChanged.connect(self._grow)
        theme.changed.connect(self._dress)
        self._dress()

    def _dress(self) -> None:
        self.setFont(self._theme.font())
        self._grow()

    def _grow(self) -> None:
        line_px = QFontMetrics(self.font()).lineSpacing()
        lines = min(_MOST_LINES, self._line_count())
        # Fewer lines always fit, but the layout comes later and would show a bar until then.
        is_full = lines == _MOST_LINES
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(
            policy.ScrollBarAsNeeded if is_full else policy.ScrollBarAlwaysOff
        )
        self.setFixedHeight(lines * line_px + 2 * _MARGIN_PX + 2)

    def _line_count(self) -> int:
        """Count the lines as they are broken; never more of them than matter."""
        count = 0
        block = self.document().firstBlock()
        while block.isValid() and count < _MOST_LINES:
            if block.length() > _LONGEST_LINE:
                return _MOST_LINES
            self.blockBoundingRect(block)
            count += max(1, block.layout().lineCount())
            block = block.next()
        return count

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Submit with Enter; with Shift it begins a new line."""
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if not is_enter:
            super().keyPressEvent(event)
        elif self._is_composing:
            event.ignore()
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.textCursor().insertBlock()
            self.ensureCursorVisible()
        else:
            self.submitted.emit()

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Note whether an input method is still proposing."""
        self._is_composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:  # noqa: N802 - Qt's name
        """Take text, and of the clipboard files and pictures too; what is dropped is the page's."""
        return bool(_files(source)) or source.hasText() or source.hasImage()

    def insertFromMimeData(self, source: QMimeData) -> None:  # noqa: N802 - Qt's name
        """Insert plain text; lines of a length that words cannot break are broken anywhere."""
        files = _files(source)
        if files:
            self.files_pasted.emit(files)
            return
        # Spreadsheets put a picture of the cells beside their text.
        if source.hasImage() and not source.text().strip():
            image = source.imageData()
            if isinstance(image, QImage) and not image.isNull():
                self.image_pasted.emit(image)
            return
        text = source.text()
        if any(len(line) > _LONGEST_LINE for line in text.split("\n")):
            self.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
        self.insertPlainText(text)
        self.ensureCursorVisible()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take text that is dragged; the page takes everything else."""
        if _is_text(event.mimeData()):
            super().dragEnterEvent(event)
        else:
            event.ignore()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Take text that is dragged; the page takes everything else."""
        if _is_text(event.mimeData()):
            super().dragMoveEvent(event)
        else:
            event.ignore()


def _is_text(data: QMimeData) -> bool:
    return data.hasText() and not data.hasUrls() and not data.hasImage()


def _files(data: QMimeData) -> list[Path]:
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
