"""The composition root of the window: the only place that knows everybody.

It builds the services without opening the store or loading a model, hands them over, and leaves
their closing to the window, in reverse.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event, Lock
from typing import TYPE_CHECKING, TypeVar

from app.chat.service import ChatService
from app.chat.walled_documents import WalledDocuments
from app.children import command
from app.clock import SystemClock
from app.documents.intake import Intake
from app.documents.library import Library
from app.models.embedding import embedding_folder
from app.models.installed import InstalledModels
from app.models.runner import ModelRunner
from app.models.service import ModelService
from app.models.token_counter import TokenCounter
from app.paths import Paths
from app.settings import Settings
from app.store.recognized_pages import RecognizedPageStore
from app.store.summary_progress import SummaryProgressStore
from app.store.unlocking import Unlocking
from inference import child
from inference.client import EngineClient
from inference.embedding import EmbeddingClient
from ui import application
from ui.desk import Desk
from ui.main_window import MainWindow

if TYPE_CHECKING:
    from app.documents.viewing import Viewer
    from app.models.comparing_service import CompareService
    from app.models.devices import DeviceService
    from app.models.fit import Machine

T = TypeVar("T")

_FIRST_LOOK_S = 5.0


def run(places: Paths) -> int:
    """Open the window and return the exit status once it has been closed."""
    settings = Settings.load(places.settings)
    return application.run(places, settings, lambda desk: build(places, desk))


def build(places: Paths, desk: Desk) -> MainWindow:
    """Build the window on the data in `places`; see `ui.application`."""
    installed = InstalledModels(places.models)
    client = EngineClient(lambda: child.start(command("host")))
    find_devices = _once(partial(_find_devices, places, desk))
    runner = ModelRunner(
        client,
        installed,
        places,
        lambda: desk.settings.value,
        counter=TokenCounter(lambda: child.start(command("count"))),
        decide=lambda model, wish: find_devices().decide(model, wish),
    )
    desk.closing.callback(runner.close)
    models = ModelService(
        places,
        lambda: child.start(command("import")),
        before_remove=runner.release,
        keeps_removed=True,
    )
    desk.closing.callback(models.close)
    models.empty_trash()
    embedding = EmbeddingClient(
        lambda: child.start(command("embed")),
        lambda: embedding_folder(places),
        is_model_busy=lambda: runner.is_busy,
    )
    desk.closing.callback(embedding.close)
    unlocking = Unlocking(places)
    clock = SystemClock()
    documents = WalledDocuments(
        runner,
        abilities_path=places.abilities,
        identify=lambda model_id: installed.get(model_id).sha256,
        launch=lambda: child.start(command("document")),
        launch_ocr=lambda: child.start(command("ocr")),
        find_embed=lambda: embedding.embed if embedding.is_available else None,
    )
    chat = ChatService(
        unlocking.open,
        runner,
        documents,
        clock,
        use_for=runner.use_for,
    )
    desk.closing.callback(chat.close)
    documents.recognized = RecognizedPageStore(chat.with_database, clock)
    documents.progress = SummaryProgressStore(chat.with_database, clock)
    library = Library(
        chat.with_database,
        lambda path, stop: Intake(
            lambda: child.start(command("document")),
            lambda: child.start(command("ocr")),
            documents.recognized,
        ).read(path, cancelled=stop),
        embedding,
        is_busy=lambda: runner.is_busy,
        # Not before the window is painted and the store has been opened for it.
        first_look_s=_FIRST_LOOK_S,
    )
    desk.closing.callback(library.close)
    library.start()
    documents.search_library = library.search
    return MainWindow(
        chat=chat,
        models=models,
        runner=runner,
        devices=find_devices,
        keys=unlocking,
        desk=desk,
        look_at_machine=_looking(places),
        open_pages=_open_pages,
        pasted=places.pasted,
        library=library,
        comparing=_once(partial(_find_comparing, installed, desk, find_devices)),
    )


def _open_pages(path: Path, password: str | None) -> "Viewer":
    from app.documents.viewing import Viewer  # noqa: PLC0415 - not before a document is looked at

    return Viewer(path, launch=lambda: child.start(command("view")), password=password)


def _once(make: Callable[[], T]) -> Callable[[], T]:
    """Return what gives the one thing that `make` makes, to whichever threads ask."""
    lock = Lock()
    made: list[T] = []

    def get() -> T:
        with lock:
            if not made:
                made.append(make())
            return made[0]

    return get


def _find_devices(places: Paths, desk: Desk) -> "DeviceService":
    from app.models.devices import DeviceService  # noqa: PLC0415 - psutil, not before it is needed

    service = DeviceService(places, lambda verb: child.start(command(verb)))
    desk.closing.callback(service.close)
    return service


def _find_comparing(
    installed: InstalledModels, desk: Desk, find_devices: "Callable[[], DeviceService]"
) -> "CompareService":
    from app.models.comparing_service import CompareService  # noqa: PLC0415 - as above

    def read_text(path: Path, stop: Event) -> str:
        intake = Intake(
            lambda: child.start(command("document")), lambda: child.start(command("ocr"))
        )
        return "\n\n".join(page.text for page in intake.read(path, cancelled=stop).pages)

    service = CompareService(
        lambda: child.start(command("host")),
        installed,
        lambda: desk.settings.value,
        devices=find_devices,
        read_text=read_text,
    )
    desk.closing.callback(service.close)
    return service


def _looking(places: Paths) -> Callable[[], "Machine"]:
    is_started = False

    def look() -> "Machine":
        from app.models import fit  # noqa: PLC0415 - not before the first paint
        from app.models.bandwidth import Bandwidth  # noqa: PLC0415 - as above

        nonlocal is_started
        bandwidth = Bandwidth(places.bandwidth, lambda: child.start(command("bandwidth")))
        # The first look loads a model, which must not wait for a measurement, nor disturb it.
        may_measure, is_started = is_started, True
        is_known = may_measure or bandwidth.kept_bytes_per_s() > 0
        return fit.look(places.models, bandwidth if is_known else None)

    return look
