"""The line below an answer that failed or ended before its time."""

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.chat.values import Message
from app.errors import ContextFull
from app.messages import describe_code
from ui.chat.wording import Wording
from ui.choice_row import ChoiceRow
from ui.labels import IconLabel, text_label
from ui.notices import translate_message
from ui.theme import Theme

_SIDE_PX = 14
_PADDING_PX = 8
_CHOICES_LEFT_PX = 28


class StateRow(QFrame):
    """A sentence, what can be done, and the buttons that do it.

    Signals:
        retry_requested: Try again.
        continue_requested: Go on where the answer ended.
        overflow_chosen: What to do with older messages; an `Overflow`.
    """

    retry_requested = Signal()
    continue_requested = Signal()
    overflow_chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._wording = Wording(self)
        self._icon = IconLabel(theme, "info", size_px=18)
        self._text = text_label(wrap=True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._retry = _button(self.tr("Try again"), self.retry_requested.emit)
        self._continue = _button(self.tr("Continue"), self.continue_requested.emit)
        self._summarize = _button(
            self.tr("Summarize older messages"), lambda: self.overflow_chosen.emit("summarize")
        )
        self._drop = _button(
            self.tr("Drop older messages"), lambda: self.overflow_chosen.emit("drop")
        )
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addWidget(self._icon)
        row.addWidget(self._text, 1)
        row.addWidget(self._continue)
        row.addWidget(self._retry)
        self._choices = ChoiceRow(_CHOICES_LEFT_PX)
        self._column = QVBoxLayout(self)
        self._column.setSpacing(8)
        self._column.addLayout(row)

    @property
    def text(self) -> str:
        """The sentence shown."""
        return self._text.text()

    def show_message(self, message: Message, *, is_last: bool) -> bool:
        """Say how an answer ended; return False where there is nothing to say.

        Only the last answer can be had again or go on.
        """
        is_failed = message.state == "failed"
        is_full = is_failed and message.error_code == ContextFull.code
        if is_failed:
            notice = describe_code(message.error_code, message.error_facts, translate_message)
            text = f"{notice.message} {notice.action}"
        else:
            text = self._wording.ending(message.state)
        self._text.setText(text)
        kind = "" if not is_failed else "warning" if is_full else "error"
        colors = {"error": "danger", "warning": "warning"}
        self._icon.set_icon("warning" if kind else "info", colors.get(kind, "muted"))
        self._retry.setVisible(is_last and not is_full and message.state != "length")
        self._continue.setVisible(is_last and message.can_go_on)
        self._offer_choices(is_offered=is_last and is_full)
        self.setObjectName("notice" if is_failed else "")
        self.setProperty("kind", kind)
        side_px = _SIDE_PX if is_failed else 0
        self._column.setContentsMargins(side_px, _PADDING_PX, side_px, _PADDING_PX)
        self.style().polish(self)
        return bool(text)

    def _offer_choices(self, *, is_offered: bool) -> None:
        """Put them below the sentence; a line of hidden ones would take its room all the same."""
        choices = (self._summarize, self._drop)
        for button in choices:
            button.setVisible(is_offered)
        if is_offered:
            self._choices.show_buttons(*choices)
            self._column.addLayout(self._choices)
        else:
            self._column.removeItem(self._choices)

    def height_for(self, width_px: int) -> int:
        """Return the height that the sentence and the buttons need."""
        self._choices.fit(width_px - 2 * _SIDE_PX)
        return max(self._column.heightForWidth(width_px), self._column.minimumSize().height())


def _button(text: str, run: Callable[[], None]) -> QPushButton:
    button = QPushButton(text)
    button.clicked.connect(run)
    button.hide()
    return button
