"""A model for the command line: built for one verb, closed with it. No store is opened."""

from collections.abc import Iterator
from contextlib import contextmanager

from app.children import command
from app.models.installed import InstalledModels
from app.models.runner import ModelRunner
from app.paths import Paths
from app.settings import Settings
from inference import child
from inference.client import EngineClient
from inference.types import DeviceWish


@contextmanager
def open_runner(
    places: Paths, *, model_id: str | None = None, device: DeviceWish = "auto"
) -> Iterator[ModelRunner]:
    """Give a runner with `model_id`, or the default model, selected; loading goes on beside.

    Raises:
        ModelUnknown: No installed model has this id.
        ModelNotLoaded: No model is installed.
        LoadBlocked: The load of the default model crashed the last time.
    """
    installed = InstalledModels(places.models)
    client = EngineClient(lambda: child.start(command("host")))
    runner = ModelRunner(client, installed, places, Settings.load(places.settings))
    try:
        chosen = installed.get(model_id or runner.default_id())
        # Naming a model is asking again, so a crash of its last load is no bar.
        runner.select(chosen.id, device=device, confirm_after_crash=bool(model_id))
        if (error := runner.view().error) is not None:
            raise error
        yield runner
    finally:
        runner.close()
