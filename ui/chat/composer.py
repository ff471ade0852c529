"""Where a question is written: the field, the documents beside it, and the button that sends."""

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QFrame,
    QGraphicsDropShadowEffect,
    QHBoxLayout,
    QVBoxLayout,
    QWidget,
)

from ui.buttons import IconButton
from ui.chat.draft_documents import DraftDocuments
from ui.chat.message_input import MessageInput
from ui.labels import ElidedLabel, IconLabel, text_label
from ui.tasks import Tasks
from ui.theme import Theme

LIBRARY_KEYS = "Ctrl+L"
_DRAFT_MS = 250
_SHADOW_ALPHA = {False: 40, True: 110}


class _SendButton(IconButton):
    """A button whose icon can be seen while it cannot be used, too."""

    def changeEvent(self, event: QEvent) -> None:
        """Take the colour that goes with being usable or not."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.EnabledChange:
            self._color = "accent_text" if self.isEnabled() else "muted"
            self._tint()


class _LibraryChip(QFrame):
    """Says that the library is asked.

    Signals:
        close_requested: Ask the model alone again.
    """

    close_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("chip")
        text = self.tr("Asking the library")
        self.setAccessibleName(text)
        close = IconButton(theme, "close", self.tr("Do not ask the library"), size_px=14)
        close.clicked.connect(self.close_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 4, 6, 4)
        row.setSpacing(8)
        row.addWidget(IconLabel(theme, "library", color="accent", size_px=18))
        row.addWidget(text_label(text))
        row.addWidget(close)


class Composer(QFrame):
    """Writes questions; what becomes of them is the page's business.

    Signals:
        submitted: Send what is written.
        stop_requested: Stop the answer that is being written.
        attach_requested: Choose files to attach.
        draft_changed: The text has been another one for a quarter of a second.
        library_toggled: (asks_library: bool): whether the library is asked from now on.
    """

    submitted = Signal()
    stop_requested = Signal()
    attach_requested = Signal()
    draft_changed = Signal(str)
    library_toggled = Signal(bool)

    def __init__(self, theme: Theme, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_running = False
        self._excess_text = ""
        self._cut_text = ""
        self.setObjectName("composer")
        self.documents = DraftDocuments(theme, tasks)
        self.field = MessageInput(theme)
        self._attach = IconButton(theme, "attach", self.tr("Attach files"))
        self._library = IconButton(theme, "library", self.tr("Ask the library"))
        self._library.setToolTip(self.tr("Ask the library ({})").format(LIBRARY_KEYS))
        self._library.setCheckable(True)
        self._library_chip = _LibraryChip(theme)
        self._library_chip.hide()
        self._hint = ElidedLabel("muted")
        self.button = _SendButton(theme, "send", self.tr("Send"), color="accent_text", size_px=20)
        self.button.setProperty("role", "send")
        self._draft_timer = QTimer(self)
        self._draft_timer.setSingleShot(True)
        self._draft_timer.setInterval(_DRAFT_MS)
        self._lay_out()
        self._connect()
        self._cast_shadow()
        self._refresh()

    @property
    def text(self) -> str:
        """What is written."""
        return self.field.toPlainText()

    @property
    def asks_library(self) -> bool:
        """Whether the next question goes to the library."""
        return self._library.isChecked()

    @property
    def hint(self) -> str:
        """What is said below the field."""
        return self._hint.text()

    @property
    def can_send(self) -> bool:
        """Whether there is something to send, and nothing in its way."""
        has_documents = bool(self.documents.attachments) and not self.asks_library
        has_content = bool(self.text.strip()) or has_documents
        return has_content and not self.documents.is_reading and not self._excess_text

    def set_text(self, text: str) -> None:
        """Show another draft."""
        self.field.setPlainText(text)
        self.field.moveCursor(self.field.textCursor().MoveOperation.End)

    def take_out(self, text: str) -> None:
        """Remove a text that was taken; what was written after it stays."""
        if self.text.startswith(text):
            self.set_text(self.text[len(text) :])

    def show_running(self, is_running: bool) -> None:
        """Offer to stop instead of to send."""
        self._is_running = is_running
        self._refresh()

    def ask_library(self, asks: bool) -> None:
        """Let the next questions go to the library, or to the model alone again."""
        self._library.setChecked(asks)

    def offer_library(self, is_offered: bool) -> None:
        """Offer the library where there is one."""
        self._library.setVisible(is_offered)
        if not is_offered:
            self._library.setChecked(False)

    def show_excess(self, text: str) -> None:
        """Say by how much the draft is too long; an empty text takes that back."""
        self._excess_text = text
        self._refresh()

    def show_cut(self, text: str) -> None:
        """Say what sending does to older messages; an empty text takes that back."""
        self._cut_text = text
        self._refresh()

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self._attach)
        row.addWidget(self._library)
        row.addWidget(self._hint, 1)
        row.addWidget(self.button)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 10, 8)
        column.setSpacing(4)
        column.addWidget(self.documents)
        column.addWidget(self._library_chip, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.field)
        column.addLayout(row)
        self.setFocusProxy(self.field)

    def _connect(self) -> None:
        self.field.submitted.connect(self._on_submitted)
        self.field.textChanged.connect(self._on_text_changed)
        self.button.clicked.connect(self._on_button)
        self._attach.clicked.connect(self.attach_requested)
        self._library.toggled.connect(self._on_library_toggled)
        self._library_chip.close_requested.connect(lambda: self.ask_library(False))
        self.documents.changed.connect(self._refresh)
        self._draft_timer.timeout.connect(lambda: self.draft_changed.emit(self.text))
        self._theme.changed.connect(self._cast_shadow)

    def _cast_shadow(self) -> None:
        shadow = QGraphicsDropShadowEffect(self)
        shadow.setBlurRadius(24)
        shadow.setOffset(0, 4)
        shadow.setColor(QColor(0, 0, 0, _SHADOW_ALPHA[self._theme.is_dark]))
        self.setGraphicsEffect(shadow)

    def _on_submitted(self) -> None:
        if self.can_send:
            self.submitted.emit()

    def _on_button(self) -> None:
        if self._is_running:
            self.stop_requested.emit()
        else:
            self._on_submitted()

    def _on_library_toggled(self, asks: bool) -> None:
        self._library_chip.setVisible(asks)
        self._refresh()
        self.field.setFocus()
        self.library_toggled.emit(asks)

    def _on_text_changed(self) -> None:
        self._excess_text = ""
        self._draft_timer.start()
        self._refresh()

    def _refresh(self) -> None:
        self.button.set_icon("stop" if self._is_running else "send")
        self.button.set_name(self.tr("Stop") if self._is_running else self.tr("Send"))
        self.button.setEnabled(self._is_running or self.can_send)
        self._hint.setProperty("role", "danger" if self._excess_text else "muted")
        self._hint.style().polish(self._hint)
        self._hint.setText(self._excess_text or self._keys())

    def _keys(self) -> str:
        if self.documents.is_reading:
            return self.tr("You can send once the documents are read")
        if self._cut_text:
            return self._cut_text
        if self.asks_library and not self._is_running:
            return self.tr("The answer comes from the folders of your library")
        if self._is_running:
            return self.tr("Esc stops · Enter asks next")
        return self.tr("Enter to send · Shift+Enter for a new line")
