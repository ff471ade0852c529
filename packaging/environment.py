"""What start.py and check.py share: a virtual environment with Snug in it, made once.

Standard library only, and no syntax that an old Python cannot read: on such a machine the first
thing it must do is say so.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")

_OLDEST, _TOO_NEW = (3, 11), (3, 15)
_INSTALLED = VENV / "snug-installed"
QUIET_PIP = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}


def require_python() -> None:
    """End with a sentence where this Python cannot run Snug or make an environment."""
    running = "{}.{}".format(*sys.version_info)
    if not _OLDEST <= sys.version_info[:2] < _TOO_NEW:
        sys.exit(f"Snug needs Python 3.11 to 3.14; this is {running}. Run it with another one.")
    if importlib.util.find_spec("ensurepip") is None:
        sys.exit(
            "This Python cannot make virtual environments: its part `venv` is not installed.\n"
            "On Debian and Ubuntu: sudo apt install python3-venv"
        )


def run(*command: str | Path, **variables: str) -> int:
    """Run a command in the checkout, with these variables besides; return its exit status."""
    # What it prints comes after what was printed here.
    sys.stdout.flush()
    words = [str(word) for word in command]
    return subprocess.call(words, cwd=ROOT, env={**os.environ, **variables})


def prepare(extra: str = "") -> None:
    """Make the virtual environment and install Snug in it, where that has not been done.

    Args:
        extra: The extra to install besides, such as `dev`.
    """
    wanted = _fingerprint()
    installed = _INSTALLED.read_text("utf-8").split() if _INSTALLED.is_file() else []
    if installed[:1] == [wanted] and (not extra or extra in installed[1:]):
        return
    if not _has_pip():
        print("Making a virtual environment in .venv …")
        _check("The virtual environment", run(sys.executable, "-m", "venv", "--clear", VENV))
    print("Installing Snug and the libraries it uses in .venv …")
    target = f".[{extra}]" if extra else "."
    _INSTALLED.unlink(missing_ok=True)
    install = (PYTHON, "-m", "pip", "install", "--quiet", "-c", "constraints.txt", "-e", target)
    _check("The installation", run(*install, **QUIET_PIP))
    _INSTALLED.write_text(f"{wanted} {extra}\n", "utf-8")


def _fingerprint() -> str:
    """Return a sum over all that decides what is installed."""
    digest = hashlib.sha256(sys.version.encode())
    for name in ("pyproject.toml", "constraints.txt"):
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


def _has_pip() -> bool:
    """Tell whether the environment is there, whole and of this version of Python."""
    ask = "import sys, pip; print(*sys.version_info[:2])"
    try:
        done = subprocess.run(
            [PYTHON, "-c", ask], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False
        )
    except OSError:
        return False
    return done.stdout.decode().split() == [str(part) for part in sys.version_info[:2]]


def _check(what: str, status: int) -> None:
    if status:
        sys.exit(f"{what} failed; the reason stands above.")
