"""The download process's main: the one child that reaches a network, and only named hosts of it.

It has one request and ends. Whoever started it ends it at any moment by closing the pipe or killing
it; what came is on the disk.
"""

from multiprocessing.connection import Connection

from app.errors import AppError
from app.models.hub.frames import ANSWERS, REQUESTS, Came, Failed, Fetch, Fetched, Found, LookUp
from app.models.room import write_failed
from app.privacy import network
from inference.child import end_with_parent
from inference.errors import InferenceError

_PURPOSE = "model download"


def serve(connection: Connection) -> int:
    """Fulfill one request for whoever holds the other end; return the exit code."""
    try:
        request = REQUESTS.decode(connection.recv_bytes())
    except EOFError:
        return 0
    end_with_parent(connection)
    answer: Found | Fetched | Failed
    try:
        answer = _fulfill(request, connection)
    except (AppError, InferenceError) as error:
        answer = Failed(error.code, error.facts)
    except OSError as error:
        refused = write_failed(error)
        answer = Failed(refused.code, refused.facts)
    connection.send_bytes(ANSWERS.encode(answer))
    return 0


def _fulfill(request: LookUp | Fetch, connection: Connection) -> Found | Fetched:
    # Here, so that a child that is closed at once has loaded nothing.
    from app.models.hub import downloader, lister, transport  # noqa: PLC0415

    way = transport.Transport(request.way, _permit)
    if isinstance(request, LookUp):
        return Found(lister.look_up(request, way))

    def report(done_bytes: tuple[int, ...]) -> None:
        connection.send_bytes(ANSWERS.encode(Came(done_bytes)))

    downloader.fetch(request, way, report)
    return Fetched()


def _permit(host: str) -> None:
    network.permit(host, _PURPOSE)
