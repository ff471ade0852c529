"""A document that holds others: a message with attachments, an archive.

Its pages are its own, then those of its parts one after the other. A part that cannot be read is
named and never stops the others.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from app.documents.document import Bookmark, Kind, Page
from app.documents.formats import opening
from app.documents.formats.format import (
    Bitmap,
    Budget,
    Context,
    DocumentFile,
    Findings,
    FormatError,
    PasswordNeeded,
    Source,
    TooMuch,
    Unsupported,
)
from app.documents.values import Hidden, LeftOut, Unit

PART_MARK = " › "


@dataclass(frozen=True, slots=True)
class _Part:
    name: str
    file: DocumentFile
    first: int


class PartsFile:
    """A `DocumentFile` of own pages and of parts."""

    def __init__(
        self,
        kind: Kind,
        unit: Unit,
        context: Context,
        *,
        title: str = "",
        own: Sequence[Page] = (),
        bookmarks: tuple[Bookmark, ...] = (),
        findings: Findings | None = None,
    ) -> None:
        self.kind: Kind = kind
        self.unit: Unit = unit
        self.title = title
        self.bookmarks = bookmarks
        self.findings = findings or Findings()
        self._context = context
        self._own = tuple(own)
        self._parts: list[_Part] = []
        self._length = len(self._own)

    def add(self, source: Source) -> None:
        """Open a part; one that cannot be opened is left out with its reason."""
        self.add_open(source.name, lambda context: opening.open_file(source, context))

    def add_open(self, name: str, open_part: Callable[[Context], DocumentFile]) -> None:
        """Add the part that `open_part` opens within the context it is given."""
        budget = self._context.budget
        if budget.members <= 0:
            rest = LeftOut("rest_left_out", detail=f"{self.findings.parts:,} files")
            if rest not in self.findings.left_out:
                self.findings.left_out.append(rest)
            return
        if budget.depth <= 0:
            self.leave_out(name, "it lies too deep inside other files")
            return
        inner = Budget(budget.unpacked_bytes, budget.members - 1, budget.depth - 1)
        try:
            file = open_part(Context(self._context.password, inner))
        except FormatError as error:
            self.leave_out(name, said(error))
            return
        finally:
            budget.unpacked_bytes, budget.members = inner.unpacked_bytes, inner.members
        if not len(file):
            if file.findings.left_out:
                self._take_left_out(name, file)
            else:
                self.leave_out(name, "it has no text in it")
            return
        self._parts.append(_Part(name, file, self._length + 1))
        self.bookmarks += tuple(
            replace(mark, page=mark.page + self._length) for mark in file.bookmarks
        )
        self._length += len(file)
        self.findings.parts += 1

    def leave_out(self, name: str, reason: str) -> None:
        """Name a part that is not read; `reason` is a sentence without its full stop."""
        self.findings.left_out.append(LeftOut("part_left_out", name, detail=reason))

    def __len__(self) -> int:
        return self._length

    def pages(self) -> Iterator[Page]:
        """Yield own pages, then those of each part with its name."""
        has_parts = bool(self._parts)
        for page in self._own:
            own_number = page.number if has_parts else 0
            yield replace(page, own_number=own_number)
        for part in self._parts:
            yield from self._pages_of(part)
            self._merge(part)

    def render(self, number: int, dpi: float) -> Bitmap | None:
        """Return a picture of a part's page."""
        for part in reversed(self._parts):
            if number >= part.first:
                return part.file.render(number - part.first + 1, dpi)
        return None

    def _pages_of(self, part: _Part) -> Iterator[Page]:
        count = 0
        try:
            for page in part.file.pages():
                count += 1
                yield replace(
                    page,
                    number=part.first + page.number - 1,
                    own_number=page.own_number or page.number,
                    unit=page.unit or part.file.unit,
                    part=PART_MARK.join(filter(None, (part.name, page.part))),
                )
        except FormatError as error:
            self.leave_out(part.name, said(error))
        for missing in range(count + 1, len(part.file) + 1):
            yield Page(
                part.first + missing - 1,
                (),
                "unreadable",
                unit=part.file.unit,
                own_number=missing,
                part=part.name,
            )

    def _merge(self, part: _Part) -> None:
        found = part.file.findings
        self.findings.tables += found.tables
        self.findings.parts += found.parts
        self.findings.hidden += [_moved(one, part.first) for one in found.hidden]
        self._take_left_out(part.name, part.file)

    def _take_left_out(self, name: str, file: DocumentFile) -> None:
        self.findings.left_out += [
            replace(one, name=PART_MARK.join(filter(None, (name, one.name))))
            for one in file.findings.left_out
        ]


def said(error: FormatError) -> str:
    """Return why a part cannot be read, as the end of a sentence."""
    match error:
        case PasswordNeeded():
            return "it is protected by a password"
        case TooMuch():
            return f"it is over the limit: {error}"
        case Unsupported():
            return f"it is {error}"
    return "it is damaged"


def _moved(hidden: Hidden, first: int) -> Hidden:
    return replace(hidden, page=max(hidden.page, 1) + first - 1)
