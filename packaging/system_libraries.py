"""The system's libraries that Qt needs on Linux and that no wheel brings along.

Qt ends the whole process when one of them is missing, so they are looked for before, by asking the
loader and not a package manager: other distributions call their packages by other names.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys

# Library to Debian's package; the same names on Debian 12 and 13, and on Ubuntu.
_PACKAGES = {
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
}


def require() -> None:
    """Install what is missing where that is possible, else end with the line that does it."""
    if sys.platform != "linux":
        return
    missing = _missing()
    if not missing:
        return
    packages = [_PACKAGES[library] for library in missing]
    if shutil.which("apt-get") is None:
        sys.exit("Qt needs libraries of the system that are not installed: " + " ".join(missing))
    if os.geteuid() == 0:
        print("Installing libraries that Qt needs: " + " ".join(packages))
        _install(packages)
        if not _missing():
            return
    sys.exit(
        "Qt needs libraries of the system that are not installed. Install them with\n"
        "    sudo apt-get install --no-install-recommends " + " ".join(packages)
    )


def _missing() -> list[str]:
    return [library for library in _PACKAGES if not _loads(library)]


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _install(packages: list[str]) -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (
        ["apt-get", "update", "-qq"],
        ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages],
    ):
        subprocess.call(command, env=environment, stdout=subprocess.DEVNULL)
