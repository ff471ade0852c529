"""A proxy on this machine that knows names which nobody else does."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

_PIECE_BYTES = 65536


@dataclass(slots=True)
class LoopbackProxy:
    """What the proxy knows and saw.

    Attributes:
        hosts: Port on this machine of each host that can be reached.
        asked: Addresses that were asked for.
        refuses: Whether it lets nothing through.
    """

    hosts: Mapping[str, int]
    refuses: bool = False
    url: str = ""
    asked: list[str] = field(default_factory=list)


@contextmanager
def serve(hosts: Mapping[str, int], *, refuses: bool = False) -> Iterator[LoopbackProxy]:
    """Serve plain HTTP for `hosts`."""
    proxy = LoopbackProxy(hosts, refuses)

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
            pass

        def do_GET(self) -> None:
            proxy.asked.append(self.path)
            address = urlsplit(self.path)
            if proxy.refuses:
                self.send_error(407)
                return
            connection = HTTPConnection("127.0.0.1", proxy.hosts[address.hostname or ""])
            with suppress(OSError):
                path = f"{address.path}?{address.query}" if address.query else address.path
                connection.request("GET", path, headers=dict(self.headers.items()))
                answer = connection.getresponse()
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    self.send_header(name, value)
                self.end_headers()
                while piece := answer.read1(_PIECE_BYTES):
                    self.wfile.write(piece)
            connection.close()
            self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    proxy.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield proxy
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
