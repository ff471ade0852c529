"""Frames between Snug and its download process.

The access token crosses here, down the pipe, and nowhere else: arguments and environments can be
read by other programs of the same person.
"""

from dataclasses import dataclass, field

from app.models.hub.values import RemoteFile, RemoteModel
from inference.errors import Fact
from inference.frames import Codec


@dataclass(frozen=True, slots=True)
class Patience:
    """How long is waited, and how often something is tried.

    Attributes:
        tries: Attempts in a row that may bring no new byte.
        backoff_s: Wait after the first of these; doubled after each, up to `longest_wait_s`.
        longest_wait_s: Also where the hub asks for a longer one.
        connect_s: Until a connection stands.
        silence_s: Until the next bytes.
    """

    tries: int = 6
    backoff_s: float = 1.0
    longest_wait_s: float = 60.0
    connect_s: float = 10.0
    silence_s: float = 20.0

    def wait_s(self, failures: int, asked_s: float | None = None) -> float:
        """Return how long to wait after so many attempts in a row without a new byte."""
        wait_s = self.backoff_s * 2 ** max(failures - 1, 0) if asked_s is None else asked_s
        return min(wait_s, self.longest_wait_s)


@dataclass(frozen=True, slots=True)
class Way:
    """How a hub is reached.

    Attributes:
        endpoint: Scheme and host, without a slash at its end.
        proxy: Its address; empty takes the system's.
        token: Sent to the endpoint's origin only; empty for none.
        is_mirror: Whether no other host than the endpoint's may be asked for anything.
    """

    endpoint: str
    proxy: str
    token: str = field(repr=False)
    is_mirror: bool
    patience: Patience


@dataclass(frozen=True, slots=True)
class LookUp:
    """What does a repository hold? Answered by `Found` or `Failed`."""

    way: Way
    repository: str
    revision: str


@dataclass(frozen=True, slots=True)
class Fetch:
    """Get these files into `folder`. Answered by `Came`, again and again, `Fetched` or `Failed`."""

    way: Way
    repository: str
    commit: str
    files: tuple[RemoteFile, ...]
    folder: str


@dataclass(frozen=True, slots=True)
class Found:
    """The answer of the hub, its paths checked."""

    model: RemoteModel


@dataclass(frozen=True, slots=True)
class Came:
    """Bytes of each file that are on the disk, in the order of the request."""

    done_bytes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Fetched:
    """All files are there under their names, and proven."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The end of a request that could not be fulfilled; see `app.errors`."""

    code: str
    facts: dict[str, Fact]


REQUESTS = Codec((LookUp, Fetch))
ANSWERS = Codec((Found, Came, Fetched, Failed))
