"""Does what the models page asks for: add, go on, discard, remove and bring back."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.messages import describe, describe_code
from app.models.sources import CatalogSource, FolderSource, GgufSource, HubSource, PackSource
from ui.models.details_desk import DetailsDesk
from ui.models.jobs import Jobs
from ui.models.looking_up import LookUps
from ui.models.model_card import catalog_text
from ui.models.page import ModelsPage
from ui.models.shelf import ModelShelves, Shelf
from ui.models.tools import Tools
from ui.notices import translate_message
from ui.settings.keeper import SettingsKeeper
from ui.tasks import Tasks
from ui.theme import Theme

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from app.models.add_job import AddJob
    from app.models.fit import Machine
    from app.models.found.values import FoundModel
    from app.models.sources import Source
    from inference.errors import Fact

    Wanted = str | Sequence[Path] | Source


_PACK_SUFFIX = ".snugpack"


class Manager(QObject):
    """Stands between the models page and the model service; GUI thread only.

    Signals:
        changed: The disk has changed: list anew.
        added: (model_id): a model is ready.
        use_wanted: (model_id): answer with this one.
        failed: (error).
        told: (text): what a person should know, and need not act on.
    """

    changed = Signal()
    added = Signal(str)
    use_wanted = Signal(str)
    failed = Signal(object)
    told = Signal(str)

    def __init__(
        self,
        service: ModelShelves,
        page: ModelsPage,
        jobs: Jobs,
        *,
        look_at_machine: "Callable[[], Machine]",
        theme: Theme,
        tasks: Tasks,
        settings: SettingsKeeper,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._service = service
        self._page = page
        self._jobs = jobs
        self._tasks = tasks
        self._shelf = Shelf()
        tools = Tools(theme, tasks, settings, window)
        self.details = DetailsDesk(service, jobs, tools)
        self.look_ups = LookUps(service, page, look_at_machine, tools)
        self._connect()

    def show_shelf(self, shelf: Shelf) -> None:
        """Take what there is, and show it."""
        self._shelf = shelf
        self._page.show_shelf(shelf)

    def add(self, wanted: "Wanted") -> None:
        """Begin to add something, unless it is being added already."""
        model_id = wanted if isinstance(wanted, str) else ""
        if model_id and any(each.view.model_id == model_id for each in self._jobs.running):
            return
        self._jobs.follow(self._service.add(wanted), self._title(wanted), wanted)
        if not isinstance(wanted, str):
            for file in _packs_in(wanted):
                # A pack that cannot be read says so by its own addition.
                vouching = self._service.vouching(file)
                self._tasks.run(vouching, self._tell_signer, lambda _: None, self)

    def _connect(self) -> None:
        page, jobs = self._page, self._jobs
        page.files_wanted.connect(self.add)
        page.catalog.wanted.connect(self.add)
        page.installed.use_wanted.connect(self.use_wanted)
        page.installed.details_wanted.connect(self._show_details)
        page.installed.remove_wanted.connect(self._remove_broken)
        page.paused.resume_wanted.connect(self._resume_paused)
        page.paused.discard_wanted.connect(self._discard_paused)
        page.found.look_wanted.connect(self._look_for_found)
        page.found.wanted.connect(self._add_found)
        page.downloads.resume_wanted.connect(self._resume)
        page.downloads.discard_wanted.connect(self._discard)
        page.downloads.again_wanted.connect(self._try_again)
        page.downloads.token_wanted.connect(self._ask_token)
        page.undo.undo_wanted.connect(self._undo)
        jobs.added.connect(self.added)
        jobs.settled.connect(self.changed)
        self.details.remove_wanted.connect(self._remove)
        self.details.failed.connect(self.failed)
        self.look_ups.wanted.connect(self.add)
        self.look_ups.failed.connect(self.failed)

    def _title(self, wanted: "Wanted") -> str:
        match wanted:
            case str():
                known = [offer.entry for offer in self._shelf.offers if offer.entry.id == wanted]
                return catalog_text(known[0].title) if known else wanted
            case CatalogSource(entry):
                return catalog_text(entry.title)
            case HubSource():
                known_names = {
                    offer.entry.repository: offer.entry.title for offer in self._shelf.hub
                }
                name = wanted.repository.rsplit("/", 1)[-1]
                return catalog_text(known_names.get(wanted.repository, name))
            case GgufSource(file, name):
                return name or file.stem
            case FolderSource(path) | PackSource(path):
                return path.stem
        return wanted[0].stem if wanted else ""

    def _show_details(self, model_id: str) -> None:
        for model in self._shelf.installed:
            if model.id == model_id:
                self.details.open(model)

    def _resume(self, key: int) -> None:
        addition = self._jobs.get(key)
        if addition is not None:
            self._go_on(addition.view.model_id, addition.title, addition.wanted, key)

    def _resume_paused(self, model_id: str) -> None:
        for each in self._shelf.unfinished:
            if each.id == model_id:
                self._go_on(model_id, catalog_text(each.title), each.source)

    def _go_on(self, model_id: str, title: str, wanted: "Wanted | None", key: int = 0) -> None:
        def follow(job: "AddJob") -> None:
            self._jobs.follow(job, title, wanted, key)

        def give_up(error: Exception) -> None:
            self._jobs.forget(key)
            self.failed.emit(error)
            self.changed.emit()

        self._tasks.start(partial(self._service.resume, model_id), follow, give_up, self)

    def _discard(self, key: int) -> None:
        addition = self._jobs.get(key)
        if addition is not None:
            self._jobs.forget(key)
            self._discard_paused(addition.view.model_id)

    def _discard_paused(self, model_id: str) -> None:
        self._follow(self._service.discard_fetched(model_id))

    def _try_again(self, key: int) -> None:
        addition = self._jobs.get(key)
        if addition is not None and addition.wanted is not None:
            self._jobs.follow(
                self._service.add(addition.wanted), addition.title, addition.wanted, key
            )

    def _ask_token(self, key: int) -> None:
        self.look_ups.ask_token(lambda: self._try_again(key))

    def _remove(self, model_id: str) -> None:
        title = next((one.title for one in self._shelf.installed if one.id == model_id), model_id)

        def removed(_: None) -> None:
            self._page.undo.add(model_id, catalog_text(title))
            self.changed.emit()

        self._tasks.run(self._service.remove(model_id), removed, self._give_up, self)

    def _remove_broken(self, model_id: str) -> None:
        self._follow(self._service.remove(model_id))

    def _undo(self, model_id: str) -> None:
        def back(_: None) -> None:
            self._page.undo.take_away(model_id)
            self.changed.emit()

        self._tasks.run(self._service.undo_remove(model_id), back, self._give_up, self)

    def _look_for_found(self) -> None:
        found = self._page.found
        found.show_looking()

        def failed(error: Exception) -> None:
            found.show_failure(describe(error, translate_message).message)

        self._tasks.run(self._service.found(), found.show_found, failed, self)

    def _add_found(self, model: "FoundModel") -> None:
        self.add(GgufSource(model.file, model.name))

    def _tell_signer(self, found: "tuple[str, dict[str, Fact]]") -> None:
        notice = describe_code(*found, translate_message)
        self.told.emit(f"{notice.message} {notice.action}")

    def _follow(self, future: "Future[None]") -> None:
        self._tasks.run(future, lambda _: self.changed.emit(), self._give_up, self)

    def _give_up(self, error: Exception) -> None:
        self.failed.emit(error)
        self.changed.emit()


def _packs_in(wanted: "Sequence[Path] | Source") -> "list[Path]":
    if isinstance(wanted, PackSource):
        return [wanted.file]
    files = wanted if isinstance(wanted, list | tuple) else ()
    return [file for file in files if file.suffix.lower() == _PACK_SUFFIX]
