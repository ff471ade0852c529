"""Runs pip and ends with the program that started it: `python -m app.models.fetch_child ARGUMENTS`.

Only while a person's request runs may anything reach the network, so a fetch must not outlive a
Snug that was killed. The end of standard input tells, on every system, and nothing is ever written
to it.
"""

import os
import runpy
import threading


def main() -> None:
    """Run pip with this process's arguments."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    runpy.run_module("pip", run_name="__main__", alter_sys=True)


def _end_with_parent() -> None:
    # Not through sys.stdin, whose lock would be held when the interpreter ends.
    os.read(0, 1)
    os._exit(1)  # at once, whatever pip is waiting for


if __name__ == "__main__":
    main()
