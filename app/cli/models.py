"""`snug models`: what is installed, what can be had, and everything done with it."""

import argparse
from collections.abc import Callable
from pathlib import Path

from app.cli import (
    models_adding,
    models_care,
    models_comparing,
    models_listing,
    models_looking,
    models_packs,
)
from app.cli.output import Output
from app.paths import Paths

Run = Callable[[argparse.Namespace, Paths, Output], int]


def register(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = subparsers.add_parser("models", help="find, add, compare, verify and remove models")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def action(name: str, run: Run, about: str) -> argparse.ArgumentParser:
        added = actions.add_parser(name, help=about, description=about)
        added.add_argument("--json", action="store_true", help="print one JSON object")
        added.set_defaults(run=run)
        return added

    listing = action("list", models_listing.run, "what is installed, under way, and can be added")
    listing.add_argument(
        "--found",
        action="store_true",
        help="list what LM Studio, Ollama, Jan and GPT4All have here",
    )
    _register_adding(action)
    remove = action("remove", models_care.remove, "delete a model")
    remove.add_argument("id", metavar="ID")
    verify = action("verify", models_care.verify, "read every byte of a model and compare it")
    verify.add_argument("id", metavar="ID")
    models_looking.register(action)
    models_comparing.register(action)
    models_packs.register(action)


def _register_adding(action: Callable[[str, Run, str], argparse.ArgumentParser]) -> None:
    add = action("add", models_adding.add, "add a model")
    add.add_argument(
        "source",
        nargs="+",
        metavar="SOURCE",
        help="an id of `snug models list`, owner/name of a repository, .whl files, a .gguf file,"
        " a model folder, or a model pack",
    )
    add.add_argument("--variant", help="which of a repository's variants; see `snug models info`")
    add.add_argument("--revision", default="main", help="a repository's branch, tag or commit")
    pause = action("pause", models_adding.pause, "pause a download, in whatever program it runs")
    pause.add_argument("id", metavar="ID")
    resume = action("resume", models_adding.resume, "go on with a download that was stopped")
    resume.add_argument("id", metavar="ID")
    fetch = action("fetch", models_adding.fetch, "fetch a model's original file, convert nothing")
    fetch.add_argument("id", metavar="ID")
    fetch.add_argument("file", type=Path, metavar="FILE")
