"""`snug models remove` and `verify`."""

import argparse

from app.cli.models_service import opened
from app.cli.output import Output
from app.messages import readable_bytes
from app.paths import Paths


def remove(options: argparse.Namespace, places: Paths, output: Output) -> int:
    """Delete a model at once."""
    with opened(places) as service:
        service.remove(options.id).result()
    if output.as_json:
        output.result({"id": options.id, "removed": True})
    else:
        output.line(f"{options.id} is removed.")
    return 0


def verify(options: argparse.Namespace, places: Paths, output: Output) -> int:
    """Read every byte of a model and compare it with the manifest."""

    def progress(done: int, total: int) -> None:
        output.status(f"Checking: {readable_bytes(done)} of {readable_bytes(total)}")

    with opened(places) as service:
        service.verify(options.id, progress).result()
    output.clear_status()
    if output.as_json:
        output.result({"id": options.id, "ok": True})
    else:
        output.line("ok")
    return 0
