"""`snug bench`: what this machine does with a model, beside others in the same run."""

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NoReturn

from app.children import command
from app.cli import bench_table
from app.cli.bench_model import Measured, measured
from app.cli.output import Output
from app.models.devices import DeviceService
from app.paths import Paths
from inference import child, draft_bench, manifest
from inference.bench import lanes, peer, sessions, speed
from inference.bench.speed import Reload
from inference.client import EngineClient
from inference.digests import digest
from inference.stream import Stream
from inference.synthetic import BODIES, PREFIX, SHAPES, Synthetic
from inference.types import Loaded

SUITES = ("speed", "sessions", "lanes", "drafts", "devices")

_ALL = "all"
_LLAMA_CPP = "llama.cpp"
_PEER_CONTEXT_TOKENS = 4096
_DIGITS = 3
_Fail = Callable[[str], NoReturn]


def register(subparsers: Any) -> None:
    """Add the verb."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "bench",
        help="measure a model on this machine",
        description="Measure a model through the path the window uses. The suite speed measures "
        "load, prefill, decode and memory beside a bare generator loop on the same model, and the "
        "share of this machine's memory bandwidth; sessions measures follow-ups and what is "
        "computed ahead; lanes a chat turn beside batch work; drafts what drafts gain; devices "
        "each device with the model.",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--model",
        metavar="ID",
        help=f"an installed model, see snug models list; or {PREFIX}SHAPE-TYPE, random weights made"
        f" on the spot, of {', '.join(SHAPES)} and {', '.join(BODIES)}",
    )
    parser.add_argument("--device", choices=("auto", "cpu", "gpu", "npu"), default="auto")
    parser.add_argument("--suite", choices=(*SUITES, _ALL), default=SUITES[0])
    parser.add_argument("--threads", type=_count, default=0, metavar="N", help="0 chooses")
    parser.add_argument("--rounds", type=_count, default=3, metavar="N", help="of each size")
    parser.add_argument(
        "--against", choices=(_LLAMA_CPP,), help="measure the same file there as well, in turn"
    )
    parser.add_argument("--gguf", type=Path, metavar="FILE", help="the file the model was made of")
    parser.add_argument(
        "--llama-python",
        default=sys.executable,
        metavar="PATH",
        help="a Python that can import llama_cpp; this one otherwise",
    )
    parser.set_defaults(run=run, fail=parser.error)


def run(options: argparse.Namespace, places: Paths, output: Output) -> int:
    """Measure and print."""
    synthetic = _synthetic(options.model, options.fail)
    suites = SUITES if options.suite == _ALL else (options.suite,)
    with (
        measured(places, options.model, synthetic, on_status=output.status) as model,
        _client() as client,
    ):
        gguf = _peer_file(options, model, options.fail) if options.against else None
        devices = DeviceService(places, lambda verb: child.start(command(verb)))
        reload = _reload(client, model, devices, options)
        found = _Bench(client, model, reload, devices, options, output)
        loaded = reload.load()
        results = {suite: found.measure(suite, loaded, gguf) for suite in suites}
    output.clear_status()
    common = {
        "model": model.name,
        "device": asdict(loaded.device),
        "threads": loaded.threads,
        "versions": loaded.versions,
        "load_s": loaded.load_s,
    }
    # The suite speed came first, and programs read its fields at the top.
    facts = {**common, **results.pop("speed", {}), **results}
    if output.as_json:
        output.result(_rounded(facts))
    else:
        bench_table.show(facts, output)
    return 0


@dataclass(frozen=True, slots=True)
class _Bench:
    """Runs the suites, one after the other, with one client."""

    client: EngineClient
    model: Measured
    reload: Reload
    devices: DeviceService
    options: argparse.Namespace
    output: Output

    def measure(self, suite: str, loaded: Loaded, gguf: Path | None) -> Any:
        """Run one suite and return its facts, as JSON has them."""
        if suite == "speed":
            return asdict(self._speed(loaded, gguf))
        if suite == "sessions":
            return asdict(sessions.run_sessions(self.client, on_status=self._status))
        if suite == "lanes":
            return asdict(lanes.run_lanes(self.client, on_status=self._status))
        if suite == "drafts":
            return [
                asdict(result)
                for result in draft_bench.measure(self.client, on_status=self._status)
            ]
        return [asdict(report) for report in self._each_device()]

    def _status(self, text: str) -> None:
        self.output.status(f"Measuring: {text}")

    def _speed(self, loaded: Loaded, gguf: Path | None) -> Any:
        rounds = self.options.rounds
        if gguf is None:
            return speed.run_bench(
                self.client, on_status=self._status, rounds=rounds, reload=self.reload
            )
        with peer.LlamaCpp(
            self.options.llama_python,
            gguf,
            threads=loaded.threads,
            context_tokens=min(_PEER_CONTEXT_TOKENS, loaded.context_tokens),
        ) as other:
            return speed.run_bench(
                self.client,
                on_status=self._status,
                rounds=rounds,
                reload=self.reload,
                peer=other,
            )

    def _each_device(self) -> Iterator[Any]:
        for report in self.devices.reports():
            if report.is_virtual:
                yield report
                continue
            yield self.devices.test(self.model.installed, report.target, self._status)


def _reload(
    client: EngineClient, model: Measured, devices: DeviceService, options: argparse.Namespace
) -> Reload:
    decision = devices.decide(model.installed, options.device)

    def load() -> Loaded:
        stream = Stream()
        client.load(
            model.installed.folder,
            device=options.device,
            target=decision.target,
            reason=decision.reason,
            threads=options.threads,
            sink=stream.put,
        )
        loaded = stream.wait()
        assert isinstance(loaded, Loaded)  # noqa: S101 - how every load ends
        return loaded

    return Reload(model.installed.folder, load)


@contextmanager
def _client() -> Iterator[EngineClient]:
    client = EngineClient(lambda: child.start(command("host")))
    try:
        yield client
    finally:
        client.close()


def _synthetic(name: str | None, fail: _Fail) -> Synthetic | None:
    if name is None or not name.startswith(PREFIX):
        return None
    try:
        return Synthetic.parse(name)
    except ValueError as error:
        fail(str(error))


def _peer_file(options: argparse.Namespace, model: Measured, fail: _Fail) -> Path:
    """Return the file for llama.cpp, or end with a sentence: nothing was measured yet."""
    if not peer.is_available(options.llama_python):
        fail(f"{options.llama_python} cannot import llama_cpp: see --llama-python")
    gguf: Path | None = options.gguf or model.gguf
    if gguf is None or not gguf.is_file():
        fail("--against needs the file the model was made of: see --gguf")
    source = manifest.read(model.installed.folder).source_sha256
    if options.gguf and digest(gguf).sha256 != source:
        fail(f"{model.name} was not made of {gguf.name}")
    return gguf


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError
    return number


def _rounded(value: Any) -> Any:
    """Round every float: more digits would claim what three rounds cannot know."""
    if isinstance(value, float):
        return round(value, _DIGITS)
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return value
