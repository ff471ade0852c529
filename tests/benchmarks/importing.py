"""How fast a GGUF file is imported, and how much memory that takes beside the file itself.

`python -m tests.benchmarks.importing FILE.gguf [FOLDER]`; the folder is removed again. Memory is
that of the import child without its mapped files (`RssAnon`, Linux only): mapped pages of the
source count as resident and cost nothing.
"""

import argparse
import os
import shutil
import tempfile
import threading
import time
from pathlib import Path

from app.children import command
from inference import child
from inference.gguf.reader import GgufFile
from inference.gguf.run import run_import

MB = 1_000_000


class Watch:
    """Looks at the import child a hundred times a second."""

    def __init__(self) -> None:
        self.peak_bytes = 0
        self.processor_s = 0.0
        self._ended = threading.Event()
        self._process = Path()

    def launch(self) -> child.Child:
        """Start the import child and watch it."""
        started = child.start(command("import"))
        self._process = Path(f"/proc/{started.pid}")
        threading.Thread(target=self._look, daemon=True).start()
        return started

    def stop(self) -> None:
        """Look no more."""
        self._ended.set()

    def _look(self) -> None:
        while not self._ended.wait(0.01):
            try:
                lines = (self._process / "status").read_text().splitlines()
                ticks = (self._process / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                return
            user_and_system = int(ticks[11]) + int(ticks[12])
            self.processor_s = user_and_system / os.sysconf("SC_CLK_TCK")
            for line in lines:
                if line.startswith("RssAnon:"):
                    self.peak_bytes = max(self.peak_bytes, int(line.split()[1]) * 1024)


def main() -> None:
    """Import once and print figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("folder", type=Path, nargs="?", default=Path(tempfile.gettempdir()))
    options = parser.parse_args()
    with GgufFile(options.file) as file:
        largest_bytes = max(tensor.length_bytes for tensor in file.tensors.values())
    folder = Path(tempfile.mkdtemp(dir=options.folder))
    watch = Watch()
    began_s = time.monotonic()
    try:
        report = run_import(watch.launch, options.file, folder / "model")
        elapsed_s = time.monotonic() - began_s
    finally:
        watch.stop()
        shutil.rmtree(folder)
    size_bytes = options.file.stat().st_size
    text = (
        f"{size_bytes / MB:.0f} MB in {elapsed_s:.1f} s: {size_bytes / MB / elapsed_s:.0f} MB/s,"
        f" {size_bytes / MB / watch.processor_s:.0f} MB a second of one processor;"
        f" folder {report.folder_bytes / MB:.0f} MB; anonymous memory"
        f" {watch.peak_bytes / MB:.0f} MB, {watch.peak_bytes / largest_bytes:.2f} of the largest"
        f" tensor ({largest_bytes / MB:.0f} MB)"
    )
    print(text)  # noqa: T201 - what the command is for


if __name__ == "__main__":
    main()
