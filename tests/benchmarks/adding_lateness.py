"""Runs the whole window while models are added, and measures its event loop; run from the checkout.

With the models page open, a GGUF file is imported and then a large file comes from a hub on this
machine, which is a process of its own. What comes is no model, so it ends as damaged once all of it
is here. A timer that should fire every 4 ms tells how late it comes::

    python tests/benchmarks/adding_lateness.py FILE.gguf [--megabytes 500]
"""

import argparse
import functools
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[2]))

from PySide6.QtWidgets import QApplication

from app import main as composition
from app import paths
from app.models.sources import GgufSource, HubSource
from app.settings import Settings
from tests.benchmarks.phases import PhaseMeter, line_of
from ui import application
from ui.main_window import MainWindow
from ui.models.jobs import Jobs

if TYPE_CHECKING:
    from app.models.add_job import AddJob

IDLE_S = 2.0
_HUB = """
import sys
from tests import fake_hub
files = {"genai_config.json": b"{}", "model.onnx": fake_hub.noise(int(sys.argv[1]))}
with fake_hub.serve(files) as hub:
    print(hub.url, flush=True)
    sys.stdin.read()
"""


class Meter(PhaseMeter):
    """Imports, then downloads.

    Attributes:
        ends: Phase to how the addition in it ended.
    """

    def __init__(self, window: MainWindow, file: Path) -> None:
        self.ends: dict[str, str] = {}
        self._window = window
        self._file = file
        self._job: AddJob | None = None
        phases = {
            "start": lambda for_s: "idle" if for_s > IDLE_S else "start",
            "idle": self._idle,
            "import": self._import,
            "download": self._download,
        }
        super().__init__(window, phases, "start")

    def _idle(self, for_s: float) -> str:
        if for_s < IDLE_S:
            return "idle"
        self._window._pages.show_models()
        self._follow(GgufSource(self._file))
        return "import"

    def _import(self, _: float) -> str:
        if not self._has_ended("import"):
            return "import"
        self._window._pages.show_models()
        self._follow(HubSource("acme/tiny"))
        return "download"

    def _download(self, _: float) -> str:
        return "" if self._has_ended("download") else "download"

    def _follow(self, source: GgufSource | HubSource) -> None:
        self._job = self._window._models._service.add(source)
        jobs = self._window.findChild(Jobs)
        assert jobs is not None
        jobs.follow(self._job, "Tiny", source)

    def _has_ended(self, phase: str) -> bool:
        assert self._job is not None
        view = self._job.view()
        if view.is_last:
            code = getattr(view.error, "code", "")
            self.ends[phase] = f"{view.stage} {code}".strip()
        return view.is_last


def main() -> int:
    """Open the window, measure, close it and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--megabytes", type=int, default=500)
    options = parser.parse_args()
    meters: list[Meter] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(
            [sys.executable, "-c", _HUB, str(options.megabytes * 1_000_000)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        ) as hub,
    ):
        assert hub.stdout is not None
        places = paths.Paths(Path(folder))
        replace(Settings(), hub_endpoint=hub.stdout.readline().strip()).save(places.settings)
        os.environ[paths.DATA_DIR_VARIABLE] = folder

        def painted() -> None:
            (window,) = (
                one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow)
            )
            meters.append(Meter(window, options.file))

        application.run = functools.partial(application.run, on_painted=painted)
        status = composition.run(paths.resolve())
        hub.communicate()
    (meter,) = meters
    for phase, late_ms in meter.late_ms.items():
        took_s, end = meter.took_s[phase], meter.ends.get(phase, "")
        sys.stdout.write(f"{phase}: {took_s:.1f} s, late {line_of(late_ms)} {end}\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
