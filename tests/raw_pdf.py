"""Writes PDFs for tests object by object, right or wrong."""

from collections.abc import Mapping, Sequence
from pathlib import Path

# Where the objects of a caller begin: 1 is the catalog, 2 the tree, 3 the font.
FIRST_OBJECT = 100


def write_raw_pdf(
    path: Path,
    pages: Sequence[str],
    *,
    page_entries: str = "",
    catalog_entries: str = "",
    info: str = "",
    objects: Mapping[int, bytes] | None = None,
) -> Path:
    """Write a PDF whose pages have the given content streams; `objects` are added by number."""
    kids = " ".join(f"{10 + 2 * index} 0 R" for index in range(len(pages)))
    bodies: dict[int, bytes] = {
        1: f"<< /Type /Catalog /Pages 2 0 R {catalog_entries} >>".encode(),
        2: f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>".encode(),
        3: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        4: f"<< {info} >>".encode(),
    }
    for index, content in enumerate(pages):
        bodies[10 + 2 * index] = (
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R"
            f" >> /XObject << /Im 100 0 R >> >> /Contents {11 + 2 * index} 0 R {page_entries} >>"
        ).encode()
        bodies[11 + 2 * index] = stream(content.encode("latin-1"))
    bodies |= objects or {}
    out = bytearray(b"%PDF-1.7\n")
    offsets = {}
    for number, body in sorted(bodies.items()):
        offsets[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    size = max(bodies) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n" % size
    for number in range(1, size):
        at = offsets.get(number)
        out += b"%010d 00000 n \n" % at if at else b"0000000000 65535 f \n"
    out += b"trailer << /Size %d /Root 1 0 R /Info 4 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        size,
        start,
    )
    path.write_bytes(out)
    return path


def stream(data: bytes, entries: str = "") -> bytes:
    """Return a stream object's body."""
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), entries.encode(), data)


def text(words: str, *, y: int = 700, x: int = 72, size: float = 11, before: str = "") -> str:
    """Return operators that write `words`; `before` comes first, such as a color."""
    return f"BT {before} /F1 {size} Tf {x} {y} Td ({words}) Tj ET\n"
