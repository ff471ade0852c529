"""A Vulkan driver in software, for tests of the WebGPU provider where there is no GPU.

Debian's packages are unpacked into a folder of the checkout, and only the tests look there: the
system's own drivers stay as they are. WebGPU needs Mesa 25; Debian 12 has it among its backports.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import environment

FOLDER = environment.ROOT / ".cache" / "mesa"

_READY = FOLDER / "ready"
_WORK = FOLDER.with_name("mesa-apt")
_KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
# Suites of the release that have a Mesa that is new enough, the one to prefer last.
_SUITES = {"bookworm": ("bookworm", "bookworm-backports"), "trixie": ("trixie",)}
_PACKAGES = ("mesa-vulkan-drivers", "libvulkan1")
_SOURCE = re.compile(r"^(?:URIs:|deb\s+(?:\[[^\]]*\]\s+)?)\s*(\S+/debian/?)(?:\s|$)", re.MULTILINE)


def prepare() -> str:
    """Unpack the driver where that has not been done, and return why there is none, or nothing."""
    if _READY.is_file():
        return ""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return "it is unpacked on Linux on x86_64 only"
    suites = _SUITES.get(platform.freedesktop_os_release().get("VERSION_CODENAME", ""))
    mirror = _mirror()
    if suites is None or not mirror or not _KEYS.is_file() or shutil.which("dpkg-deb") is None:
        return "it is unpacked from Debian 12 and 13 only"
    print("Unpacking a Vulkan driver in software for the tests, 21 MB …")
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    if not (_fetch(mirror, suites) and _unpack()):
        return "its packages cannot be fetched or unpacked"
    _READY.touch()
    shutil.rmtree(_WORK, ignore_errors=True)
    return ""


def _mirror() -> str:
    """Return where this system gets its packages from."""
    folder = Path("/etc/apt")
    files = [folder / "sources.list", *sorted((folder / "sources.list.d").glob("*"))]
    for file in files:
        if file.is_file() and (found := _SOURCE.search(file.read_text("utf-8", "replace"))):
            return found[1].rstrip("/")
    return ""


def _fetch(mirror: str, suites: tuple[str, ...]) -> bool:
    """Have apt fetch the packages and what they need and the system lacks, into our own folder."""
    shutil.rmtree(_WORK, ignore_errors=True)
    for name in ("lists/partial", "cache/archives/partial"):
        (_WORK / name).mkdir(parents=True)
    sources = _WORK / "sources.list"
    lines = [f"deb [signed-by={_KEYS}] {mirror} {suite} main\n" for suite in suites]
    sources.write_text("".join(lines), "utf-8")
    options = {
        "Dir::Etc::sourcelist": sources,
        "Dir::Etc::sourceparts": "-",
        "Dir::State::lists": _WORK / "lists",
        "Dir::Cache": _WORK / "cache",
        "Debug::NoLocking": "1",
        "APT::Sandbox::User": "root",
    }
    apt = ["apt-get", "-qq", *(f"-o{name}={value}" for name, value in options.items())]
    wanted = ["install", "--yes", "--download-only", "--no-install-recommends", "-t", suites[-1]]
    return _is_done([*apt, "update"]) and _is_done([*apt, *wanted, *_PACKAGES])


def _unpack() -> bool:
    archives = sorted((_WORK / "cache" / "archives").glob("*.deb"))
    unpacked = all(_is_done(["dpkg-deb", "-x", str(archive), str(FOLDER)]) for archive in archives)
    return unpacked and bool(list(FOLDER.glob("usr/share/vulkan/icd.d/lvp*.json")))


def _is_done(command: list[str]) -> bool:
    variables = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(command, env=variables, stdout=subprocess.DEVNULL, check=False)
    return done.returncode == 0
