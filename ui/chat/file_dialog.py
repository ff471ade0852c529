"""Chooses the documents for the next question."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

_PATTERNS = " ".join(
    f"*.{ending}"
    for ending in (
        *("pdf", "docx", "doc", "odt", "rtf", "pptx", "ppt", "odp", "xlsx", "xls", "ods", "csv"),
        *("html", "htm", "epub", "eml", "msg", "zip", "png", "jpg", "jpeg", "tif", "tiff"),
        *("heic", "webp", "gif", "bmp", "txt", "md", "markdown"),
    )
)


def choose_documents(parent: QWidget, on_chosen: Callable[[list[Path]], None]) -> None:
    """Open the system's dialog and return at once; `on_chosen` gets what is chosen, if anything."""
    translate = QCoreApplication.translate
    dialog = QFileDialog(parent, translate("file_dialog", "Attach documents"))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    dialog.setNameFilters(
        [
            f"{translate('file_dialog', 'Documents')} ({_PATTERNS})",
            translate("file_dialog", "All files (*)"),
        ]
    )
    dialog.filesSelected.connect(lambda names: on_chosen([Path(name) for name in names]))
    dialog.open()
