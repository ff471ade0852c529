"""Which device runs a model: found, tried once, remembered."""

from collections.abc import Callable

from app.children import Verb
from app.models.device_values import Decision, DeviceReport
from app.models.installed import InstalledModel
from app.paths import Paths
from inference import devices
from inference.child import Child
from inference.types import DeviceTarget, DeviceWish


class DeviceService:
    """Knows this computer's devices; any thread but the GUI's, for every method may block.

    Args:
        launch: Starts one of Snug's own child processes.
    """

    def __init__(self, paths: Paths, launch: Callable[[Verb], Child]) -> None:
        self._paths = paths
        self._launch = launch

    def reports(self) -> tuple[DeviceReport, ...]:
        """Return the devices, best first."""
        return (DeviceReport(devices.processor_target()),)

    def decide(self, model: InstalledModel, wish: DeviceWish) -> Decision:
        """Return the device that `model` shall run on, trying those that nobody knows yet."""
        return Decision(devices.processor_target(), devices.unmet(wish))

    def retry(self, target: DeviceTarget) -> None:
        """Forget that a device failed."""

    def test(
        self, model: InstalledModel, target: DeviceTarget, on_status: Callable[[str], None]
    ) -> DeviceReport:
        """Try a device with a model and measure its speed; takes some seconds."""
        return DeviceReport(target)
