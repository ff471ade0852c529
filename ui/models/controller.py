"""Keeps picker, models page and status bar in step with the model that runs."""

from functools import partial
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.messages import describe, describe_code
from inference.types import DeviceWish, Sampling
from ui.chat.wording import number
from ui.models.jobs import Jobs
from ui.models.manager import Manager
from ui.models.model_card import catalog_text
from ui.models.page import ModelsPage
from ui.models.picker import ModelPicker
from ui.models.shelf import ModelShelves, Shelf, read_shelf
from ui.notices import NoticeBar, Remedy, translate_message
from ui.settings.keeper import SettingsKeeper
from ui.settings.preferences import Memory
from ui.status_bar import StatusBar
from ui.tasks import Tasks
from ui.theme import Theme

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.models.fit import Machine
    from app.models.runner_view import MemoryNeed, RunnerView

_BUSY_MS = 100
_IDLE_MS = 500
_ONLINE = ("listing", "fetching")


class Runner(Memory, Protocol):
    """The part of the model runner that the window uses."""

    @property
    def default_sampling(self) -> Sampling:
        """How the model in use wants its answers drawn; never blocks."""
        ...

    def view(self) -> "RunnerView":
        """Return what is loaded, as it is now; never blocks."""
        ...

    def default_id(self) -> str:
        """Return the model to use when nobody names one; reads the disk."""
        ...

    def select(
        self,
        model_id: str,
        *,
        device: DeviceWish = "auto",
        confirm_after_crash: bool = False,
        accept_memory: bool = False,
        context_tokens: int = 0,
        again: bool = False,
    ) -> None:
        """Load a model beside everything else; reads the disk."""
        ...


class Models(QObject):
    """Lists, loads and watches models; GUI thread only.

    Signals:
        needed: There is no model: show the page.
        ready: A model has been added and is being loaded: show the chat.
        selected: (model_id): a person chose this model.
        device_changed: Where the model runs now; a `DeviceChoice`, or None while it runs nowhere.
        failed: (error).
    """

    needed = Signal()
    ready = Signal()
    selected = Signal(str)
    device_changed = Signal(object)
    failed = Signal(object)

    def __init__(
        self,
        service: ModelShelves,
        runner: Runner,
        look_at_machine: "Callable[[], Machine]",
        *,
        picker: ModelPicker,
        page: ModelsPage,
        jobs: Jobs,
        status: StatusBar,
        notices: NoticeBar,
        theme: Theme,
        tasks: Tasks,
        settings: SettingsKeeper,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._service = service
        self._runner = runner
        self._look_at_machine = look_at_machine
        self._picker = picker
        self._page = page
        self._jobs = jobs
        self._status = status
        self._notices = notices
        self._tasks = tasks
        self._wish: DeviceWish = "auto"
        self._shelf = Shelf()
        self._revision = -1
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._look)
        picker.chosen.connect(self._choose)
        self.manager = Manager(
            service,
            page,
            jobs,
            look_at_machine=look_at_machine,
            theme=theme,
            tasks=tasks,
            settings=settings,
            window=window,
        )
        self.manager.changed.connect(self.refresh)
        self.manager.added.connect(self._on_added)
        self.manager.use_wanted.connect(self._use)
        self.manager.failed.connect(self.failed)
        self.manager.told.connect(self._notices.show_info)
        jobs.changed.connect(self._show_jobs)
        jobs.written.connect(self._on_written)

    def start(self, wish: DeviceWish) -> None:
        """List what is here and load what was chosen the last time, or the best there is."""
        self._wish = wish
        service, runner, look = self._service, self._runner, self._look_at_machine

        def begin() -> Shelf:
            shelf = read_shelf(service, look)
            if shelf.installed:
                runner.select(runner.default_id(), device=wish)
            return shelf

        self._tasks.start(begin, self._on_begun, self.failed.emit, self)
        self._timer.start(_IDLE_MS)

    def run_on(self, wish: DeviceWish) -> None:
        """Run the model elsewhere, from now on; a device that works now is taken."""
        self._wish = wish
        model_id = self._runner.view().model_id
        if model_id:
            self._select(partial(self._runner.select, model_id, device=wish, again=True))

    def refresh(self) -> None:
        """List anew."""
        service, look = self._service, self._look_at_machine
        read = partial(read_shelf, service, look)
        self._tasks.start(read, self._show_shelf, self.failed.emit, self)

    def _on_begun(self, shelf: Shelf) -> None:
        self._show_shelf(shelf)
        if not shelf.installed:
            self.needed.emit()

    def _show_shelf(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._picker.show_shelf(shelf)
        self.manager.show_shelf(shelf)

    def _choose(self, model_id: str) -> None:
        view = self._runner.view()
        is_asked_again = view.phase == "blocked" and view.model_id == model_id
        self.selected.emit(model_id)
        self._load(model_id, confirm=is_asked_again)

    def _load(self, model_id: str, *, confirm: bool = False) -> None:
        select = partial(
            self._runner.select, model_id, device=self._wish, confirm_after_crash=confirm
        )
        self._select(select)

    def _select(self, select: "Callable[[], None]") -> None:
        self._tasks.start(select, lambda _: self._look(), self.failed.emit, self)

    def _use(self, model_id: str) -> None:
        self._choose(model_id)
        self.ready.emit()

    def _on_added(self, model_id: str) -> None:
        """Begin with the first model at once; a later one waits until a person wants it."""
        is_first = not self._shelf.installed
        self.refresh()
        if is_first:
            self.selected.emit(model_id)
            self._load(model_id)
            self.ready.emit()
            return
        offers = self._shelf.offers
        title = next((one.entry.title for one in offers if one.entry.id == model_id), model_id)
        use = Remedy(self.tr("Use it"), partial(self._use, model_id))
        self._notices.show_info(self.tr("{} is ready.").format(catalog_text(title)), use)

    def _on_written(self, title: str) -> None:
        self._notices.show_info(self.tr("{} is written.").format(title))

    def _show_jobs(self) -> None:
        running = self._jobs.running
        self._status.show_fetching(is_fetching=any(each.view.stage in _ONLINE for each in running))
        if not running:
            self._status.show_adding("")
            return
        text = running[0].title
        done, total = (
            sum(each.view.done_bytes for each in running),
            sum(each.view.total_bytes for each in running),
        )
        if len(running) > 1:
            text = self.tr("%Ln model(s)", "", len(running))
        if total:
            text = self.tr("{title}: {percent} %").format(title=text, percent=done * 100 // total)
        self._status.show_adding(text)

    def _look(self) -> None:
        view = self._runner.view()
        if view.revision == self._revision:
            return
        self._revision = view.revision
        self._timer.setInterval(_BUSY_MS if view.phase == "loading" else _IDLE_MS)
        self._picker.show_view(view)
        self._page.installed.show_used(view.model_id)
        title = catalog_text(view.title)
        notes = {
            "none": self.tr("{} loads with the next question").format(title) if title else "",
            "resting": self.tr("{} rests, and loads with the next question").format(title),
            "loading": self.tr("Loading {}…").format(title),
            "failed": self.tr("{} could not be loaded").format(title),
            "blocked": self.tr("{} is not loaded").format(title),
            "tight": self.tr("{} waits: memory is short").format(title),
        }
        device = view.device if view.phase == "ready" else None
        self._status.show_device(device, notes.get(view.phase, ""))
        self.device_changed.emit(device)
        self._explain(view)

    def _explain(self, view: "RunnerView") -> None:
        if view.phase == "ready" and not view.is_instruct:
            base = describe_code("model_is_base", {}, translate_message)
            self._notices.show_info(f"{base.message} {base.action}")
        if view.error is None:
            return
        if view.phase == "blocked":
            again = Remedy(
                self.tr("Load it again"), lambda: self._load(view.model_id, confirm=True)
            )
            self._notices.offer("load_blocked", again)
        if view.memory is not None:
            self._offer_less(view, view.memory, view.error)
        else:
            self.failed.emit(view.error)

    def _offer_less(self, view: "RunnerView", need: "MemoryNeed", error: Exception) -> None:
        """Say that memory is short, and offer all that can be done about it."""
        select = partial(self._runner.select, view.model_id, device=self._wish)
        choices = []
        if need.smaller_context_tokens:
            text = self.tr("Use a shorter context ({} tokens)")
            shorter = partial(select, context_tokens=need.smaller_context_tokens)
            name = text.format(number(need.smaller_context_tokens))
            choices.append(Remedy(name, partial(self._select, shorter)))
        smaller = need.smaller_model_id
        if smaller:
            title = next((one.title for one in self._shelf.installed if one.id == smaller), smaller)
            text = self.tr("Use {} instead").format(catalog_text(title))
            choices.append(Remedy(text, partial(self._choose, smaller)))
        anyway = partial(select, accept_memory=True)
        choices.append(Remedy(self.tr("Load it anyway"), partial(self._select, anyway)))
        self._notices.show_choices(describe(error, translate_message).message, choices)
