"""What the window asks of the device service, on threads where that may take its time."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from app.models.device_values import DeviceBench, DeviceReport
from inference.errors import Cancelled
from inference.types import DeviceTarget

if TYPE_CHECKING:
    from app.models.installed import InstalledModel

T = TypeVar("T")


class DeviceDesk(Protocol):
    """The part of the device service that the window uses; every method may block."""

    def reports(self) -> tuple[DeviceReport, ...]:
        """Return the devices, best first."""
        ...

    def retry(self, target: DeviceTarget) -> None:
        """Forget that a device failed."""
        ...

    def test(
        self, model: "InstalledModel", target: DeviceTarget, on_status: Callable[[str], None]
    ) -> DeviceReport:
        """Try a device with a model: whether it answers right, and how fast it writes."""
        ...

    def measure(
        self, model: "InstalledModel", target: DeviceTarget, on_status: Callable[[str], None]
    ) -> DeviceBench:
        """Measure how fast it reads and writes."""
        ...


@dataclass(frozen=True, slots=True)
class Tested:
    """What a test found out; without a bench where the device does not work."""

    report: DeviceReport
    bench: DeviceBench | None = None


class Trial:
    """A test under way; it may be cancelled and looked at from any thread."""

    def __init__(self, target: DeviceTarget) -> None:
        self.target = target
        self.stage = ""
        self._cancelled = threading.Event()

    @property
    def is_cancelled(self) -> bool:
        """Whether its end was asked for."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Ask for the end; it comes with the next stage. Never blocks."""
        self._cancelled.set()

    def note(self, stage: str) -> None:
        """For the service: a stage begins.

        Raises:
            Cancelled: The end was asked for.
        """
        self.stage = stage
        if self.is_cancelled:
            raise Cancelled


def run_aside(work: Callable[[], T]) -> Future[T]:
    """Run what may take minutes on a thread of its own, which does not hold up the end.

    The one helper thread of `ui.tasks` is for short work: a test would keep settings unsaved.
    """
    future: Future[T] = Future()

    def run() -> None:
        try:
            result = work()
        except Exception as error:  # noqa: BLE001 - handed on to whoever waits, as an executor does
            future.set_exception(error)
        else:
            future.set_result(result)

    threading.Thread(target=run, name="devices", daemon=True).start()
    return future
