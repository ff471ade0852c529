"""`snug devices`: what this computer could run a model on, and what Snug would take."""

import argparse
from dataclasses import asdict
from typing import Any

from app.children import command
from app.cli.output import Output
from app.paths import Paths
from inference import child, probe


def register(subparsers: Any) -> None:
    """Add the verb."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "devices",
        help="list what can run a model",
        description="List the devices of this computer, best first.",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(_options: argparse.Namespace, _places: Paths, output: Output) -> int:
    """List the devices."""
    output.status("Looking for devices…")
    found = probe.find(lambda: child.start(command("probe"))).devices
    output.clear_status()
    if output.as_json:
        output.result({"devices": [asdict(device) for device in found]})
        return 0
    for device in found:
        output.line(f"{device.target.kind.upper():4} {device.target.name}")
    return 0
