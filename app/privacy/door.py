"""The one opening in the network's door: hosts that a person's request named, one by one.

Only the download process has it. A connection is made to an address and not to a name, so the
addresses that the look-up of a named host gave are let through as well, and no others.
"""

from collections.abc import Callable, Sequence
from typing import Any

_DESTINATIONS = ("look-up", "connect")


class Door:
    """The hosts that are open; the hook asks it, from any thread."""

    def __init__(self) -> None:
        # Only grow, and one operation each, so that no lock is needed within an audit hook.
        self._names: set[str] = set()
        self._addresses: set[str] = set()

    def open(self, host: str) -> None:
        """Let `host` through from now on."""
        self._names.add(_folded(host))

    def lets_through(self, what: str, host: str) -> bool:
        """Whether `what` may happen with `host`, a name or an address."""
        folded = _folded(host)
        return what in _DESTINATIONS and (folded in self._names or folded in self._addresses)

    def remembering(
        self, look_up: Callable[..., Sequence[tuple[Any, ...]]]
    ) -> Callable[..., Sequence[tuple[Any, ...]]]:
        """Return `look_up`, a getaddrinfo, so that what it finds for open names is let through."""

        def remembering(host: Any, *rest: Any, **options: Any) -> Sequence[tuple[Any, ...]]:
            found = look_up(host, *rest, **options)
            name = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)
            if _folded(name) in self._names:
                self._addresses.update(_folded(str(each[-1][0])) for each in found)
            return found

        return remembering


def _folded(host: str) -> str:
    return host.lower().rstrip(".")
