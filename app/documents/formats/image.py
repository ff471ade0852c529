"""Reads images with Pillow: pages that have no text of their own but can be drawn.

Sizes are looked at before anything is decoded. Imported in processes behind walls only.
"""

import contextlib
import math
import struct
import warnings
from collections.abc import Iterator
from typing import BinaryIO

import pi_heif
from PIL import (
    Image,
    MpoImagePlugin,  # noqa: F401 - Pillow would load these when it opens a file, behind the walls
    TiffImagePlugin,  # noqa: F401
    UnidentifiedImageError,
    WebPImagePlugin,  # noqa: F401
)

from app.documents.document import Bookmark, Kind, Page
from app.documents.formats.format import Bitmap, Context, Damaged, Findings, Source, TooMuch
from app.documents.values import Unit

Image.preinit()
pi_heif.register_heif_opener()

_FORMATS = ("PNG", "JPEG", "TIFF", "WEBP", "GIF", "BMP", "HEIF")
# A3 at 600 dpi has 70 million; decoded, this many take 300 MB and once more for a conversion.
_MOST_PIXELS = 100_000_000
_LONGEST_PX = 65_000
_DRAWN_PIXELS = 25_000_000
_POINTS_PER_INCH = 72
_SCREEN_DPI = 96
# What a file says of its resolution is believed while the page is no larger than A2.
_BELIEVED_DPI = range(60, 2401)
_LONGEST_BELIEVED_IN = 24.0
_LONGEST_ASSUMED_IN = 11.7
_16_BITS_TO_8 = 1 / 257
_TEXTS = ("comment", "Comment", "Description", "Title")
_DESCRIPTION_TAG = 0x010E
_ORIENTATION_TAG = 0x0112
_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
_FIRST_SIDEWAYS = 5
# What Pillow's decoders raise over broken files.
_BROKEN = (
    OSError,
    ValueError,
    SyntaxError,
    EOFError,
    IndexError,
    KeyError,
    TypeError,
    struct.error,
)


class ImageFile:
    """An open image; a TIFF may hold several pages, of what moves the first frame counts."""

    kind: Kind = "image"
    title = ""
    bookmarks: tuple[Bookmark, ...] = ()

    def __init__(self, image: Image.Image) -> None:
        self._image = image
        self._count = getattr(image, "n_frames", 1) if image.format == "TIFF" else 1
        self.findings = Findings()
        for text in _texts(image):
            self.findings.hide("metadata", 0, text)

    @property
    def unit(self) -> Unit:
        """Pages where there are several."""
        return "page" if self._count > 1 else "image"

    def __len__(self) -> int:
        return self._count

    def pages(self) -> Iterator[Page]:
        """Yield one page without text for each image."""
        for number in range(1, self._count + 1):
            yield Page(number, (), "without_text")

    def size_pt(self, number: int) -> tuple[float, float]:
        """Return width and height of an image in points, upright.

        Raises:
            Damaged: It cannot be found.
        """
        frame = self._frame(number)
        scale = _POINTS_PER_INCH / _dpi(frame)
        width, height = _upright_size(frame)
        return width * scale, height * scale

    def render(self, number: int, dpi: float) -> Bitmap:
        """Return an image upright on white at `dpi`, but never larger than it is.

        Raises:
            Damaged: It cannot be decoded.
            TooMuch: It is too large.
        """
        frame = self._frame(number)
        scale = min(dpi / _dpi(frame), math.sqrt(_DRAWN_PIXELS / (frame.width * frame.height)))
        size = _scaled(frame.size, min(scale, 1.0))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of metadata that means nothing
                picture = _on_white(frame)
                if size != picture.size:
                    picture = picture.resize(size, Image.Resampling.BILINEAR, reducing_gap=2.0)
                picture = _turned(picture, frame)
        except _BROKEN as error:
            raise Damaged from error
        return Bitmap(picture.width, picture.height, picture.tobytes())

    def _frame(self, number: int) -> Image.Image:
        try:
            if self._count > 1:
                self._image.seek(number - 1)
        except _BROKEN as error:
            raise Damaged from error
        _check_size(self._image)
        return self._image


def open(source: Source, context: Context) -> ImageFile:  # noqa: A001, ARG001 - as all formats
    """Open an image.

    Raises:
        Damaged: It is broken.
        TooMuch: It has more pixels than can be drawn.
    """
    image = _open(source.stream)
    _check_size(image)
    try:
        return ImageFile(image)
    except _BROKEN as error:
        raise Damaged from error


def _open(stream: BinaryIO) -> Image.Image:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return Image.open(stream, formats=_FORMATS)
    except Image.DecompressionBombError as error:
        raise TooMuch("size of the image") from error
    except (UnidentifiedImageError, *_BROKEN) as error:
        raise Damaged from error


def _check_size(image: Image.Image) -> None:
    width, height = image.size
    if width * height > _MOST_PIXELS or max(width, height) > _LONGEST_PX:
        raise TooMuch("size of the image")
    if not width * height:
        raise Damaged


def _texts(image: Image.Image) -> Iterator[str]:
    """Yield what was written into the file beside the picture."""
    for name in _TEXTS:
        text = image.info.get(name)
        if isinstance(text, bytes):
            text = text.decode("utf-8", "replace")
        if isinstance(text, str):
            yield text
    with contextlib.suppress(*_BROKEN):  # metadata that cannot be read hides nothing
        text = image.getexif().get(_DESCRIPTION_TAG)
        if isinstance(text, str):
            yield text


def _dpi(frame: Image.Image) -> float:
    """Return its resolution: as the file says, else as a screen or a sheet of A4 would have it."""
    longest_px = max(frame.size)
    said = frame.info.get("dpi")
    with contextlib.suppress(TypeError, ValueError, ZeroDivisionError, OverflowError):
        dpi = float(said[0])  # type: ignore[index]
        if round(dpi) in _BELIEVED_DPI and longest_px / dpi <= _LONGEST_BELIEVED_IN:
            return dpi
    return max(_SCREEN_DPI, longest_px / _LONGEST_ASSUMED_IN)


def _scaled(size: tuple[int, int], scale: float) -> tuple[int, int]:
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


def _on_white(frame: Image.Image) -> Image.Image:
    """Return the frame as RGB; what is transparent becomes white."""
    if frame.mode.startswith("I;16") or frame.mode in ("I", "F"):
        return frame.point(lambda value: value * _16_BITS_TO_8).convert("L").convert("RGB")
    if not frame.has_transparency_data:
        return frame.convert("RGB")
    layers = frame.convert("RGBA")
    white = Image.new("RGBA", layers.size, "white")
    return Image.alpha_composite(white, layers).convert("RGB")


def _orientation(frame: Image.Image) -> int:
    with contextlib.suppress(*_BROKEN):
        return int(frame.getexif().get(_ORIENTATION_TAG, 1))
    return 1


def _turned(picture: Image.Image, frame: Image.Image) -> Image.Image:
    turn = _TURNS.get(_orientation(frame))
    return picture.transpose(turn) if turn is not None else picture


def _upright_size(frame: Image.Image) -> tuple[int, int]:
    width, height = frame.size
    return (height, width) if _orientation(frame) >= _FIRST_SIDEWAYS else (width, height)
