"""Cuts, resets, stalls, stops and kills in the middle of downloads, and what is left each time.

`python -m tests.benchmarks.cuts --count 200` takes some minutes. A hub on this machine serves a
small model again and again; each download is ended early at random until it gets through. Bytes
fetched twice are what the hub sent beyond the size of the files: what lies in the sockets at a kill
is lost, some 100 kB, so that the share is the smaller the larger a model is.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

from app import children
from app.errors import DownloadError
from app.models.hub.client import HubClient, HubOptions
from app.models.hub.frames import Patience
from app.models.hub.part import holds, missing_bytes
from app.models.hub.values import RemoteModel
from app.models.progress import FetchProgress
from app.models.task import Task
from inference import child
from inference.child import Child
from inference.errors import Cancelled
from tests import fake_hub
from tests.fake_hub import FakeHub, Fault

_KINDS = ("cut", "reset", "stall", "stop", "kill child", "kill snug")
_SIZES = {"model.onnx": 20_000_000, "model.onnx.bin": 4_000_000, "config.json": 3_000}
_BYTES_PER_S = 20_000_000
_PATIENCE = Patience(tries=8, backoff_s=0.02, longest_wait_s=0.5, connect_s=30, silence_s=1.5)


class Trial:
    """One model, fetched until it is there."""

    def __init__(self, hub: FakeHub, folder: Path, chance: random.Random) -> None:
        self.hub = hub
        self.model = hub.model()
        self.folder = folder
        self.chance = chance
        self.started: list[Child] = []
        self.stops_s: list[float] = []

    def is_complete(self) -> bool:
        return all(holds(self.folder / file.path, file) for file in self.model.files)

    def is_clean(self) -> bool:
        """Whether each file is either absent or the right one."""
        paths = [(self.folder / file.path, file) for file in self.model.files]
        return all(holds(path, file) for path, file in paths if path.exists())

    def disturb(self, kind: str) -> bool:
        """Fetch with one disturbance; return whether there was time for it."""
        left = missing_bytes(self.folder, self.model.files)
        point = self.chance.randrange(left) if left else 0
        if kind in ("cut", "reset", "stall"):
            file = self.chance.choice(self.model.files[:2])
            fault = Fault(ends=kind, after_bytes=point % max(missing_bytes(self.folder, [file]), 1))  # type: ignore[arg-type]
            self.hub.faults = {file.path: [fault]}
            self.fetch()
            return fault.times == 0
        if kind == "kill snug":
            return self.kill_snug(point)
        return self.end_at(point, kind)

    def fetch(self) -> None:
        client(self.hub.url, self.started).fetch(
            self.model, self.model.files, self.folder, task=Task(), on_progress=lambda _: None
        )

    def end_at(self, point: int, kind: str) -> bool:
        task = Task()
        at = sum(file.bytes for file in self.model.files)
        at = at - missing_bytes(self.folder, self.model.files) + point
        ended_s = 0.0

        def watch(progress: FetchProgress) -> None:
            nonlocal ended_s
            if progress.done_bytes >= at and not ended_s:
                ended_s = time.perf_counter()
                task.stop() if kind == "stop" else self.started[-1].kill()

        with suppress(Cancelled, DownloadError):
            client(self.hub.url, self.started).fetch(
                self.model, self.model.files, self.folder, task=task, on_progress=watch
            )
        if kind == "stop" and ended_s:
            self.stops_s.append(time.perf_counter() - ended_s)
        return bool(ended_s) and not self.is_complete()

    def kill_snug(self, point: int) -> bool:
        before = self.hub.sent_bytes
        command = [sys.executable, "-m", "tests.benchmarks.cuts", "--fetch", self.hub.url]
        process = subprocess.Popen([*command, "--folder", str(self.folder)])
        while process.poll() is None and self.hub.sent_bytes - before < point:
            self.hub.closing.wait(0.002)
        process.send_signal(signal.SIGKILL if os.name != "nt" else signal.SIGTERM)
        process.wait()
        # Its child ends by itself; a person needs longer to start Snug again.
        sent = -1
        while sent != self.hub.sent_bytes:
            sent = self.hub.sent_bytes
            self.hub.closing.wait(0.1)
        return process.returncode not in (0, None)


def client(url: str, started: list[Child]) -> HubClient:
    def launch() -> Child:
        started.append(child.start(children.command("download")))
        return started[-1]

    return HubClient(launch, lambda: HubOptions(url), _PATIENCE)


def sizes_model() -> RemoteModel:
    return FakeHub(contents()).model()


def contents() -> dict[str, bytes]:
    return {path: fake_hub.noise(size, seed) for seed, (path, size) in enumerate(_SIZES.items())}


def run(count: int, seed: int) -> int:
    chance = random.Random(seed)  # noqa: S311 - the same disturbances again
    happened: Counter[str] = Counter()
    stops_s: list[float] = []
    needed = sent = unclean = incomplete = downloads = 0
    began_s = time.perf_counter()
    while happened.total() < count:
        with (
            fake_hub.serve(contents(), bytes_per_s=_BYTES_PER_S) as hub,
            tempfile.TemporaryDirectory() as folder,
        ):
            trial = Trial(hub, Path(folder), chance)
            while not trial.is_complete() and happened.total() < count:
                kind = chance.choice(_KINDS)
                happened[kind] += trial.disturb(kind)
                unclean += not trial.is_clean()
            hub.faults = {}
            trial.fetch()
            incomplete += not trial.is_complete()
            downloads += 1
            needed += sum(_SIZES.values())
            sent += hub.sent_bytes
            stops_s += trial.stops_s
    say(f"{happened.total()} cuts and kills in {downloads} downloads: {dict(happened)}")
    say(f"ended complete and verified: {downloads - incomplete} of {downloads}")
    say(f"files under their names that were not whole, after any of them: {unclean}")
    say(f"bytes fetched twice: {100 * (sent - needed) / needed:.2f} % of {needed:,}")
    if stops_s:
        say(f"stopped within {1000 * max(stops_s):.0f} ms, {len(stops_s)} times")
    say(f"{time.perf_counter() - began_s:.0f} s")
    return 1 if unclean or incomplete else 0


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - what the command is for


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.cuts", description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=6)
    parser.add_argument("--fetch", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not options.fetch:
        return run(options.count, options.seed)
    model = sizes_model()
    client(options.fetch, []).fetch(
        model, model.files, Path(options.folder), task=Task(), on_progress=lambda _: None
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
