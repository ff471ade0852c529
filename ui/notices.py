"""The bar above the chat where errors and short notices appear: one sentence, one action."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QWidget

from app.messages import describe
from ui.buttons import IconButton
from ui.labels import IconLabel, text_label
from ui.theme import Theme

_NOTICE_MS = 10_000


@dataclass(frozen=True, slots=True)
class Remedy:
    """What the window can do about an error: a button's text, and what it does."""

    text: str
    run: Callable[[], None]


def translate_message(text: str) -> str:
    """Return a sentence of `app.messages` in the window's language."""
    return QCoreApplication.translate("messages", text)


class NoticeBar(QFrame):
    """Shows the newest notice only: older ones are either solved or come again."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._remedies: dict[str, Remedy] = {}
        self._run: Callable[[], None] | None = None
        self._code = ""
        self.setObjectName("notice")
        self.setAccessibleName(self.tr("Notice"))
        self._icon = IconLabel(theme, "info", size_px=18)
        self._text = text_label(wrap=True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._action = QPushButton()
        self._action.clicked.connect(self._act)
        close = IconButton(theme, "close", self.tr("Dismiss"), size_px=16)
        close.clicked.connect(self.dismiss)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.dismiss)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 8, 8, 8)
        row.setSpacing(10)
        row.addWidget(self._icon)
        row.addWidget(self._text, 1)
        row.addWidget(self._action)
        row.addWidget(close)
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
        self._show("error", text, remedy)
        self._code = notice.code

    def show_info(self, text: str, remedy: Remedy | None = None) -> None:
        """Say something that needs no answer; it goes by itself after ten seconds."""
        self._show("info", text, remedy)
        self._timer.start(_NOTICE_MS)

    def dismiss(self) -> None:
        """Take the notice away."""
        self._timer.stop()
        self._run = None
        self._code = ""
        self.hide()

    def _show(self, kind: str, text: str, remedy: Remedy | None) -> None:
        self._timer.stop()
        self._code = ""
        self._run = remedy.run if remedy else None
        self._icon.set_icon(*(("warning", "danger") if kind == "error" else ("info", "accent")))
        self._text.setText(text)
        self._action.setVisible(remedy is not None)
        if remedy:
            self._action.setText(remedy.text)
            self._action.setAccessibleName(remedy.text)
        self.setProperty("kind", kind)
        self.style().polish(self)
        self.show()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))

    def _act(self) -> None:
        run = self._run
        self.dismiss()
        if run:
            run()
