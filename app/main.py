"""The composition root of the window: the only place that knows everybody.

It builds the services without opening the store or loading a model, hands them over, and leaves
their closing to the window, in reverse.
"""

from functools import cache, partial
from typing import TYPE_CHECKING

from app.chat.service import ChatService
from app.chat.walled_documents import WalledDocuments
from app.children import command
from app.clock import SystemClock
from app.models.installed import InstalledModels
from app.models.runner import ModelRunner
from app.models.service import ModelService
from app.paths import Paths
from app.settings import Settings
from app.store.unlocking import Unlocking
from inference import child
from inference.client import EngineClient
from ui import application
from ui.desk import Desk
from ui.main_window import MainWindow

if TYPE_CHECKING:
    from app.models.devices import DeviceService
    from app.models.fit import Machine


def run(places: Paths) -> int:
    """Open the window and return the exit status once it has been closed."""
    settings = Settings.load(places.settings)
    return application.run(places, settings, lambda desk: build(places, desk))


def build(places: Paths, desk: Desk) -> MainWindow:
    """Build the window on the data in `places`; see `ui.application`."""
    installed = InstalledModels(places.models)
    client = EngineClient(lambda: child.start(command("host")))
    runner = ModelRunner(client, installed, places, desk.settings.value)
    desk.closing.callback(runner.close)
    models = ModelService(
        places, lambda: child.start(command("import")), before_remove=runner.release
    )
    desk.closing.callback(models.close)
    unlocking = Unlocking(places)
    documents = WalledDocuments(
        runner,
        abilities_path=places.abilities,
        identify=lambda model_id: installed.get(model_id).sha256,
        launch=lambda: child.start(command("document")),
    )
    chat = ChatService(
        unlocking.open,
        runner,
        documents,
        SystemClock(),
        sampling=lambda: desk.settings.value.sampling,
    )
    desk.closing.callback(chat.close)
    devices = cache(partial(_find_devices, places))
    return MainWindow(
        chat=chat,
        models=models,
        runner=runner,
        devices=devices,
        keys=unlocking,
        desk=desk,
        look_at_machine=lambda: _look(places),
    )


def _find_devices(places: Paths) -> "DeviceService":
    from app.models.devices import DeviceService  # noqa: PLC0415 - numpy, not before it is needed

    return DeviceService(places, lambda verb: child.start(command(verb)))


def _look(places: Paths) -> "Machine":
    from app.models import fit  # noqa: PLC0415 - not before the first paint

    return fit.look(places.models)
