"""Fetches files by ranges, several at a time, and goes on wherever a connection ended.

Each attempt asks the hub anew where the file is, so that a link that has expired does not matter.
How far a file is, its part file tells, so there is nothing to save when this process is killed.
"""

import asyncio
import re
import time
from collections.abc import Callable
from pathlib import Path

import httpx2

from app.errors import AppError, HubAnswerWrong, HubBusy, HubUnreachable, SourceMismatch
from app.models.hub import paths
from app.models.hub.frames import Fetch
from app.models.hub.part import Part, holds
from app.models.hub.transport import (
    BUSY,
    Transport,
    origin_of,
    reason_of,
    refusal,
    retry_after_s,
)
from app.models.hub.values import RemoteFile
from inference.errors import InferenceError

_AT_ONCE = 3
_MAX_HOPS = 5
_REPORT_EVERY_S = 0.1
_CONTENT_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")


class _TryAgain(Exception):
    """An attempt that ended early; the error is for when it was the last."""

    def __init__(self, error: AppError, asked_s: float | None = None) -> None:
        self.error = error
        self.asked_s = asked_s


class _Different(Exception):
    """What came is not the file, or cannot become it."""


def fetch(request: Fetch, transport: Transport, report: Callable[[tuple[int, ...]], None]) -> None:
    """Fetch and prove all files of `request`; blocks.

    Args:
        request: What, and where to.
        transport: The way to the hub.
        report: Called ten times a second at most, with the bytes of each file that are there.

    Raises:
        DownloadError: A file could not be fetched; what came of it and of others stays.
        WriteFailed: The folder cannot be written.
    """
    paths.check(file.path for file in request.files)
    paths.check_together(file.path for file in request.files)
    # A selector's connections are seen by the audit hook, a proactor's on Windows are not.
    with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
        runner.run(_Fetching(request, transport, report).run())


class _Fetching:
    """One request under way, on one loop."""

    def __init__(
        self, request: Fetch, transport: Transport, report: Callable[[tuple[int, ...]], None]
    ) -> None:
        self._request = request
        self._transport = transport
        self._patience = request.way.patience
        self._folder = Path(request.folder)
        self._report = report
        self._reported_s = 0.0
        self._done_bytes = dict.fromkeys((file.path for file in request.files), 0)

    async def run(self) -> None:
        gate = asyncio.Semaphore(_AT_ONCE)
        try:
            async with asyncio.TaskGroup() as group:
                for file in self._request.files:
                    group.create_task(self._file(file, gate))
        except* (AppError, InferenceError) as errors:
            # The others were ended by the first.
            raise errors.exceptions[0] from None
        finally:
            await self._transport.close()
        self._tell()

    async def _file(self, file: RemoteFile, gate: asyncio.Semaphore) -> None:
        async with gate:
            final = self._folder / file.path
            if not await asyncio.to_thread(holds, final, file):
                part = Part(self._folder, file)
                try:
                    await asyncio.to_thread(part.take_over)
                    await self._complete(part)
                    await asyncio.to_thread(part.place, final)
                finally:
                    part.close()
            self._note(file, file.bytes)

    async def _complete(self, part: Part) -> None:
        """Try until the part is whole and proven; attempts that bring new bytes do not count."""
        failures, most_bytes, was_different = 0, part.bytes, False
        self._note(part.file, part.bytes)
        while not part.is_proven:
            try:
                await self._attempt(part)
            except _TryAgain as again:
                failures = 0 if part.bytes > most_bytes else failures + 1
                most_bytes = max(most_bytes, part.bytes)
                if failures >= self._patience.tries:
                    raise again.error from again.__cause__
                await asyncio.sleep(self._patience.wait_s(failures, again.asked_s))
            except _Different as error:
                part.restart()
                if was_different:
                    raise SourceMismatch(source=part.file.path) from error
                was_different = True

    async def _attempt(self, part: Part) -> None:
        if not part.is_whole:
            await self._receive(part)
        if part.bytes < part.file.bytes:
            raise _TryAgain(HubUnreachable(host=self._transport.host))
        if not part.is_proven:
            raise _Different

    async def _receive(self, part: Part) -> None:
        """Append what one request brings."""
        try:
            response = await self._open(part.file, part.bytes)
            try:
                self._accept(response, part)
                # Raw, and as it comes: 64 KiB at most.
                async for chunk in response.aiter_raw():
                    if len(chunk) > part.file.bytes - part.bytes:
                        raise _Different
                    part.write(chunk)
                    self._note(part.file, part.bytes)
            finally:
                await response.aclose()
        except httpx2.TransportError as error:
            if reason := reason_of(error, self._transport.host):
                raise reason from error
            raise _TryAgain(HubUnreachable(host=self._transport.host)) from error

    async def _open(self, file: RemoteFile, first_byte: int) -> httpx2.Response:
        """Ask the hub, follow it where that is allowed, and return an answer with the file."""
        url = self._transport.file_url(self._request.repository, self._request.commit, file.path)
        may_leave = False
        for _ in range(_MAX_HOPS):
            answer = await self._transport.send(url, first_byte, may_leave=may_leave)
            is_home = origin_of(url) == self._transport.policy.home
            if isinstance(answer, httpx2.Response):
                if answer.status_code not in (httpx2.codes.OK, httpx2.codes.PARTIAL_CONTENT):
                    await answer.aclose()
                    raise self._refusal(answer, is_home=is_home)
                return answer
            # Only the endpoint's word counts, and only large files lie elsewhere.
            may_leave = is_home and file.is_sha256
            url = answer
        raise HubAnswerWrong(host=self._transport.host)

    def _refusal(self, answer: httpx2.Response, *, is_home: bool) -> Exception:
        if answer.status_code == httpx2.codes.RANGE_NOT_SATISFIABLE:
            return _Different()
        # Elsewhere any refusal may be a link that has expired.
        if answer.status_code in BUSY or not is_home:
            return _TryAgain(HubBusy(host=self._transport.host), retry_after_s(answer))
        request = self._request
        return refusal(answer, request.way, request.repository, request.commit)

    def _accept(self, response: httpx2.Response, part: Part) -> None:
        """See that the body is the rest of the file, or all of it."""
        headers = response.headers
        if headers.get("Content-Encoding", "identity") != "identity":
            raise _TryAgain(HubAnswerWrong(host=self._transport.host))
        if response.status_code == httpx2.codes.OK:
            announced = headers.get("Content-Length", str(part.file.bytes))
            if announced != str(part.file.bytes):
                raise _Different
            if part.bytes:
                part.restart()  # the range was ignored
            return
        told = _CONTENT_RANGE.fullmatch(headers.get("Content-Range", ""))
        if told is None or int(told[1]) != part.bytes:
            raise _TryAgain(HubAnswerWrong(host=self._transport.host))
        if told[2] not in ("*", str(part.file.bytes)):
            raise _Different

    def _note(self, file: RemoteFile, done_bytes: int) -> None:
        self._done_bytes[file.path] = done_bytes
        if time.monotonic() - self._reported_s >= _REPORT_EVERY_S:
            self._tell()

    def _tell(self) -> None:
        self._reported_s = time.monotonic()
        self._report(tuple(self._done_bytes.values()))
