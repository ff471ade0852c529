"""Opens a model's details and does what they ask for."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog

from app.messages import describe
from ui.models.details import ModelDetails
from ui.models.jobs import Jobs
from ui.models.model_card import catalog_text
from ui.models.record import read_record
from ui.models.shelf import ModelShelves
from ui.models.tools import Tools
from ui.notices import translate_message

if TYPE_CHECKING:
    from app.models.installed import InstalledModel


class DetailsDesk(QObject):
    """One dialog at a time; GUI thread only.

    Signals:
        remove_wanted: (model_id).
        compare_wanted: (model_id).
        failed: (error).
    """

    remove_wanted = Signal(str)
    compare_wanted = Signal(str)
    failed = Signal(object)

    def __init__(
        self,
        service: ModelShelves,
        jobs: Jobs,
        tools: Tools,
    ) -> None:
        super().__init__(tools.window)
        self._service = service
        self._jobs = jobs
        self._theme = tools.theme
        self._tasks = tools.tasks
        self._settings = tools.settings
        self._window = tools.window
        self.dialog: ModelDetails | None = None

    def open(self, model: "InstalledModel") -> None:
        """Show a model."""
        value = self._settings.value
        defaults = {"chat": value.model_id, **value.task_models}
        dialog = self.dialog = ModelDetails(self._theme, model, defaults, self._window)
        dialog.default_changed.connect(partial(self._set_default, model.id))
        dialog.verify_wanted.connect(partial(self._verify, model, dialog))
        dialog.export_wanted.connect(partial(self._export, model, dialog))
        dialog.compare_wanted.connect(lambda: self.compare_wanted.emit(model.id))
        dialog.remove_wanted.connect(partial(self._remove, model.id, dialog))
        dialog.finished.connect(self._forget)
        self._tasks.start(partial(read_record, model), dialog.show_record, self.failed.emit, dialog)
        dialog.open()

    def _forget(self) -> None:
        self.dialog = None

    def _set_default(self, model_id: str, task: str, is_default: bool) -> None:
        if task == "chat":
            self._settings.change(model_id=model_id if is_default else "")
            return
        others = {
            name: each for name, each in self._settings.value.task_models.items() if name != task
        }
        self._settings.change(task_models=others | ({task: model_id} if is_default else {}))

    def _verify(self, model: "InstalledModel", dialog: ModelDetails) -> None:
        relay = _Relay(dialog)
        relay.progressed.connect(dialog.show_progress)
        dialog.show_progress(0, model.disk_bytes)

        def failed(error: Exception) -> None:
            notice = describe(error, translate_message)
            dialog.show_checked(f"{notice.message} {notice.action}")

        self._tasks.run(
            self._service.verify(model.id, relay.tell),
            lambda _: dialog.show_checked(),
            failed,
            dialog,
        )

    def _export(self, model: "InstalledModel", dialog: ModelDetails) -> None:
        title = catalog_text(model.title)
        chooser = QFileDialog(dialog, self.tr("Export {}").format(title), f"{model.id}.snugpack")
        chooser.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        chooser.setNameFilter(self.tr("Model packs (*.snugpack)"))
        chooser.setDefaultSuffix("snugpack")
        chooser.fileSelected.connect(lambda name: self.export(model, Path(name)))
        chooser.finished.connect(chooser.deleteLater)
        chooser.open()

    def export(self, model: "InstalledModel", file: Path) -> None:
        """Write a model into a pack; the download panel shows how far it is."""
        text = self.tr("{} as a pack").format(catalog_text(model.title))
        self._jobs.follow(self._service.export(model.id, file), text, None)

    def _remove(self, model_id: str, dialog: ModelDetails) -> None:
        dialog.accept()
        self.remove_wanted.emit(model_id)


class _Relay(QObject):
    """Brings progress from the thread that reads to the GUI thread, at most a hundred times."""

    progressed = Signal(int, int)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._last_percent = -1

    def tell(self, done_bytes: int, total_bytes: int) -> None:
        """Take progress, on any thread."""
        percent = done_bytes * 100 // max(1, total_bytes)
        if percent != self._last_percent:
            self._last_percent = percent
            self.progressed.emit(done_bytes, total_bytes)
