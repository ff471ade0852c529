"""What has been loaded when the window is first painted: Qt and light modules, nothing else."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.e2e.desktop import ROOT

HEAVY = (
    "cryptography",
    "gguf",
    "huggingface_hub",
    "keyring",
    "numpy",
    "onnxruntime",
    "onnxruntime_genai",
    "pip",
    "pygments",
    "pypdfium2",
    "tokenizers",
    "PySide6.QtNetwork",
)
DRIVER = """
import functools, json, sys
from ui import application
from PySide6.QtWidgets import QApplication

def painted():
    print(json.dumps(sorted(sys.modules)), flush=True)
    QApplication.closeAllWindows()

application.run = functools.partial(application.run, on_painted=painted)
from app import __main__
sys.argv = ["snug", "--data-dir", sys.argv[1]]
sys.exit(__main__.main())
"""


def test_the_window_is_painted_before_anything_heavy_is_imported(data_dir: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, str(data_dir)],
        cwd=ROOT,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    loaded = set(json.loads(done.stdout.splitlines()[0]))
    assert "ui.main_window" in loaded
    assert loaded & set(HEAVY) == set()
