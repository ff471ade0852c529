"""Walls that the operating system puts round a child process.

`app.privacy.network` watches Python code; only the kernel stops native code. On Linux a child that
cannot have its wall against the network does not go on. On other systems no wall is built, and the
state says so, so that nobody claims more than holds.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from app.errors import PolicyError

Reason = Literal["", "not_on_this_system", "not_in_this_kernel"]

# For the PDFs that do not carry their own fonts.
_FONTS = Path("/usr/share/fonts")


@dataclass(frozen=True, slots=True)
class WallState:
    """Whether a wall stands.

    Attributes:
        mechanism: What enforces it, or empty.
        reason: Why nothing does, or empty.
    """

    is_enforced: bool
    mechanism: str = ""
    reason: Reason = ""


def deny_network(*, keep_unix: bool = False) -> WallState:
    """Refuse every new socket to this process, its threads and its children, for good.

    Call it first thing: sockets that are open stay open. With `keep_unix` UNIX sockets still work.

    Raises:
        PolicyError: This is Linux and the wall cannot be built.
    """
    if sys.platform != "linux":
        return WallState(is_enforced=False, reason="not_on_this_system")
    from app.privacy import seccomp  # noqa: PLC0415 - its constants exist on Linux only

    try:
        seccomp.install(keep_unix=keep_unix)
    except OSError as error:
        raise PolicyError(what="network filter") from error
    return WallState(is_enforced=True, mechanism="seccomp")


def only_file(path: Path) -> WallState:
    """Refuse every file but `path`, which may be read, to this process, for good.

    Imports read files: call it when everything is imported. Fonts stay readable.

    Raises:
        OSError: There is no such file.
        PolicyError: The kernel knows this wall and refuses to build it.
    """
    if sys.platform != "linux":
        return WallState(is_enforced=False, reason="not_on_this_system")
    from app.privacy import landlock  # noqa: PLC0415 - its constants exist on Linux only

    if not landlock.version():
        return WallState(is_enforced=False, reason="not_in_this_kernel")
    try:
        landlock.restrict(file=path, folders=[_FONTS])
    except (FileNotFoundError, IsADirectoryError):
        raise
    except OSError as error:
        raise PolicyError(what="file wall") from error
    return WallState(is_enforced=True, mechanism="landlock")
