"""A model hub on this machine, as a downloader sees one: listings, ranges, redirects, and trouble.

The listing and the files are at 127.0.0.1, and large files optionally at `localhost`, which is
another host to whoever compares names.
"""

import hashlib
import json
import socket
import ssl
import struct
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

from app.models.hub.values import RemoteFile, RemoteModel

REPOSITORY = "acme/tiny"
COMMIT = "c0ffee" + "0" * 34
API, RESOLVE = "(api)", "(resolve)"
_LARGE = (".onnx", ".gguf", ".bin")
_PIECE_BYTES = 8192
_SEND_BUFFER_BYTES = 16384


@dataclass(slots=True)
class Fault:
    """Trouble with an answer.

    Attributes:
        ends: How the body ends too early.
        after_bytes: Bytes of the body that are sent before it ends so.
        status: Answered instead of the file.
        headers: Of that answer.
        flips: Position in the file of a byte that is sent wrong.
        extra_bytes: Sent behind the file; announced, or not.
        ignores_range: All of the file is sent, whatever was asked.
        shifts_range: The range that is sent begins later by so many bytes.
        body: Sent instead of the listing.
        times: How many answers have it; -1 for all.
    """

    ends: Literal["", "cut", "reset", "stall"] = ""
    after_bytes: int = 0
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    flips: int | None = None
    extra_bytes: int = 0
    is_extra_announced: bool = True
    ignores_range: bool = False
    shifts_range: int = 0
    body: bytes = b""
    times: int = 1


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as it came."""

    host: str
    path: str
    headers: Mapping[str, str]


@dataclass(slots=True)
class FakeHub:
    """What the hub holds, what is wrong with it, and what it saw.

    Attributes:
        faults: Of a file by its path, of `API` or of `RESOLVE`; the first that has times left is
            used.
        token: Who does not send it is told that the model is gated.
        is_elsewhere: Large files are redirected to `localhost`.
        bytes_per_s: Speed of one file; 0 is as fast as it goes.
        sent_bytes: Of files, as the system took them to be sent.
    """

    files: dict[str, bytes]
    faults: dict[str, list[Fault]] = field(default_factory=dict)
    token: str = ""
    is_elsewhere: bool = False
    bytes_per_s: int = 0
    url: str = ""
    listed_besides: tuple[str, ...] = ()
    asked: list[Asked] = field(default_factory=list)
    sent_bytes: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    closing: threading.Event = field(default_factory=threading.Event)

    @property
    def elsewhere_url(self) -> str:
        """The same server under another name."""
        return self.url.replace("127.0.0.1", "localhost")

    def model(self, paths: Sequence[str] | None = None) -> RemoteModel:
        """Return what a look-up gives, without one."""
        files = tuple(remote_file(path, self.files[path]) for path in paths or self.files)
        return RemoteModel(REPOSITORY, COMMIT, "", False, files)

    def next_fault(self, key: str) -> Fault | None:
        """Return the trouble that the next answer has."""
        with self.lock:
            for fault in self.faults.get(key, ()):
                if fault.times:
                    fault.times -= 1
                    return fault
        return None

    def paths_asked(self, prefix: str) -> list[Asked]:
        """Return the requests whose path begins so."""
        return [asked for asked in self.asked if asked.path.startswith(prefix)]


def remote_file(path: str, content: bytes) -> RemoteFile:
    """Return what a hub says of a file."""
    if path.endswith(_LARGE):
        return RemoteFile(path, len(content), hashlib.sha256(content).hexdigest(), True)
    return RemoteFile(path, len(content), blob_id(content), False)


def blob_id(content: bytes) -> str:
    """Return what git calls a file with this content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()  # noqa: S324 - git's


def noise(count: int, seed: int = 0) -> bytes:
    """Return bytes of which no part looks like another."""
    return hashlib.shake_128(str(seed).encode()).digest(count)


@contextmanager
def serve(
    files: Mapping[str, bytes], *, certificate: Path | None = None, **options: Any
) -> Iterator[FakeHub]:
    """Serve `files` as one repository on the loopback interface, encrypted with a certificate."""
    hub = FakeHub(dict(files), **options)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(hub))
    server.daemon_threads = True
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    hub.url = f"{'http' if certificate is None else 'https'}://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield hub
    finally:
        hub.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(hub: FakeHub) -> type[BaseHTTPRequestHandler]:
    class Handler(_Answering):
        pass

    Handler.hub = hub
    return Handler


class _Answering(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: FakeHub

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
        pass

    def setup(self) -> None:
        super().setup()
        # What counts as sent should be what the other end has, or nearly.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)

    def handle(self) -> None:
        try:
            super().handle()
        except OSError:
            self.close_connection = True

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        host = self.headers.get("Host", "").partition(":")[0]
        headers = {name.lower(): value for name, value in self.headers.items()}
        with self.hub.lock:
            self.hub.asked.append(Asked(host, path, headers))
        if path.startswith("/blob/"):
            self._blob(path.removeprefix("/blob/"))
        elif self.hub.token and headers.get("authorization") != f"Bearer {self.hub.token}":
            self._say(401, {"X-Error-Code": "GatedRepo"})
        elif path.startswith(f"/api/models/{REPOSITORY}"):
            self._list(path.removeprefix(f"/api/models/{REPOSITORY}"))
        elif path.startswith(f"/{REPOSITORY}/resolve/{COMMIT}/"):
            self._resolve(path.removeprefix(f"/{REPOSITORY}/resolve/{COMMIT}/"))
        else:
            self._say(404, {"X-Error-Code": "RepoNotFound"})

    def _list(self, rest: str) -> None:
        fault = self.hub.next_fault(API)
        if fault is not None:
            self._say(fault.status or 200, fault.headers, fault.body)
        elif rest not in ("", "/revision/main", f"/revision/{COMMIT}"):
            self._say(404, {"X-Error-Code": "RevisionNotFound"})
        else:
            content = {**self.hub.files, **dict.fromkeys(self.hub.listed_besides, b"hostile")}
            body = {
                "id": REPOSITORY,
                "sha": COMMIT,
                "gated": "auto" if self.hub.token else False,
                "tags": ["onnx", "license:apache-2.0"],
                "siblings": [_sibling(path, content[path]) for path in content],
            }
            self._say(200, {"Content-Type": "application/json"}, json.dumps(body).encode())

    def _resolve(self, path: str) -> None:
        fault = self.hub.next_fault(RESOLVE)
        if fault is not None:
            self._say(fault.status, fault.headers)
        elif path not in self.hub.files:
            self._say(404, {"X-Error-Code": "EntryNotFound"})
        elif path.endswith(_LARGE):
            base = self.hub.elsewhere_url if self.hub.is_elsewhere else ""
            self._say(302, {"Location": f"{base}/blob/{path}"})
        else:
            self._blob(path)

    def _blob(self, path: str) -> None:
        fault = self.hub.next_fault(path) or Fault()
        if fault.status:
            self._say(fault.status, fault.headers)
            return
        content = self.hub.files[path]
        if fault.flips is not None:
            at = fault.flips
            content = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
        first, status, headers = 0, 200, {}
        if (asked := self.headers.get("Range")) and not fault.ignores_range:
            first = int(asked.removeprefix("bytes=").rstrip("-")) + fault.shifts_range
            status = 206
            headers = {"Content-Range": f"bytes {first}-{len(content) - 1}/{len(content)}"}
        body = content[first:] + b"x" * fault.extra_bytes
        announced = len(body) - (0 if fault.is_extra_announced else fault.extra_bytes)
        if fault.extra_bytes and not fault.is_extra_announced:
            headers["Connection"] = "close"
        else:
            headers["Content-Length"] = str(announced)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self._send(body, fault)
        if "Content-Length" not in headers:
            self.close_connection = True

    def _send(self, body: bytes, fault: Fault) -> None:
        limit = fault.after_bytes if fault.ends else len(body)
        hub = self.hub
        for start in range(0, min(limit, len(body)), _PIECE_BYTES):
            piece = body[start : min(start + _PIECE_BYTES, limit)]
            self.wfile.write(piece)
            with hub.lock:
                hub.sent_bytes += len(piece)
            if hub.bytes_per_s and hub.closing.wait(len(piece) / hub.bytes_per_s):
                break
        if not fault.ends:
            return
        self.close_connection = True
        if fault.ends == "stall":
            hub.closing.wait()
        elif fault.ends == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
        else:
            self.connection.shutdown(socket.SHUT_RDWR)

    def _say(self, status: int, headers: Mapping[str, str], body: bytes = b"") -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def _sibling(path: str, content: bytes) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "rfilename": path,
        "size": len(content),
        "blobId": blob_id(content),
    }
    if path.endswith(_LARGE):
        sha256 = hashlib.sha256(content).hexdigest()
        entry["lfs"] = {"sha256": sha256, "size": len(content), "pointerSize": 134}
    return entry
