"""The field in which a question is written."""

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QFontMetrics, QInputMethodEvent, QKeyEvent, QTextOption
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from ui.theme import Theme

_MOST_LINES = 8
_MARGIN_PX = 4
_LONGEST_LINE = 20_000


class MessageInput(QPlainTextEdit):
    """Grows with its text up to eight lines; takes plain text only.

    Signals:
        submitted: Enter was pressed, and not to confirm what an input method proposes.
    """

    submitted = Signal()

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
        """Leave files to the page."""
        return source.hasText() and not any(url.isLocalFile() for url in source.urls())

    def insertFromMimeData(self, source: QMimeData) -> None:  # noqa: N802 - Qt's name
        """Insert plain text; lines of a length that words cannot break are broken anywhere."""
        if not self.canInsertFromMimeData(source):
            return
        text = source.text()
        if any(len(line) > _LONGEST_LINE for line in text.split("\n")):
            self.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
        self.insertPlainText(text)
        self.ensureCursorVisible()
