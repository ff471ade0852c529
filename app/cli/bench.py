"""`snug bench`: what this machine does with a model, beside a bare loop in the same run."""

import argparse
from dataclasses import asdict
from typing import Any

from app.cli.engine import open_runner
from app.cli.output import Output
from app.messages import readable_bytes
from app.paths import Paths
from inference.bench import BenchReport, run_bench

_DIGITS = 3


def register(subparsers: Any) -> None:
    """Add the verb."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "bench",
        help="measure a model on this machine",
        description="Measure load, prefill, decode and memory through the path the window uses, "
        "and beside it a bare generator loop on the same model in the same run.",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--model", metavar="ID", help="an installed model; see snug models list")
    parser.add_argument("--device", choices=("auto", "cpu", "gpu", "npu"), default="auto")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, places: Paths, output: Output) -> int:
    """Measure and print."""
    with open_runner(places, model_id=options.model, device=options.device) as runner:
        report = run_bench(
            runner.client, on_status=lambda text: output.status(f"Measuring: {text}")
        )
        model_id = runner.model_id
    output.clear_status()
    if output.as_json:
        output.result({"model": model_id, **_rounded(asdict(report))})
    else:
        _print(model_id, report, output)
    return 0


def _print(model_id: str, report: BenchReport, output: Output) -> None:
    device = report.device
    output.line(f"{model_id} on {device.kind.upper()} ({device.name}), {report.threads} threads")
    if device.reason:
        output.line(f"because {device.reason}")
    output.line(", ".join(f"{name} {version}" for name, version in report.versions.items()))
    peak = readable_bytes(report.peak_bytes)
    output.line(f"load {report.load_s:.2f} s, first token {report.ttft_s:.2f} s, peak {peak}")
    output.line(f"{'':14} {'tokens/s':>10} {'bare loop':>10} {'ratio':>7}")
    for result in report.results:
        output.line(
            f"{result.name:14} {result.tokens_per_s:10.1f} {result.bare_tokens_per_s:10.1f} "
            f"{result.ratio:7.3f}"
        )


def _rounded(value: Any) -> Any:
    """Round every float: more digits would claim what three rounds cannot know."""
    if isinstance(value, float):
        return round(value, _DIGITS)
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return value
