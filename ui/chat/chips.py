"""A document as a chip: in a question on the page, and in the composer."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QWidget

from app.chat.values import Attachment
from app.errors import DocumentLocked
from app.messages import describe
from ui.buttons import IconButton
from ui.chat.wording import Wording
from ui.labels import ElidedLabel, IconLabel
from ui.notices import translate_message
from ui.theme import Theme


class DocumentChip(QFrame):
    """A document that belongs to a question: its name, and what was found in it.

    Signals:
        activated: Show it.
    """

    activated = Signal()

    def __init__(self, theme: Theme, attachment: Attachment, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chip")
        details = Wording(self).intake(attachment.report)
        self.setAccessibleName(self.tr("Document {}, {}").format(attachment.name, details))
        name, about = ElidedLabel(), ElidedLabel("muted")
        name.setText(attachment.name)
        about.setText(details)
        self.setToolTip(f"{attachment.name}\n{details}")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        show = IconButton(
            theme, "document", self.tr("Open {}").format(attachment.name), color="accent"
        )
        show.clicked.connect(self.activated)
        row = QHBoxLayout(self)
        row.setContentsMargins(6, 3, 12, 3)
        row.setSpacing(6)
        row.addWidget(show)
        row.addWidget(name)
        row.addWidget(about)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Take the whole chip for a button."""
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.pos()):
            self.activated.emit()


class DraftChip(QFrame):
    """A document on its way into the next question.

    Signals:
        remove_requested: Take it out again, or stop reading it.
        summarize_requested: Summarize it.
        options_requested: Choose how it is summarized; the button to open a menu below.
        unlock_requested: Enter its password.
        open_requested: Show its pages.
    """

    remove_requested = Signal()
    summarize_requested = Signal()
    options_requested = Signal(object)
    unlock_requested = Signal()
    open_requested = Signal()

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chip")
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._file = name
        self._icon = IconLabel(theme, "document", color="accent", size_px=18)
        self._open = IconButton(theme, "document", self.tr("Open {}").format(name), color="accent")
        self._open.clicked.connect(self.open_requested)
        self._name, self._about = ElidedLabel(), ElidedLabel("muted")
        self._name.setText(name)
        self._summarize = QPushButton(self.tr("Summarize"))
        self._summarize.setProperty("role", "link")
        self._summarize.setAccessibleName(self.tr("Summarize {}").format(name))
        self._summarize.clicked.connect(self.summarize_requested)
        self._summarize.hide()
        self._options = IconButton(
            theme, "down", self.tr("How {} is summarized").format(name), size_px=14
        )
        self._options.clicked.connect(lambda: self.options_requested.emit(self._options))
        self._unlock = QPushButton(self.tr("Enter password…"))
        self._unlock.setProperty("role", "link")
        self._unlock.setAccessibleName(self.tr("Enter the password of {}").format(name))
        self._unlock.clicked.connect(self.unlock_requested)
        self._options.hide()
        self._open.hide()
        self._unlock.hide()
        remove = IconButton(theme, "close", self.tr("Remove {}").format(name), size_px=14)
        remove.clicked.connect(self.remove_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 4, 6, 4)
        row.setSpacing(8)
        row.addWidget(self._open)
        for label in (self._icon, self._name, self._about):
            row.addWidget(label)
        for button in (self._summarize, self._options, self._unlock, remove):
            row.addWidget(button)

    @property
    def details(self) -> str:
        """What is said beside the name."""
        return self._about.text()

    def show_progress(self, text: str) -> None:
        """Say how much of it has been read."""
        self._icon.set_icon("document", "accent")
        self._name.show()
        self._unlock.hide()
        self._say(text)

    def show_ready(self, attachment: Attachment) -> None:
        """Say what was found in it, and offer a summary."""
        self._say(Wording(self).intake(attachment.report))
        self._icon.hide()
        self._open.show()
        self._summarize.show()
        self._options.show()

    def show_error(self, error: Exception) -> None:
        """Say why it cannot be used."""
        notice = describe(error, translate_message)
        self._icon.set_icon("warning", "danger")
        self._name.hide()
        is_locked = isinstance(error, DocumentLocked)
        self._unlock.setVisible(is_locked)
        self._say(notice.message if is_locked else f"{notice.message} {notice.action}")

    def offer_summary(self, is_offered: bool) -> None:
        """Let a summary be asked for, or not while one thing is being sent."""
        self._summarize.setEnabled(is_offered)
        self._options.setEnabled(is_offered)

    def _say(self, text: str) -> None:
        self._about.setText(text)
        self._about.setToolTip(text)
        self.setAccessibleName(f"{self._file}, {text}")
        self.setLayoutDirection(self.layoutDirection())
        self._about.setAlignment(Qt.AlignmentFlag.AlignVCenter)
