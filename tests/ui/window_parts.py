"""A whole window on real services, with a generator that says what the test wants."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

from app.chat.service import ChatService
from app.models.runner_view import KvUse, MemoryNeed, Phase, RunnerView
from app.paths import Paths
from app.settings import Settings
from app.store.database import Database
from app.store.keyrecord import KeyKind
from app.store.unlocking import Unlocking
from inference.types import DeviceChoice, DeviceWish, Sampling
from tests.fakes import FAKE_DEVICE, STORE_KEY, FakeClock, FakeDocuments, FakeGenerator
from tests.ui.devices.scripted import ScriptedDevices
from tests.ui.documents.painted import PaintedPages
from tests.ui.models.conftest import BIG_MACHINE, ScriptedModels
from ui.desk import Desk
from ui.library.controller import LibraryDesk
from ui.main_window import MainWindow
from ui.settings.keeper import SettingsKeeper
from ui.settings.key_controller import KeyDesk
from ui.tasks import Tasks
from ui.theme import Theme
from ui.turn_pump import TurnPump

_REVISIONS = count(1)


class Load(NamedTuple):
    """A load that was asked for, apart from what `selected` keeps."""

    model_id: str
    device: DeviceWish
    accept_memory: bool
    context_tokens: int


class ScriptedRunner:
    """Loads at once, unless the test shows another view.

    Attributes:
        selected: (model_id, confirm_after_crash) of every load that was asked for.
    """

    def __init__(self) -> None:
        self.selected: list[tuple[str, bool]] = []
        self.loads: list[Load] = []
        self.kv_use = KvUse(0, 0)
        self.can_shrink_kv = False
        self.default_sampling = Sampling()
        self._view = view_of("none")

    def view(self) -> RunnerView:
        return self._view

    def default_id(self) -> str:
        return "starter"

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
        self.show(view_of("ready", model_id, device=FAKE_DEVICE))
        self.selected.append((model_id, confirm_after_crash))
        self.loads.append(Load(model_id, device, accept_memory, context_tokens))

    def show(self, view: RunnerView) -> None:
        self._view = view


def view_of(
    phase: Phase,
    model_id: str = "",
    *,
    device: DeviceChoice | None = None,
    error: Exception | None = None,
    memory: MemoryNeed | None = None,
) -> RunnerView:
    """Return a view that differs from every one before it."""
    return RunnerView(
        phase=phase,
        model_id=model_id,
        title=model_id.capitalize(),
        device=device,
        context_tokens=4096 if phase == "ready" else 0,
        error=error,
        memory=memory,
        revision=next(_REVISIONS),
    )


class OpenKeys:
    """A store whose key nobody has to be asked for."""

    kind: KeyKind | None = "keyring"

    def use_passphrase(self, passphrase: str) -> None:
        raise AssertionError("nobody was to be asked")

    def use_key_file(self) -> None:
        raise AssertionError("nobody was to be asked")


@dataclass(frozen=True, slots=True)
class Parts:
    """The window with what stands behind it."""

    window: MainWindow
    chat: ChatService
    generator: FakeGenerator
    models: ScriptedModels
    runner: ScriptedRunner
    devices: ScriptedDevices
    theme: Theme
    settings: SettingsKeeper


@contextmanager
def window_parts(
    places: Paths,
    *,
    settings: Settings | None = None,
    models: ScriptedModels | None = None,
    keys: KeyDesk | None = None,
    library: LibraryDesk | None = None,
) -> Iterator[Parts]:
    """Build a window and everything behind it; close all of it in reverse order."""
    models = models or ScriptedModels()
    runner, devices = ScriptedRunner(), ScriptedDevices()
    devices.go_on.set()
    with ExitStack() as closing:
        generator = closing.enter_context(FakeGenerator())
        closing.callback(models.close)
        theme, tasks = Theme("light"), Tasks()
        closing.callback(tasks.close)
        open_database = lambda: Database.open(places.store, STORE_KEY)  # noqa: E731
        if isinstance(keys, Unlocking):
            open_database = keys.open
        chat = ChatService(
            open_database, generator, FakeDocuments(), FakeClock(), commit_interval_s=0.01
        )
        closing.callback(chat.close)
        closing.callback(generator.release)
        keeper = SettingsKeeper(settings or Settings(), places.settings, tasks)
        window = MainWindow(
            chat=chat,
            models=models,
            runner=runner,
            look_at_machine=lambda: BIG_MACHINE,
            devices=lambda: devices,
            keys=keys or OpenKeys(),
            desk=Desk(theme, tasks, TurnPump(), keeper, closing),
            open_pages=lambda path, password: PaintedPages(),
            pasted=places.pasted,
            library=library,
        )
        yield Parts(window, chat, generator, models, runner, devices, theme, keeper)
        window.close()
