"""A package index on this machine, as pip sees one: pages, wheels, and trouble on demand."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


@dataclass(slots=True)
class PackageIndex:
    """Serves the wheels of a folder.

    Attributes:
        fetched: Names of the wheels that were asked for, in order.
        hold_back: Name of a wheel of which half is sent, and the rest when `go_on` is set.
        held: Set while a wheel is being held back.
    """

    folder: Path
    url: str = ""
    fetched: list[str] = field(default_factory=list)
    hold_back: str = ""
    held: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)


@contextmanager
def serve(folder: Path) -> Iterator[PackageIndex]:
    """Serve the wheels of `folder` on the loopback interface."""
    index = PackageIndex(folder)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.rstrip("/").rsplit("/", 1)[-1]
            if self.path.startswith("/simple/"):
                self._answer(_page(folder, name), "text/html")
            elif (wheel := folder / name).is_file():
                index.fetched.append(name)
                self._answer(wheel.read_bytes(), "application/zip", hold=name == index.hold_back)
            else:
                self.send_error(404)

        def _answer(self, body: bytes, kind: str, *, hold: bool = False) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            first = len(body) // 2 if hold else len(body)
            try:
                self.wfile.write(body[:first])
                if first < len(body):
                    index.held.set()
                    index.go_on.wait()
                    self.wfile.write(body[first:])
            except OSError:
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    index.url = f"http://127.0.0.1:{server.server_address[1]}/simple"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield index
    finally:
        index.go_on.set()
        server.shutdown()
        thread.join()
        server.server_close()


def _page(folder: Path, package: str) -> bytes:
    stem = re.sub(r"[-_.]+", "_", package)
    links = (
        f'<a href="/files/{wheel.name}">{wheel.name}</a>' for wheel in folder.glob(f"{stem}-*.whl")
    )
    return f"<!DOCTYPE html><html><body>{''.join(links)}</body></html>".encode()
