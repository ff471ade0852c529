"""The pages of the window, one of them shown, and the title that goes with it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from ui.header import Header
from ui.labels import text_label


class Pages(QStackedWidget):
    """The chat, the models and the library.

    Signals:
        titled: (title): what the window is about now; empty where it is nothing special.
    """

    titled = Signal(str)

    def __init__(self, header: Header, chat: QWidget, models: QWidget, library: QWidget) -> None:
        super().__init__()
        self._header = header
        self._models = models
        self._library = library
        self._chat = _with_warning(chat, self.tr("Answers can be wrong. Check what matters."))
        self._title = ""
        self.addWidget(self._chat)
        self.addWidget(models)
        self.addWidget(library)

    def show_chat(self) -> None:
        """Show the open conversation."""
        self.setCurrentWidget(self._chat)
        self.show_title(self._title)

    def show_models(self) -> None:
        """Show what can be installed."""
        self.setCurrentWidget(self._models)
        self._header.show_title("", self.tr("Models"))

    def show_library(self) -> None:
        """Show the folders that are kept ready for questions."""
        self.setCurrentWidget(self._library)
        self._header.show_title("", self.tr("Library"))

    @property
    def has_documents_beside(self) -> bool:
        """Whether documents can be shown beside what is shown."""
        return self.currentWidget() is not self._models

    def show_title(self, title: str) -> None:
        """Take the title of the open conversation, and show it with the chat."""
        self._title = title
        if self.currentWidget() is self._chat:
            self._header.show_title(title)
            self.titled.emit(title)


def _with_warning(page: QWidget, text: str) -> QWidget:
    warning = text_label(text, "muted")
    warning.setAlignment(Qt.AlignmentFlag.AlignCenter)
    warning.setContentsMargins(24, 0, 24, 8)
    chat = QWidget()
    chat.setObjectName("chat")
    column = QVBoxLayout(chat)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addWidget(page, 1)
    column.addWidget(warning)
    return chat
