"""The bar above the chat where errors and short notices appear: one sentence, one action."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QSize, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.messages import describe
from ui.buttons import IconButton
from ui.choice_row import ChoiceRow
from ui.labels import IconLabel, text_label
from ui.theme import Theme

_NOTICE_MS = 10_000
_CHOICES_LEFT_PX = 28
_LEAST_PX = 240


@dataclass(frozen=True, slots=True)
class Remedy:
    """What the window can do about an error: a button's text, and what it does."""

    text: str
    run: Callable[[], None]


def translate_message(text: str) -> str:
    """Return a sentence of `app.messages` in the window's language."""
    return QCoreApplication.translate("messages", text)


def translate_place(text: str) -> str:
    """Return a text of `app.documents.places` in the window's language."""
    return QCoreApplication.translate("summary", text)


class NoticeBar(QFrame):
    """Shows the newest notice only: older ones are either solved or come again."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._remedies: dict[str, Remedy] = {}
        self._code = ""
        self._buttons: list[QPushButton] = []
        self.setObjectName("notice")
        self.setAccessibleName(self.tr("Notice"))
        self._icon = IconLabel(theme, "info", size_px=18)
        self._text = text_label(wrap=True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        close = IconButton(theme, "close", self.tr("Dismiss"), size_px=16)
        close.clicked.connect(self.dismiss)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.dismiss)
        self._row = QHBoxLayout()
        self._row.setSpacing(10)
        self._row.addWidget(self._icon)
        self._row.addWidget(self._text, 1)
        self._row.addWidget(close)
        self._choices = ChoiceRow(_CHOICES_LEFT_PX)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 8, 8, 8)
        column.setSpacing(8)
        column.addLayout(self._row)
        column.addLayout(self._choices)
        self.hide()

    @property
    def code(self) -> str:
        """The code of the error shown, or empty."""
        return self._code

    @property
    def text(self) -> str:
        """The sentence shown, or empty."""
        return self._text.text() if not self.isHidden() else ""

    def offer(self, code: str, remedy: Remedy) -> None:
        """From now on put this button beside every error with `code`."""
        self._remedies[code] = remedy

    def show_error(self, error: Exception) -> None:
        """Say what happened; where no button can help, the sentence ends with what to do."""
        notice = describe(error, translate_message)
        remedy = self._remedies.get(notice.code)
        text = notice.message if remedy else f"{notice.message} {notice.action}"
        self._show("error", text, (remedy,) if remedy else ())
        self._code = notice.code

    def show_info(self, text: str, remedy: Remedy | None = None) -> None:
        """Say something that needs no answer; it goes by itself after ten seconds."""
        self._show("info", text, (remedy,) if remedy else ())
        self._timer.start(_NOTICE_MS)

    def show_choices(self, text: str, remedies: Sequence[Remedy]) -> None:
        """Say something that waits for a decision, and offer all there are."""
        self._show("warning", text, remedies)

    def dismiss(self) -> None:
        """Take the notice away."""
        self._timer.stop()
        self._code = ""
        self.hide()

    def _show(self, kind: str, text: str, remedies: Sequence[Remedy]) -> None:
        self._timer.stop()
        self._code = ""
        icons = {"error": ("warning", "danger"), "warning": ("warning", "warning")}
        self._icon.set_icon(*icons.get(kind, ("info", "accent")))
        self._text.setText(text)
        self._offer_buttons(remedies)
        self.setProperty("kind", kind)
        self.style().polish(self)
        self.show()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))

    def _offer_buttons(self, remedies: Sequence[Remedy]) -> None:
        """Put one button beside the text, and several below it."""
        for button in self._buttons:
            button.hide()
            button.deleteLater()
        self._buttons = [self._button(remedy) for remedy in remedies]
        is_one = len(self._buttons) == 1
        self._choices.show_buttons(*([] if is_one else self._buttons))
        self._choices.fit(self.width())
        if is_one:
            self._row.insertWidget(2, self._buttons[0])

    def _button(self, remedy: Remedy) -> QPushButton:
        def act() -> None:
            self.dismiss()
            remedy.run()

        button = QPushButton(remedy.text)
        button.setAccessibleName(remedy.text)
        button.clicked.connect(act)
        return button

    def minimumSizeHint(self) -> QSize:
        """Return less than buttons side by side need: they can stand below each other."""
        return QSize(_LEAST_PX, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put several buttons below each other where the window is narrow."""
        super().resizeEvent(event)
        self._choices.fit(event.size().width())
