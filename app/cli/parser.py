"""The command line: one module a verb, each with `register` and `run`.

Exit status: 0 done; 1 with a sentence (or `{"error": …}` with --json) on standard error; 2 for
usage; 130 when interrupted.
"""

import argparse
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from app import __version__, log, messages, paths
from app.cli.output import Output
from app.errors import AppError
from app.privacy import network
from inference.errors import InferenceError

VERBS = ("ask", "chat", "summarize", "inspect", "documents", "models", "devices", "bench")
INTERRUPTED = 130
TERMINATED_BASE = 128


def run(arguments: Sequence[str]) -> int:
    """Run the verb, or open the window when there is none."""
    data_dir, rest = _take_data_dir(arguments)
    places = paths.resolve(data_dir)
    network.watch(places.network_log)
    log.write_to(places.log)
    if not rest:
        from app import main  # noqa: PLC0415 - the command line needs no Qt

        return main.run(places)
    options = _parser(rest[0] if rest[0] in VERBS else None).parse_args(rest)
    # Told to end, it ends as by itself: children are stopped, and no load looks like a crash.
    signal.signal(signal.SIGTERM, _end)
    output = Output(as_json=options.json)
    try:
        return int(options.run(options, places, output))
    except (InferenceError, AppError) as error:
        output.error(messages.describe(error))
        return 1
    except KeyboardInterrupt:
        output.clear_status()
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away; the flush at exit must not fail on it once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _end(number: int, _frame: object) -> NoReturn:
    sys.exit(TERMINATED_BASE + number)


def _parser(verb: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="snug",
        description="Private chat for the office. Without a verb the window opens.",
        epilog="Everywhere: --data-dir DIR, where Snug keeps its files (also: SNUG_DATA_DIR).",
    )
    parser.add_argument("--version", action="version", version=f"snug {__version__}")
    subparsers = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    # Only the verb that runs is imported, so that one verb does not pay for another.
    for name in (verb,) if verb else VERBS:
        importlib.import_module(f"app.cli.{name}").register(subparsers)
    return parser


def _take_data_dir(arguments: Sequence[str]) -> tuple[str | None, list[str]]:
    """Take `--data-dir` out, wherever it stands before `--`; return its value and the rest."""
    everything = list(arguments)
    end = everything.index("--") if "--" in everything else len(everything)
    parser = argparse.ArgumentParser(prog="snug", add_help=False, allow_abbrev=False)
    parser.add_argument("--data-dir")
    known, rest = parser.parse_known_args(everything[:end])
    return known.data_dir, rest + everything[end:]
