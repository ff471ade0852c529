"""Picks the window, the command line or a child process, and imports almost nothing itself.

Imports stand inside the functions because start-up must stay light: a child must not import the
window, the command line needs no Qt, and the window needs no runtime.
"""

import sys

from inference import quiet

_CHILD_ARGUMENTS = 3


def main() -> int:
    """Run what the command line asks for and return the exit status."""
    assert quiet.ENVIRONMENT  # noqa: S101 - imported first for its effect
    arguments = sys.argv[1:]
    if len(arguments) == _CHILD_ARGUMENTS and arguments[0] == "--child":
        return _child(arguments[1], arguments[2])
    from app.cli import parser  # noqa: PLC0415

    return parser.run(arguments)


def _child(verb: str, handle: str) -> int:
    from app import child_main  # noqa: PLC0415

    return child_main.run(verb, handle)


if __name__ == "__main__":
    sys.exit(main())
