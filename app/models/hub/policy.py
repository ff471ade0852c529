"""Which hosts a request may reach, and which of them may see the token.

The endpoint's host is named by a person. A public hub keeps large files with others and says so by
a redirect, which is followed for large files alone; a mirror is the only host there is.
"""

from collections.abc import Callable
from typing import NamedTuple

from app.errors import HostRefused


class Origin(NamedTuple):
    """What the web calls an origin; `host` in lower case and as it is looked up."""

    scheme: str
    host: str
    port: int


class Policy:
    """The rules of one request; asked before each hop.

    Args:
        home: The endpoint's origin.
        permit: Opens the door of this process to a host, and logs it.
    """

    def __init__(self, home: Origin, *, is_mirror: bool, permit: Callable[[str], None]) -> None:
        self.home = home
        self._is_mirror = is_mirror
        self._permit = permit
        self._known = {home.host}
        permit(home.host)

    def check(self, origin: Origin) -> None:
        """Raise HostRefused unless `origin` may be asked."""
        if origin.host not in self._known or origin.scheme not in self._schemes():
            raise HostRefused(host=origin.host, hub=self.home.host)

    def learn(self, origin: Origin) -> None:
        """Allow where the endpoint itself keeps a large file; HostRefused as `check`."""
        is_known = origin.host in self._known
        if not is_known and not self._is_mirror and origin.scheme in self._schemes():
            self._permit(origin.host)
            self._known.add(origin.host)
        self.check(origin)

    def may_see_token(self, origin: Origin) -> bool:
        """Whether `origin` is the one that the token belongs to."""
        return origin == self.home

    def _schemes(self) -> tuple[str, ...]:
        """What begins encrypted stays encrypted."""
        return ("https",) if self.home.scheme == "https" else ("http", "https")
