"""Writes small PDFs for tests: pages of lines with size and boldness, bare of everything else."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PAGE_HEIGHT = 792
_LEFT = 72
_TOP = 720
_LEADING = 1.4


@dataclass(frozen=True, slots=True)
class Text:
    """One line of a page; `size` in points."""

    text: str
    size: float = 11.0
    bold: bool = False


def write_pdf(path: Path, pages: Sequence[Sequence[Text | str]], *, title: str = "") -> Path:
    """Write one page for each sequence of lines; an empty one is a page without text."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", _page_tree(len(pages))]
    objects += [_font("Helvetica"), _font("Helvetica-Bold")]
    for index, lines in enumerate(pages):
        objects.append(_page(index))
        objects.append(_stream(_content(lines)))
    info = f"<< /Title ({_escaped(title)}) >>".encode("latin-1")
    objects.append(info)
    path.write_bytes(_assemble(objects))
    return path


def _page_tree(count: int) -> bytes:
    kids = " ".join(f"{5 + 2 * index} 0 R" for index in range(count))
    return f"<< /Type /Pages /Count {count} /Kids [{kids}] >>".encode()


def _font(name: str) -> bytes:
    return (
        f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>".encode()
    )


def _page(index: int) -> bytes:
    return (
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 {PAGE_HEIGHT}] "
        f"/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents {6 + 2 * index} 0 R >>"
    ).encode()


def _content(lines: Sequence[Text | str]) -> bytes:
    y = float(_TOP)
    parts = []
    for item in lines:
        line = Text(item) if isinstance(item, str) else item
        y -= line.size * _LEADING
        font = "F2" if line.bold else "F1"
        parts.append(f"BT /{font} {line.size} Tf {_LEFT} {y} Td ({_escaped(line.text)}) Tj ET")
    return "\n".join(parts).encode("cp1252")


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def _stream(content: bytes) -> bytes:
    return f"<< /Length {len(content)} >>\nstream\n".encode() + content + b"\nendstream"


def _assemble(objects: Sequence[bytes]) -> bytes:
    body = b"%PDF-1.4\n"
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    start = len(body)
    body += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    body += b"".join(f"{offset:010d} 00000 n \n".encode() for offset in offsets)
    trailer = f"<< /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R >>"
    return body + f"trailer\n{trailer}\nstartxref\n{start}\n%%EOF\n".encode()
