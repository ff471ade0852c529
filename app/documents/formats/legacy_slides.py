"""The text of PowerPoint files of 97-2003 (PPT), slide by slide, with notes.

Such a file is a tree of records, and a list of where the newest version of each one is: saving
again only adds to the file. How text looks is not read, so that white text is taken for text.
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

from app.documents.document import Bookmark, Page
from app.documents.formats.beside import Beside
from app.documents.formats.format import Damaged, DocumentFile, Findings
from app.documents.formats.sections import PagesFile
from app.documents.formats.slide_pages import Shape, ShapeText, in_reading_order, slide_page

_EDIT_AT = 16
_DOCUMENT, _SLIDE_ATOM, _SHOW_INFO = 0x03E8, 0x03EF, 0x03F9
_SLIDE, _NOTES = 0x03EE, 0x03F0
_LIST, _PERSIST = 0x0FF0, 0x03F3
_OUTLINE_REF, _TEXT_HEADER, _TEXT_CHARS, _TEXT_BYTES = 0x0F9E, 0x0F9F, 0x0FA0, 0x0FA8
_DRAWING, _DRAWING_GROUP, _GROUP, _SHAPE = 0x040C, 0xF002, 0xF003, 0xF004
_TEXT_BOX, _CLIENT_ANCHOR, _CHILD_ANCHOR = 0xF00D, 0xF010, 0xF00F
_PROPERTIES = (0xF00B, 0xF122)
_PICTURE_PROPERTY, _TABLE_PROPERTY = 0x0104, 0x039F
_COMMENT, _STRING, _EMBEDDED_OBJECT = 0x2EE0, 0x0FBA, 0x0FCC
_EDIT, _DIRECTORY = 0x0FF5, 0x1772
_TITLES, _NOTES_TEXT = (0, 6), 2
_IS_HIDDEN = 0x0004
_SLIDES_LIST, _NOTES_LIST = 0, 2
_COMMENT_TEXT, _PROGRAM = 1, 2
_MOST_EDITS = 1_000
_MOST_PLACES = 100_000
_DEEPEST = 64
_EMBEDDED = "embedded_left_out"
_PICTURES = "pictures_left_out"


class _Record(NamedTuple):
    """A record, and where what is in it begins and ends."""

    kind: int
    instance: int
    is_container: bool
    start: int
    end: int


class _Listed(NamedTuple):
    """A slide or notes as the document lists them, with the texts that stand in the list.

    `place` is -1 where the file does not say where it is.
    """

    place: int
    own_id: int
    texts: list[tuple[int, str]]


def read_slides(data: bytes, user: bytes, title: str) -> DocumentFile:
    """Read the presentation in the streams `PowerPoint Document` and `Current User`.

    Raises:
        Damaged: They contradict each other.
    """
    try:
        return _Presentation(data, user).read(title)
    except (struct.error, IndexError, KeyError) as error:
        raise Damaged from error


class _Presentation:
    def __init__(self, data: bytes, user: bytes) -> None:
        self._data = data
        self._findings = Findings()
        self._beside = Beside(self._findings)
        self._places: dict[int, int] = {}
        self._directories: set[int] = set()
        (edit,) = struct.unpack_from("<I", user, _EDIT_AT)
        document_id = self._read_directory(edit)
        self._document = self._at(self._places[document_id])
        if self._document.kind != _DOCUMENT:
            raise Damaged

    def read(self, title: str) -> DocumentFile:
        notes = {listed.own_id: listed for listed in self._listed(_NOTES_LIST)}
        pages: list[Page] = []
        for number, listed in enumerate(self._listed(_SLIDES_LIST), 1):
            pages.append(self._slide(number, listed, notes))
            self._beside.end_page(number)
        for record in self._walk(self._document):
            if record.kind == _EMBEDDED_OBJECT:
                names = self._strings(record)
                self._beside.leave_out(_EMBEDDED, names.get(_PROGRAM, ""))
        self._beside.finish()
        marks = tuple(Bookmark(0, page.label, page.number) for page in pages if page.label)
        return PagesFile("ppt", "slide", title, marks, self._findings, tuple(pages))

    def _slide(self, number: int, listed: _Listed, notes: dict[int, _Listed]) -> Page:
        slide = self._at(listed.place) if listed.place >= 0 else None
        if slide is None or slide.kind != _SLIDE:
            return Page(number, (), "unreadable")
        shapes = self._shapes(slide, listed.texts)
        own_notes = notes.get(self._notes_id(slide))
        for record in self._walk(slide):
            if record.kind == _COMMENT:
                self._beside.hide("comment", self._strings(record).get(_COMMENT_TEXT, ""))
        if self._is_hidden(slide):
            texts = [line.text for shape in shapes for line in shape.lines]
            self._beside.hide("hidden_slide", " ".join(texts))
            return Page(number, (), "blank")
        return slide_page(number, shapes, self._notes(own_notes) if own_notes else ())

    def _notes(self, listed: _Listed) -> list[Shape]:
        notes = self._at(listed.place) if listed.place >= 0 else None
        if notes is None or notes.kind != _NOTES:
            return []
        return [s for s in self._shapes(notes, listed.texts, only=_NOTES_TEXT) if s.lines]

    def _shapes(
        self, holder: _Record, outline: list[tuple[int, str]], only: int | None = None
    ) -> list[Shape]:
        found: list[Shape] = []
        for drawing in self._inside(holder):
            if drawing.kind == _DRAWING:
                for group in self._inside(drawing):
                    if group.kind == _DRAWING_GROUP:
                        found += self._drawn(group, outline, only, 0)
        return found

    def _drawn(
        self, holder: _Record, outline: list[tuple[int, str]], only: int | None, depth: int
    ) -> list[Shape]:
        """Return the shapes in a drawing; the outermost group is the drawing itself."""
        found: list[Shape] = []
        for record in self._inside(holder):
            if record.kind == _SHAPE:
                found.append(self._shape(record, outline, only))
            elif record.kind == _GROUP and depth < _DEEPEST:
                inside = self._drawn(record, outline, only, depth + 1)
                found += [self._group(record, inside)] if depth else inside
        return found

    def _group(self, record: _Record, inside: list[Shape]) -> Shape:
        """Return a group as one shape; the first in it is its frame."""
        frame, *parts = inside or [Shape(0, 0, 0, ())]
        first = next(self._inside(record), None)
        sink = ShapeText(self._beside)
        if first is not None and self._has_property(first, _TABLE_PROPERTY):
            rows: dict[float, list[Shape]] = {}
            for part in parts:
                if part.lines:
                    rows.setdefault(part.top, []).append(part)
            for _, row in sorted(rows.items()):
                cells = sorted(row, key=lambda cell: cell.left)
                sink.row([" ".join(line.text for line in cell.lines) for cell in cells])
            sink.end_table()
        else:
            for part in in_reading_order(parts):
                sink.gap()
                sink.lines += part.lines
        return Shape(frame.top, frame.left, frame.height, tuple(sink.lines))

    def _shape(self, record: _Record, outline: list[tuple[int, str]], only: int | None) -> Shape:
        top = left = bottom = 0
        sink = ShapeText(self._beside)
        is_title = False
        for part in self._inside(record):
            if part.kind == _CLIENT_ANCHOR and part.end - part.start == 8:  # noqa: PLR2004
                top, left, _, bottom = struct.unpack_from("<4h", self._data, part.start)
            elif part.kind in (_CLIENT_ANCHOR, _CHILD_ANCHOR):
                left, top, _, bottom = struct.unpack_from("<4i", self._data, part.start)
            elif part.kind == _TEXT_BOX:
                for kind, text in self._texts(part, outline):
                    is_title |= kind in _TITLES
                    if only is None or kind == only:
                        for paragraph in text.split("\r"):
                            sink.paragraph(paragraph.replace("\x0b", "\n"))
        if self._has_property(record, _PICTURE_PROPERTY):
            sink.leave_out(_PICTURES)
        return Shape(top, left, bottom - top, tuple(sink.lines), is_title)

    def _texts(
        self, holder: _Record, outline: list[tuple[int, str]] | None = None
    ) -> Iterator[tuple[int, str]]:
        """Yield the texts directly in a record, with what they are for."""
        kind = -1
        for part in self._inside(holder):
            if part.kind == _TEXT_HEADER:
                (kind,) = struct.unpack_from("<I", self._data, part.start)
            elif part.kind == _TEXT_CHARS:
                yield kind, self._data[part.start : part.end].decode("utf-16-le", "replace")
            elif part.kind == _TEXT_BYTES:
                yield kind, self._data[part.start : part.end].decode("latin-1")
            elif part.kind == _OUTLINE_REF and outline:
                (index,) = struct.unpack_from("<I", self._data, part.start)
                if index < len(outline):
                    yield outline[index]

    def _listed(self, instance: int) -> list[_Listed]:
        """Return the slides or notes in their order, each once."""
        found: list[_Listed] = []
        seen: set[int] = set()
        for record in self._inside(self._document):
            if record.kind != _LIST or record.instance != instance:
                continue
            kind = -1
            for part in self._inside(record):
                if part.kind == _PERSIST:
                    key, _, _, own_id = struct.unpack_from("<4I", self._data, part.start)
                    place = self._places.get(key, -1)
                    found.append(_Listed(-1 if place in seen else place, own_id, []))
                    seen.add(place)
                elif part.kind == _TEXT_HEADER and found:
                    (kind,) = struct.unpack_from("<I", self._data, part.start)
                    found[-1].texts.append((kind, ""))
                elif part.kind in (_TEXT_CHARS, _TEXT_BYTES) and found and found[-1].texts:
                    encoding = "utf-16-le" if part.kind == _TEXT_CHARS else "latin-1"
                    text = self._data[part.start : part.end].decode(encoding, "replace")
                    found[-1].texts[-1] = kind, text
        return found

    def _notes_id(self, slide: _Record) -> int:
        for part in self._inside(slide):
            if part.kind == _SLIDE_ATOM:
                return int(struct.unpack_from("<I", self._data, part.start + 16)[0])
        return 0

    def _is_hidden(self, slide: _Record) -> bool:
        for part in self._inside(slide):
            if part.kind == _SHOW_INFO:
                (flags,) = struct.unpack_from("<H", self._data, part.start + 10)
                return bool(flags & _IS_HIDDEN)
        return False

    def _has_property(self, record: _Record, wanted: int) -> bool:
        for part in self._inside(record):
            if part.kind in _PROPERTIES:
                for index in range(part.instance):
                    at = part.start + 6 * index
                    if at + 6 > part.end:
                        break
                    (name,) = struct.unpack_from("<H", self._data, at)
                    if name & 0x3FFF == wanted:
                        return True
        return False

    def _strings(self, record: _Record) -> dict[int, str]:
        return {
            part.instance: self._data[part.start : part.end].decode("utf-16-le", "replace")
            for part in self._inside(record)
            if part.kind == _STRING
        }

    def _read_directory(self, edit: int) -> int:
        """Learn where the newest version of everything is; return the document's number."""
        document_id = 0
        for _ in range(_MOST_EDITS):
            record = self._at(edit)
            if record.kind != _EDIT:
                raise Damaged
            before, directory, own_id = struct.unpack_from("<3I", self._data, record.start + 8)
            document_id = document_id or own_id
            self._read_places(self._at(directory))
            if not before or before >= edit:
                break
            edit = before
        return document_id

    def _read_places(self, directory: _Record) -> None:
        if directory.kind != _DIRECTORY:
            raise Damaged
        if directory.start in self._directories:
            raise Damaged
        self._directories.add(directory.start)
        at = directory.start
        while at + 4 <= directory.end:
            (entry,) = struct.unpack_from("<I", self._data, at)
            at += 4
            for number in range(entry >> 20):
                if at + 4 > directory.end or len(self._places) > _MOST_PLACES:
                    return
                (place,) = struct.unpack_from("<I", self._data, at)
                self._places.setdefault((entry & 0xFFFFF) + number, place)
                at += 4

    def _at(self, place: int) -> _Record:
        head, kind, size = struct.unpack_from("<HHI", self._data, place)
        start = place + 8
        end = min(start + size, len(self._data))
        return _Record(kind, head >> 4, head & 0xF == 0xF, start, end)  # noqa: PLR2004

    def _inside(self, record: _Record) -> Iterator[_Record]:
        at = record.start
        while at + 8 <= record.end:
            inner = self._at(at)
            if inner.end > record.end:
                return
            yield inner
            at = inner.end

    def _walk(self, record: _Record) -> Iterator[_Record]:
        """Yield everything inside a record, however deep."""
        todo = list(self._inside(record))
        while todo:
            inner = todo.pop()
            yield inner
            if inner.is_container:
                todo += self._inside(inner)
