"""What the command line prints: answers on standard output, everything else on standard error."""

import json
import sys
from typing import Any, TextIO

from app.messages import Notice


class Output:
    """Prints for people or, with `as_json`, one JSON object for programs."""

    def __init__(
        self, *, as_json: bool, out: TextIO | None = None, err: TextIO | None = None
    ) -> None:
        self.as_json = as_json
        self._out = out or sys.stdout
        self._err = err or sys.stderr
        self._has_status = False

    def result(self, value: dict[str, Any]) -> None:
        """Print the one JSON object; only called with `as_json`."""
        self._out.write(json.dumps(value, ensure_ascii=False) + "\n")
        self._out.flush()

    def text(self, piece: str) -> None:
        """Print a piece of an answer as it comes."""
        self.clear_status()
        self._out.write(piece)
        self._out.flush()

    def thought(self, piece: str) -> None:
        """Print a piece of what the model thinks, dimmed and beside the answer."""
        self.clear_status()
        self._err.write(f"\x1b[2m{piece}\x1b[22m" if self._err.isatty() else piece)
        self._err.flush()

    def line(self, text: str = "") -> None:
        """Print one line of an answer."""
        self.text(text + "\n")

    def status(self, text: str) -> None:
        """Show how far the work is, in one line that the next one replaces; at a terminal only."""
        if self.as_json or not self._err.isatty():
            return
        self._err.write(f"\r\x1b[K{text}")
        self._err.flush()
        self._has_status = True

    def clear_status(self) -> None:
        """Remove the status line."""
        if self._has_status:
            self._err.write("\r\x1b[K")
            self._err.flush()
            self._has_status = False

    def note(self, text: str) -> None:
        """Say something beside the answer, for people only."""
        self.clear_status()
        if not self.as_json:
            self._err.write(text + "\n")
            self._err.flush()

    def error(self, notice: Notice) -> None:
        """Say what went wrong and what to do."""
        self.clear_status()
        if self.as_json:
            body = {"code": notice.code, "message": notice.message, "action": notice.action}
            self._err.write(json.dumps({"error": body}, ensure_ascii=False) + "\n")
        else:
            self._err.write(f"snug: {notice.message} {notice.action}\n")
        self._err.flush()
