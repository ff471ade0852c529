"""A model for the command line: built for one verb, closed with it. No store is opened."""

import argparse
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import get_args

from app.children import command
from app.models.devices import DeviceService
from app.models.installed import InstalledModels, TaskName
from app.models.runner import ModelRunner
from app.paths import Paths
from app.settings import Settings
from inference import child
from inference.client import EngineClient
from inference.counting import Counter
from inference.errors import ModelNotLoaded
from inference.types import DeviceWish


def add_load_options(parser: argparse.ArgumentParser) -> None:
    """Add what may be said of a load where memory is short."""
    parser.add_argument(
        "--context",
        type=_tokens,
        default=0,
        metavar="TOKENS",
        help="the model's context window (default: up to 8192, less where memory is small)",
    )
    parser.add_argument(
        "--force", action="store_true", help="load the model even where memory is short"
    )


def open_runner_for(
    options: argparse.Namespace, places: Paths, task: TaskName = "chat"
) -> AbstractContextManager[ModelRunner]:
    """Give a runner as the options of a verb ask for it; see `open_runner`."""
    return open_runner(
        places,
        model_id=options.model,
        device=options.device,
        context_tokens=options.context,
        accept_memory=options.force,
        task=task,
    )


@contextmanager
def open_runner(
    places: Paths,
    *,
    model_id: str | None = None,
    device: str = "auto",
    context_tokens: int = 0,
    accept_memory: bool = False,
    task: TaskName = "chat",
) -> Iterator[ModelRunner]:
    """Give a runner with `model_id`, or the task's model, selected; loading goes on beside.

    Args:
        places: Where the models are.
        model_id: An installed model.
        device: What to run it on: a `DeviceWish`, or a device's exact name.
        context_tokens: Its context window; 0 takes what is set.
        accept_memory: Load it although memory is short.
        task: What it is used for, where no model is named.

    Raises:
        ModelUnknown: No installed model has this id.
        ModelNotLoaded: No model is installed.
        LoadBlocked: The load of the default model crashed the last time.
        MemoryTight: Too little memory is free for it.
    """
    installed = InstalledModels(places.models)
    settings = Settings.load(places.settings)
    devices = DeviceService(places, lambda verb: child.start(command(verb)))
    runner = ModelRunner(
        EngineClient(lambda: child.start(command("host"))),
        installed,
        places,
        lambda: settings,
        counter=Counter(),
        decide=lambda model, _wish: devices.decide(model, device),
    )
    try:
        chosen = installed.get(model_id) if model_id else installed.default(settings, task)
        if chosen is None:
            raise ModelNotLoaded
        # Naming a model is asking again, so a crash of its last load is no bar.
        runner.select(
            chosen.id,
            device=_wish(device),
            confirm_after_crash=bool(model_id),
            accept_memory=accept_memory,
            context_tokens=context_tokens,
        )
        if (error := runner.view().error) is not None:
            raise error
        yield runner
    finally:
        devices.close()
        runner.close()


def _wish(device: str) -> DeviceWish:
    """Return what the host can be told of it; an exact name is decided about before."""
    return next((wish for wish in get_args(DeviceWish) if wish == device), "auto")


def _tokens(text: str) -> int:
    count = int(text)
    if count < 1:
        raise ValueError
    return count
