"""Draws pages of text as pictures for tests, with the font inside Pillow."""

import io
import struct
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

LINE = 1.5


@cache
def font(size_px: float) -> ImageFont.FreeTypeFont:
    """Return Pillow's own font."""
    loaded = ImageFont.load_default(size_px)
    assert isinstance(loaded, ImageFont.FreeTypeFont)
    return loaded


def draw_page(
    columns: Sequence[Sequence[str]],
    *,
    size: tuple[int, int] = (1240, 800),
    size_px: int = 28,
    title: str = "",
    colors: tuple[str, str] = ("black", "white"),
) -> Image.Image:
    """Return a page with columns of lines beside each other under a title; ink, then paper."""
    ink, paper = colors
    image = Image.new("RGB", size, paper)
    draw = ImageDraw.Draw(image)
    margin = 2 * size_px
    top = float(margin)
    if title:
        draw.text((margin, top), title, ink, font(size_px * 1.8))
        top += 4 * size_px
    width = (size[0] - 2 * margin) / max(len(columns), 1)
    for index, lines in enumerate(columns):
        for row, line in enumerate(lines):
            place = (margin + index * width, top + row * LINE * size_px)
            draw.text(place, line, ink, font(size_px))
    return image


def save(image: Image.Image, path: Path) -> Path:
    """Save a picture by the name's ending and return its path."""
    image.save(path)
    return path


def png(image: Image.Image) -> bytes:
    """Return a picture as PNG."""
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def png_of(width: int, height: int) -> bytes:
    """Return the beginning of a PNG that claims a size; its pixels are missing."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(99)))
