"""Other runtimes that tests run against, each in an environment of its own below .cache.

An environment has its own runtime, and takes everything else from .venv: a file of paths in it puts
that behind. Where one cannot be made, its tests are skipped with a word, but not on a build server.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import environment
import mesa

_CACHE = environment.ROOT / ".cache"
_LISTS = Path(__file__).with_name("runtimes")
_VARIABLES = {"second": "SNUG_SECOND_RUNTIME", "openvino": "SNUG_OPENVINO_RUNTIME"}


def prepare() -> dict[str, str]:
    """Make what is missing, and return the variables that tell the tests where each is."""
    variables = {}
    for name, variable in _VARIABLES.items():
        folder = _CACHE / f"{name}-runtime"
        if reason := _prepare_environment(name, folder):
            _leave_out(f"the {name} runtime", reason)
        else:
            variables[variable] = str(folder)
    if reason := mesa.prepare():
        _leave_out("a Vulkan driver in software", reason)
    else:
        variables["SNUG_MESA"] = str(mesa.FOLDER)
    return variables


def _leave_out(what: str, reason: str) -> None:
    message = f"There is no {what.removeprefix('a ').removeprefix('the ')}: {reason}."
    if os.environ.get("CI") == "true":
        sys.exit(message)
    print(f"{message} Its tests are skipped.")


def _prepare_environment(name: str, folder: Path) -> str:
    """Make one environment where that has not been done, and return why there is none."""
    wanted = _LISTS / f"{name}.txt"
    ready = folder / "ready"
    stamp = f"{sys.version}\n{environment.ROOT}\n{wanted.read_text('utf-8')}"
    if ready.is_file() and ready.read_text("utf-8") == stamp:
        return ""
    print(f"Making an environment in .cache with the {name} runtime for the tests …")
    if environment.run(environment.PYTHON, "-m", "venv", "--clear", "--without-pip", folder):
        return "its environment cannot be made"
    python = folder / environment.PYTHON.relative_to(environment.VENV)
    pip = (environment.PYTHON, "-m", "pip", "--quiet", "--python", python)
    if environment.run(*pip, "install", "--no-deps", "-r", wanted, **environment.QUIET_PIP):
        return "its packages cannot be installed"
    own, others = _packages_folder(python), _packages_folder(environment.PYTHON)
    (own / "snug.pth").write_text(f"{others}\n{environment.ROOT}\n", "utf-8")
    ready.write_text(stamp, "utf-8")
    return ""


def _packages_folder(python: Path) -> Path:
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    asked = subprocess.run([python, "-c", ask], stdout=subprocess.PIPE, check=True)
    return Path(asked.stdout.decode().strip())
