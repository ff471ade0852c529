"""Asks for the passwords of locked documents, one after the other."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from ui.chat.draft_documents import DraftDocument, DraftDocuments
from ui.chat.password_dialog import PasswordDialog


class Unlocking(QObject):
    """Opens one dialog at a time; a document that went in the meantime is not asked for.

    Signals:
        opened: A dialog is there; the dialog.
    """

    opened = Signal(object)

    def __init__(self, documents: DraftDocuments, window: QWidget) -> None:
        super().__init__(window)
        self._documents = documents
        self._window = window
        self._waiting: list[DraftDocument] = []
        self._dialog: PasswordDialog | None = None
        documents.locked.connect(self._on_locked)

    def _on_locked(self, document: DraftDocument) -> None:
        if document not in self._waiting:
            self._waiting.append(document)
        self._ask()

    def _ask(self) -> None:
        if self._dialog is not None or not self._waiting:
            return
        document = self._waiting.pop(0)
        if document not in self._documents.documents or document.error is None:
            self._ask()
            return
        is_wrong = bool(getattr(document.error, "facts", {}).get("wrong"))
        dialog = PasswordDialog(document.path.name, is_wrong=is_wrong, parent=self._window)
        self._dialog = dialog
        dialog.given.connect(lambda password: self._documents.retry(document, password))
        dialog.finished.connect(self._on_finished)
        dialog.open()
        self.opened.emit(dialog)

    def _on_finished(self) -> None:
        self._dialog = None
        self._ask()
