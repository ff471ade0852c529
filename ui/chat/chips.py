"""A document as a chip: in a question on the page, and in the composer."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QWidget

from app.chat.values import Attachment
from app.messages import describe
from ui.buttons import IconButton
from ui.chat.wording import Wording, number
from ui.labels import ElidedLabel, IconLabel
from ui.notices import translate_message
from ui.theme import Theme


class DocumentChip(QFrame):
    """A document that belongs to a question: its name, and what was found in it."""

    def __init__(self, theme: Theme, attachment: Attachment, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chip")
        details = Wording(self).intake(attachment.report)
        self.setAccessibleName(self.tr("Document {}, {}").format(attachment.name, details))
        name, about = ElidedLabel(), ElidedLabel("muted")
        name.setText(attachment.name)
        about.setText(details)
        self.setToolTip(f"{attachment.name}\n{details}")
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 7, 12, 7)
        row.setSpacing(8)
        row.addWidget(IconLabel(theme, "document", color="accent", size_px=18))
        row.addWidget(name)
        row.addWidget(about)


class DraftChip(QFrame):
    """A document on its way into the next question.

    Signals:
        remove_requested: Take it out again, or stop reading it.
        summarize_requested: Summarize it.
    """

    remove_requested = Signal()
    summarize_requested = Signal()

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chip")
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._file = name
        self._icon = IconLabel(theme, "document", color="accent", size_px=18)
        self._name, self._about = ElidedLabel(), ElidedLabel("muted")
        self._name.setText(name)
        self._summarize = QPushButton(self.tr("Summarize"))
        self._summarize.setProperty("role", "link")
        self._summarize.setAccessibleName(self.tr("Summarize {}").format(name))
        self._summarize.clicked.connect(self.summarize_requested)
        self._summarize.hide()
        remove = IconButton(theme, "close", self.tr("Remove {}").format(name), size_px=14)
        remove.clicked.connect(self.remove_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 4, 6, 4)
        row.setSpacing(8)
        for widget in (self._icon, self._name, self._about, self._summarize, remove):
            row.addWidget(widget)
        self.show_progress(0, 0)

    @property
    def details(self) -> str:
        """What is said beside the name."""
        return self._about.text()

    def show_progress(self, done: int, total: int) -> None:
        """Say how much of it has been read."""
        if total:
            text = self.tr("Reading… {} of {}").format(number(done), number(total))
        else:
            text = self.tr("Reading…")
        self._say(text)

    def show_ready(self, attachment: Attachment) -> None:
        """Say what was found in it, and offer a summary."""
        self._say(Wording(self).intake(attachment.report))
        self._summarize.show()

    def show_error(self, error: Exception) -> None:
        """Say why it cannot be used."""
        notice = describe(error, translate_message)
        self._icon.set_icon("warning", "danger")
        self._name.hide()
        self._say(f"{notice.message} {notice.action}")

    def offer_summary(self, is_offered: bool) -> None:
        """Let a summary be asked for, or not while one thing is being sent."""
        self._summarize.setEnabled(is_offered)

    def _say(self, text: str) -> None:
        self._about.setText(text)
        self._about.setToolTip(text)
        self.setAccessibleName(f"{self._file}, {text}")
        self.setLayoutDirection(self.layoutDirection())
        self._about.setAlignment(Qt.AlignmentFlag.AlignVCenter)
