"""The line below an answer that failed or ended before its time."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QWidget

from app.chat.values import Message
from app.messages import describe_code
from ui.chat.wording import Wording
from ui.labels import IconLabel, text_label
from ui.notices import translate_message
from ui.theme import Theme

_SIDE_PX = 14
_PADDING_PX = 8


class StateRow(QFrame):
    """A sentence, what can be done, and a button that tries again.

    Signals:
        retry_requested: Try again.
    """

    retry_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._wording = Wording(self)
        self._icon = IconLabel(theme, "info", size_px=18)
        self._text = text_label(wrap=True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._retry = QPushButton(self.tr("Try again"))
        self._retry.clicked.connect(self.retry_requested)
        row = self._row = QHBoxLayout(self)
        row.setSpacing(10)
        row.addWidget(self._icon)
        row.addWidget(self._text, 1)
        row.addWidget(self._retry)

    @property
    def text(self) -> str:
        """The sentence shown."""
        return self._text.text()

    def show_message(self, message: Message, *, can_retry: bool) -> bool:
        """Say how an answer ended; return False where there is nothing to say."""
        is_failed = message.state == "failed"
        if is_failed:
            notice = describe_code(message.error_code, message.error_facts, translate_message)
            text = f"{notice.message} {notice.action}"
        else:
            text = self._wording.ending(message.state)
        self._text.setText(text)
        self._icon.set_icon(*(("warning", "danger") if is_failed else ("info", "muted")))
        self._retry.setVisible(can_retry)
        self.setObjectName("notice" if is_failed else "")
        self.setProperty("kind", "error" if is_failed else "")
        side_px = _SIDE_PX if is_failed else 0
        self._row.setContentsMargins(side_px, _PADDING_PX, side_px, _PADDING_PX)
        self.style().polish(self)
        return bool(text)

    def height_for(self, width_px: int) -> int:
        """Return the height that the sentence needs."""
        return max(self._row.heightForWidth(width_px), self._row.minimumSize().height())
