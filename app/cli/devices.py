"""`snug devices`: what this computer could run a model on, and what Snug would take."""

import argparse
from dataclasses import asdict
from typing import Any

from app.children import command
from app.cli.output import Output
from app.paths import Paths
from inference import child
from inference.probe import list_devices


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
    found = list_devices(lambda: child.start(command("probe")))
    output.clear_status()
    if output.as_json:
        output.result({"devices": [asdict(device) for device in found]})
        return 0
    for device in found:
        use = "usable" if device.is_usable else "not used by Snug yet"
        output.line(f"{device.kind.upper():4} {device.name} ({device.provider}, {use})")
    return 0
