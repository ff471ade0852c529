"""How a child process ended, in words that may be shown."""

import signal
import sys

from inference.child import Child

_ENDING_S = 2.0


def describe(child: Child) -> str:
    """Wait for a child whose pipe is closed, and return how it ended, such as "by SIGSEGV"."""
    child.close(_ENDING_S)
    code = child.exit_code()
    if code is None:
        return "for no known reason"
    if code < 0:
        try:
            return f"by {signal.Signals(-code).name}"
        except ValueError:
            return f"by signal {-code}"
    if sys.platform == "win32" and code > 0x7FFFFFFF:  # noqa: PLR2004 - an exception of Windows
        return f"by exception 0x{code:08X}"
    return f"with code {code}"
