"""Lists the devices of this computer from processes of their own, one for each plug-in.

Asking the runtime loads drivers, and a bad driver ends or hangs the process that asks: it must be
neither the window's nor the one that runs the model, and it takes no other plug-in along.
"""

import signal
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection

from inference import devices, endings, plugins
from inference.child import Child, hush
from inference.devices import DeviceFound
from inference.errors import BadFrame
from inference.frames import Codec
from inference.plugins import Plugin

LIMIT_S = 30.0


@dataclass(frozen=True, slots=True)
class ListDevices:
    """Ask for the devices of one plug-in, or without one for the runtime's own."""

    plugin: Plugin | None = None


@dataclass(frozen=True, slots=True)
class ListCatalog:
    """Ask for the providers that Windows holds ready."""


@dataclass(frozen=True, slots=True)
class DevicesFound:
    """The answer to `ListDevices`."""

    devices: tuple[DeviceFound, ...]


@dataclass(frozen=True, slots=True)
class CatalogFound:
    """The answer to `ListCatalog`."""

    plugins: tuple[Plugin, ...]


@dataclass(frozen=True, slots=True)
class ProbeFailed:
    """The plug-in could not be asked.

    Attributes:
        kind: The error's class.
    """

    kind: str


@dataclass(frozen=True, slots=True)
class Discovery:
    """What was found, best first, and what could not be asked.

    Attributes:
        failures: Name and version of a plug-in to what it did, such as "did not answer".
    """

    devices: tuple[DeviceFound, ...] = ()
    failures: dict[str, str] = field(default_factory=dict)


QUESTIONS = Codec((ListDevices, ListCatalog))
ANSWERS = Codec((DevicesFound, CatalogFound, ProbeFailed))


def serve(connection: Connection) -> int:
    """Answer one question, and end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is the parent's to handle
    hush()
    question = QUESTIONS.decode(connection.recv_bytes())
    connection.send_bytes(ANSWERS.encode(_answer(question)))
    return 0


def find(
    launch: Callable[[], Child],
    installed: Callable[[], Sequence[Plugin]] = plugins.installed,
    *,
    limit_s: float = LIMIT_S,
) -> Discovery:
    """Find all devices; blocks for a second, or for `limit_s` where something hangs.

    Where the runtime can have no device but the processor, no process is started.

    Args:
        launch: Starts a probe.
        installed: Says which plug-ins there are.
        limit_s: How long all of them together may take.
    """
    wanted: list[Plugin | None] = [*installed()]
    if devices.allows_virtual():
        wanted += [replace(plugin, is_virtual=True) for plugin in wanted if plugin]
    if plugins.has_catalog():
        (answer,) = _ask(launch, [ListCatalog()], limit_s)
        wanted += answer.plugins if isinstance(answer, CatalogFound) else ()
    if devices.HAS_DIRECTML:
        wanted.append(None)
    found = {devices.CPU_PROVIDER: DeviceFound(devices.processor_target())}
    failures: dict[str, str] = {}
    answers = _ask(launch, [ListDevices(plugin) for plugin in wanted], limit_s)
    for plugin, answer in zip(wanted, answers, strict=True):
        if isinstance(answer, DevicesFound):
            others = [each for each in answer.devices if each.target.provider not in found]
            found |= {f"{each.target.provider} {each.target.name}": each for each in others}
        elif plugin is not None:
            failures[f"{plugin.registration} {plugin.version}".strip()] = str(answer)
    ordered = sorted(found.values(), key=lambda each: (each.rank, each.target.is_virtual))
    return Discovery(tuple(ordered), failures)


def _answer(question: ListDevices | ListCatalog) -> DevicesFound | CatalogFound | ProbeFailed:
    try:
        if isinstance(question, ListCatalog):
            return CatalogFound(plugins.from_catalog())
        return DevicesFound(devices.discover(question.plugin))
    except Exception as error:  # noqa: BLE001 - the runtime and each plug-in raise what they like
        return ProbeFailed(type(error).__name__)


def _ask(
    launch: Callable[[], Child], questions: Sequence[ListDevices | ListCatalog], limit_s: float
) -> list[DevicesFound | CatalogFound | str]:
    """Ask each question of a process of its own, all at the same time.

    Returns:
        The answers; in the place of one that did not come, what happened.
    """
    with ExitStack() as stack:
        children = []
        for question in questions:
            children.append(child := launch())
            stack.callback(child.close)
            with suppress(OSError):  # it has ended, which is seen below
                child.connection.send_bytes(QUESTIONS.encode(question))
        deadline_s = time.monotonic() + limit_s
        return [_receive(child, deadline_s) for child in children]


def _receive(child: Child, deadline_s: float) -> DevicesFound | CatalogFound | str:
    try:
        if not child.connection.poll(max(0.0, deadline_s - time.monotonic())):
            child.kill()
            return "did not answer"
        answer = ANSWERS.decode(child.connection.recv_bytes())
    except (EOFError, OSError, BadFrame):
        return f"ended the process that asked it, {endings.describe(child)}"
    if isinstance(answer, ProbeFailed):
        return "cannot be loaded"
    found: DevicesFound | CatalogFound = answer
    return found
