"""The processor's name as its maker writes it."""

import platform
import subprocess
import sys
from pathlib import Path


def processor_name() -> str:
    """Return the processor's name; asks the system, and never fails."""
    try:
        found = _READERS.get(sys.platform, platform.processor)()
    except (OSError, subprocess.SubprocessError):
        found = ""
    return " ".join(found.split()) or platform.processor() or platform.machine()


def _linux_name() -> str:
    for line in Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            return value
    return ""


def _mac_name() -> str:
    command = ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]
    return subprocess.run(command, capture_output=True, check=True, text=True, timeout=5).stdout


def _windows_name() -> str:
    if sys.platform == "win32":
        import winreg  # noqa: PLC0415 - exists on Windows only

        path = r"HARDWARE\DESCRIPTION\System\CentralProcessor\0"
        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, path) as key:
            return str(winreg.QueryValueEx(key, "ProcessorNameString")[0])
    return ""


_READERS = {"linux": _linux_name, "darwin": _mac_name, "win32": _windows_name}
