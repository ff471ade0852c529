"""Makes small office files: DOCX and other packages out of the XML that a test is about."""

import io
import struct
import zipfile
from collections.abc import Mapping, Sequence

from app.documents.formats.format import Context, Source

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT_WORD = "http://purl.oclc.org/ooxml/wordprocessingml/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STRICT_RELATIONS = "http://purl.oclc.org/ooxml/officeDocument/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_OTHER_NAMESPACES = (
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" '
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"'
)


TYPES = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'


def source(data: bytes, name: str = "file.bin") -> Source:
    """Return `data` as the readers take it."""
    return Source(name, io.BytesIO(data), len(data))


def context(password: str | None = None) -> Context:
    """Return a context with a fresh budget."""
    return Context(password)


def package(parts: Mapping[str, str | bytes]) -> bytes:
    """Return a ZIP file of `parts`, in their order and packed."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in parts.items():
            target.writestr(name, content)
    return packed.getvalue()


def relations(targets: Mapping[str, tuple[str, str]], *, strict: bool = False) -> str:
    """Return a part of relations: type and target by id."""
    base = STRICT_RELATIONS if strict else RELATIONS
    entries = "".join(
        f'<Relationship Id="{key}" Type="{base}/{kind}" Target="{target}"/>'
        for key, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{_PACKAGE}">{entries}</Relationships>'


def namespaces(*, strict: bool = False) -> str:
    """Return the declarations of all the prefixes that tests write."""
    word = STRICT_WORD if strict else WORD
    base = STRICT_RELATIONS if strict else RELATIONS
    return f'xmlns:w="{word}" xmlns:r="{base}" {_OTHER_NAMESPACES}'


def docx(
    body: str,
    *,
    strict: bool = False,
    before: str = "",
    parts: Mapping[str, str] | None = None,
    others: Mapping[str, str | bytes] | None = None,
    core: str = "",
) -> bytes:
    """Return a Word document.

    Args:
        body: What is inside `w:body`.
        strict: Use the namespaces of Strict OOXML.
        before: Stands before the root element, such as a DTD.
        parts: Inside of further parts by kind, such as `styles`, `footnotes` or `header`.
        others: Whole parts by name; each is related to by an id that is its name's last word.
        core: Inside of the core properties.
    """
    declared = namespaces(strict=strict)
    targets: dict[str, tuple[str, str]] = {}
    files: dict[str, str | bytes] = {
        "[Content_Types].xml": TYPES,
        "_rels/.rels": relations({"rId1": ("officeDocument", "word/document.xml")}, strict=strict),
        "word/document.xml": f"{before}<w:document {declared}><w:body>{body}</w:body></w:document>",
    }
    for kind, content in (parts or {}).items():
        root = {"header": "hdr", "footer": "ftr"}.get(kind.rstrip("0123456789"), kind)
        files[f"word/{kind}.xml"] = f"<w:{root} {declared}>{content}</w:{root}>"
        targets[kind] = (kind.rstrip("0123456789"), f"{kind}.xml")
    for name, data in (others or {}).items():
        files[name] = data
        targets[name.rpartition("/")[2].partition(".")[0]] = ("part", f"/{name}")
    if core:
        files["docProps/core.xml"] = _core(core)
    files["word/_rels/document.xml.rels"] = relations(targets, strict=strict)
    return package(files)


def paragraph(text: str, style: str = "", look: str = "") -> str:
    """Return a `w:p` of one run; `style` is a style's id, `look` the inside of a `w:rPr`."""
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}{run(text, look)}</w:p>"


def run(text: str, look: str = "") -> str:
    """Return a `w:r`; `look` is the inside of its `w:rPr`."""
    properties = f"<w:rPr>{look}</w:rPr>" if look else ""
    return f'<w:r>{properties}<w:t xml:space="preserve">{text}</w:t></w:r>'


_ODF = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" '
    'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" '
    'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" '
    'xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" '
    'xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0" '
    'xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink"'
)


def odf(
    body: str,
    *,
    kind: str = "text",
    styles: str = "",
    masters: str = "",
    meta: str = "",
    before: str = "",
    manifest: str = "",
) -> bytes:
    """Return an OpenDocument file.

    Args:
        body: What is inside `office:text` or `office:presentation`.
        kind: Which of the two, without the prefix.
        styles: Inside of the automatic styles.
        masters: Inside of the master styles.
        meta: Inside of the metadata.
        before: Stands before the root element of the content, such as a DTD.
        manifest: The whole manifest.
    """
    return package(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "content.xml": f"{before}<office:document-content {_ODF}><office:automatic-styles>"
            f"{styles}</office:automatic-styles><office:body><office:{kind}>{body}</office:{kind}>"
            "</office:body></office:document-content>",
            "styles.xml": f"<office:document-styles {_ODF}><office:master-styles>{masters}"
            "</office:master-styles></office:document-styles>",
            "meta.xml": f"<office:document-meta {_ODF}><office:meta>{meta}</office:meta>"
            "</office:document-meta>",
            "META-INF/manifest.xml": manifest,
        }
    )


def flat_odf(body: str, *, styles: str = "", meta: str = "") -> bytes:
    """Return an OpenDocument text in one XML file."""
    return (
        f"<?xml version='1.0' encoding='UTF-8'?><office:document {_ODF}><office:meta>{meta}"
        f"</office:meta><office:automatic-styles>{styles}</office:automatic-styles><office:body>"
        f"<office:text>{body}</office:text></office:body></office:document>"
    ).encode()


def pptx(
    *slides: str,
    parts: Mapping[str, str] | None = None,
    of_first: Mapping[str, tuple[str, str]] | None = None,
    core: str = "",
) -> bytes:
    """Return a presentation.

    Args:
        slides: What is inside each `p:spTree`; one that begins with `<p:sld` is the whole slide.
        parts: Further parts by name.
        of_first: Relations of the first slide: type and target by id.
        core: Inside of the core properties.
    """
    declared = namespaces()
    names = {f"rId{n}": ("slide", f"slides/slide{n}.xml") for n in range(1, len(slides) + 1)}
    order = "".join(f'<p:sldId id="{255 + n}" r:id="rId{n}"/>' for n in range(len(slides), 0, -1))
    files: dict[str, str | bytes] = {
        "[Content_Types].xml": TYPES,
        "_rels/.rels": relations({"rId1": ("officeDocument", "ppt/presentation.xml")}),
        "ppt/presentation.xml": f"<p:presentation {declared}><p:sldIdLst>{order}</p:sldIdLst>"
        '<p:sldSz cx="9000" cy="6000"/></p:presentation>',
        "ppt/_rels/presentation.xml.rels": relations(names),
    }
    for number, slide in enumerate(slides, 1):
        whole = f"<p:sld><p:cSld><p:spTree>{slide}</p:spTree></p:cSld></p:sld>"
        whole = slide if slide.startswith("<p:sld") else whole
        files[f"ppt/slides/slide{number}.xml"] = whole.replace("<p:sld", f"<p:sld {declared}", 1)
    if of_first:
        files["ppt/slides/_rels/slide1.xml.rels"] = relations(of_first)
    for name, content in (parts or {}).items():
        files[name] = content.replace(">", f" {declared}>", 1)
    if core:
        files["docProps/core.xml"] = _core(core)
    return package(files)


def shape(
    text: str, *, at: tuple[int, int] = (0, 0), kind: str = "", look: str = "", more: str = ""
) -> str:
    """Return a `p:sp` of 1000 by 500 units.

    Args:
        text: Its paragraphs, one a line.
        at: Left and top.
        kind: Its type as a placeholder, or empty.
        look: Inside of its runs' `a:rPr`, after the element's name.
        more: Attributes of its `p:cNvPr`.
    """
    place = f"<p:nvPr><p:ph type='{kind}'/></p:nvPr>" if kind else ""
    texts = "".join(
        f"<a:p><a:r><a:rPr{look or '/>'}<a:t>{line}</a:t></a:r></a:p>" for line in text.split("\n")
    )
    return (
        f"<p:sp><p:nvSpPr><p:cNvPr id='1' name='x' {more}/>{place}</p:nvSpPr><p:spPr><a:xfrm>"
        f"<a:off x='{at[0]}' y='{at[1]}'/><a:ext cx='1000' cy='500'/></a:xfrm></p:spPr>"
        f"<p:txBody>{texts}</p:txBody></p:sp>"
    )


def _core(inside: str) -> str:
    return (
        '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/'
        f'core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/">{inside}</cp:coreProperties>'
    )


def word_97(
    paragraphs: Sequence[tuple[Sequence[tuple[str, bytes]], bytes]],
    *,
    styles: Sequence[int] = (0,),
    counts: Sequence[int] = (),
) -> tuple[bytes, bytes]:
    """Return the streams `WordDocument` and `1Table` of a Word file of 97.

    Args:
        paragraphs: For each its runs, as text and properties, the last of which ends in a mark,
            and the paragraph's own properties after the two bytes of its style's number.
        styles: What each style is among those built in; 1 to 9 are headings.
        counts: Characters of text, notes, heads, comments, endnotes, boxes; else all are text.
    """
    text, looks, marks = b"", [], []
    start = 1024
    for runs, properties in paragraphs:
        for piece, look in runs:
            looks.append((start + len(text), look))
            text += piece.encode("utf-16-le")
        marks.append((start + len(text), properties))
    chars = len(text) // 2
    text += bytes(-len(text) % 512)
    word = bytearray(start) + text
    struct.pack_into("<HH", word, 0, 0xA5EC, 0xC1)
    struct.pack_into("<H", word, 0x0A, 0x0200)
    body, notes, heads, comments, ends, boxes = counts or (chars, 0, 0, 0, 0, 0)
    struct.pack_into("<7i", word, 0x4C, body, notes, heads, 0, comments, ends, boxes)
    page = len(word) // 512
    places = [at for at, _ in looks] + [start + 2 * chars]
    word += _look_page(places, [bytes([len(p)]) + p for _, p in looks], 1)
    places = [start] + [at for at, _ in marks]
    entries = [bytes([0, (len(p) + 1) // 2]) + p + bytes(len(p) % 2) for _, p in marks]
    word += _look_page(places, entries, 13)
    parts = {
        1: struct.pack("<HHH", 4, len(styles), 10)
        + b"".join(struct.pack("<HHH", 4, own, 0xFFF0) for own in styles),
        12: struct.pack("<III", start, start + 2 * chars, page),
        13: struct.pack("<III", start, start + 2 * chars, page + 1),
        33: b"\x02" + struct.pack("<IIIHIH", 16, 0, chars, 0, start, 0),
    }
    table = b""
    for number, part in parts.items():
        struct.pack_into("<II", word, 0x9A + 8 * number, len(table), len(part))
        table += part
    return bytes(word), table


def _look_page(places: Sequence[int], entries: Sequence[bytes], width: int) -> bytes:
    """Return a page of 512 bytes: places in the file, offsets of `width` bytes, and entries."""
    page = bytearray(512)
    page[511] = len(entries)
    struct.pack_into(f"<{len(places)}I", page, 0, *places)
    end = 510
    for index, entry in enumerate(entries):
        end -= len(entry) + (end - len(entry)) % 2
        page[end : end + len(entry)] = entry
        page[4 * len(places) + width * index] = end // 2
    return bytes(page)


def record(kind: int, content: bytes, *, instance: int = 0, holds: bool = False) -> bytes:
    """Return a record as PowerPoint files of 97 have them."""
    return struct.pack("<HHI", instance << 4 | (0xF if holds else 0), kind, len(content)) + content


def old_text(kind: int, text: str) -> bytes:
    """Return the records of a text; `kind` is 0 for a title, 1 for a body, 2 for notes."""
    return record(0x0F9F, struct.pack("<I", kind)) + record(0x0FA0, text.encode("utf-16-le"))


def old_shape(text: bytes, top: int = 0, left: int = 0) -> bytes:
    """Return the record of a shape of 100 by 100 units."""
    anchor = record(0xF010, struct.pack("<4h", top, left, left + 100, top + 100))
    return record(0xF004, anchor + record(0xF00D, text, holds=True), holds=True)


def powerpoint_97(
    slides: Sequence[tuple[bytes, bytes]], notes: Sequence[bytes] = (), older: bytes = b""
) -> tuple[bytes, bytes]:
    """Return the streams `PowerPoint Document` and `Current User`.

    Args:
        slides: For each its shapes and what else is in it; the first ones have `notes`.
        notes: The shapes of notes.
        older: What an earlier save left behind.
    """

    def drawn(shapes: bytes) -> bytes:
        group = record(0xF002, record(0xF003, shapes, holds=True), holds=True)
        return record(0x040C, group, holds=True)

    data, places = older, []
    for number, (shapes, more) in enumerate(slides):
        notes_id = 500 + number if number < len(notes) else 0
        atom = record(0x03EF, struct.pack("<I8xIIHH", 0, 0, notes_id, 0, 0))
        places.append(len(data))
        data += record(0x03EE, atom + drawn(shapes) + more, holds=True)
    for shapes in notes:
        places.append(len(data))
        data += record(0x03F0, drawn(shapes), holds=True)
    listed = [
        record(0x03F3, struct.pack("<5I", 2 + n, 0, 0, 300 + n, 0)) for n in range(len(slides))
    ]
    listed_notes = [
        record(0x03F3, struct.pack("<5I", 2 + len(slides) + n, 0, 0, 500 + n, 0))
        for n in range(len(notes))
    ]
    places.insert(0, len(data))
    data += record(
        0x03E8,
        record(0x0FF0, b"".join(listed), holds=True)
        + record(0x0FF0, b"".join(listed_notes), instance=2, holds=True),
        holds=True,
    )
    directory = len(data)
    data += record(0x1772, struct.pack(f"<{1 + len(places)}I", len(places) << 20 | 1, *places))
    edit = len(data)
    data += record(0x0FF5, struct.pack("<7I", 0, 0, 0, directory, 1, 0, 0))
    return data, record(0x0FF6, struct.pack("<3I", 20, 0xE391C05F, edit))
