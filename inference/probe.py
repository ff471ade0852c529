"""Lists the devices of this computer from a process of its own.

Asking the runtime loads drivers, and a bad driver ends the process that asks: it must be neither
the window's nor the one that runs the model.
"""

from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection

from inference import devices
from inference.child import Child
from inference.devices import DeviceInfo
from inference.errors import BadFrame, WorkerDied
from inference.frames import Codec

_LIMIT_S = 30.0


@dataclass(frozen=True, slots=True)
class DevicesFound:
    """All there is to say."""

    devices: tuple[DeviceInfo, ...]


FRAMES = Codec((DevicesFound,))


def serve(connection: Connection) -> int:
    """Find the devices, say which, and end."""
    connection.send_bytes(FRAMES.encode(DevicesFound(devices.discover())))
    return 0


def list_devices(launch: Callable[[], Child]) -> tuple[DeviceInfo, ...]:
    """Return the devices, best first; blocks for a second or two. `launch` starts a probe.

    Raises:
        WorkerDied: The probe ended, or did not answer in half a minute.
    """
    child = launch()
    try:
        if not child.connection.poll(_LIMIT_S):
            raise WorkerDied
        found: DevicesFound = FRAMES.decode(child.connection.recv_bytes())
    except (EOFError, OSError, BadFrame) as error:
        child.kill()
        raise WorkerDied(exit_code=child.exit_code() or 0) from error
    finally:
        child.close()
    return found.devices
