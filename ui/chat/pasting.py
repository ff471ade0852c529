"""Pictures from the clipboard become files for as long as the window is open.

The file is what the reader's process opens and what the viewer shows. It lies in Snug's own folder,
for the owner's eyes only, and goes when the window is closed, or at the next start after a crash.
"""

import os
import shutil
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QObject
from PySide6.QtGui import QImage

from app.errors import StoreReadOnly
from ui.tasks import Tasks


class PastedImages(QObject):
    """Writes pictures beside the event loop; `clear` may be called from any thread."""

    def __init__(self, folder: Path, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = folder
        self._tasks = tasks
        self._is_clean = False

    def keep(
        self, image: QImage, done: Callable[[Path], None], failed: Callable[[Exception], None]
    ) -> None:
        """Write a picture and say where it is, or why that was not possible."""
        name = self.tr("Screenshot {}").format(f"{datetime.now():%Y-%m-%d %H.%M.%S}")
        self._tasks.start(lambda: self._write(image, name), done, failed, self)

    def clear(self) -> None:
        """Remove what was written."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _write(self, image: QImage, name: str) -> Path:
        if not self._is_clean:
            self._is_clean = True
            self.clear()
        data = QByteArray()
        buffer = QBuffer(data)
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        image.save(buffer, "PNG")  # type: ignore[call-overload]
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path = self._folder / f"{name}.png"
            number = 1
            while path.exists():
                number += 1
                path = self._folder / f"{name} ({number}).png"
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(data.data())
        except OSError as error:
            raise StoreReadOnly(folder=str(self._folder)) from error
        return path
