"""How Snug starts its own child processes, in a checkout, installed and frozen."""

import sys
from typing import Literal

Verb = Literal[
    "host",
    "import",
    "document",
    "count",
    "probe",
    "trial",
    "embed",
    "ocr",
    "view",
    "download",
    "bandwidth",
]


def command(verb: Verb) -> list[str]:
    """Return the command line of a child, without the pipe's number that `inference.child` adds."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "--child", verb]
    return [sys.executable, "-I", "-X", "utf8", "-m", "app", "--child", verb]
