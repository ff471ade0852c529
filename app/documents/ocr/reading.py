"""Turns the picture of a page into lines of text."""

from dataclasses import dataclass, replace
from statistics import median

import numpy as np
from PIL import Image

from app.documents.document import Line
from app.documents.formats.format import Bitmap
from app.documents.ocr.engine import FINDING_SIDE_PX, Engine, Picture
from app.documents.ocr.lines import Sheet, lines_of
from app.documents.ocr.orientation import read_upright, turned_back
from app.documents.ocr.pieces import Piece, confidence

# Less is no text: noise, a photo, a script that the models do not know.
LEAST_CONFIDENCE = 0.5
_LEAST_CHARS = 2
# A small picture is a screenshot or a thumbnail; its letters are too small to be read.
_SMALL_SIDE_PX = 1600
_MOST_ENLARGED = 2.5
# Letters of fewer pixels are not all found.
_LEAST_LINE_PX = 15.0
_WANTED_LINE_PX = 20.0
_LARGEST_FINDING_SIDE_PX = 2880
_DARK = 90
_LEAST_CONTRAST = 24


@dataclass(frozen=True, slots=True)
class ReadPicture:
    """What was read.

    Attributes:
        lines: In reading order; their boxes are shares of the picture as it was given.
        confidence: 0 to 1.
    """

    lines: tuple[Line, ...]
    confidence: float


def read_picture(engine: Engine, bitmap: Bitmap, points_per_px: float) -> ReadPicture:
    """Read the picture of a page; without text that can be relied on it has no lines."""
    picture = _prepared(bitmap)
    if np.ptp(picture) < _LEAST_CONTRAST:
        return ReadPicture((), 0.0)
    pieces, turn = read_upright(_Reader(engine), picture)
    sureness = confidence(pieces)
    if sureness < LEAST_CONFIDENCE or sum(len(piece.text) for piece in pieces) < _LEAST_CHARS:
        return ReadPicture((), sureness)
    height_px, width_px = picture.shape[:2]
    points_per_px *= bitmap.height / height_px
    if turn in (90, 270):
        width_px, height_px = height_px, width_px
    lines = lines_of(pieces, Sheet(width_px, height_px, points_per_px))
    if turn:
        lines = tuple(
            replace(line, box=turned_back(line.box, turn)) if line.box else line for line in lines
        )
    return ReadPicture(lines, sureness)


class _Reader:
    """The engine, looking closer where letters are small."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def read(self, picture: Picture) -> list[Piece]:
        pieces = self._engine.read(picture)
        longest = max(picture.shape[:2])
        if not pieces or longest <= FINDING_SIDE_PX:
            return pieces
        found_px = median(piece.line_height for piece in pieces) * FINDING_SIDE_PX / longest
        if found_px >= _LEAST_LINE_PX:
            return pieces
        side = FINDING_SIDE_PX * _WANTED_LINE_PX / found_px
        return self._engine.read(picture, round(min(side, longest, _LARGEST_FINDING_SIDE_PX)))


def _prepared(bitmap: Bitmap) -> Picture:
    """Return the pixels, dark on light and large enough."""
    image = Image.frombuffer("RGB", (bitmap.width, bitmap.height), bitmap.rgb)
    scale = min(_SMALL_SIDE_PX / max(image.size), _MOST_ENLARGED)
    if scale > 1:
        width, height = image.size
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        image = image.resize(size, Image.Resampling.BICUBIC)
    picture: Picture = np.asarray(image)
    return 255 - picture if np.median(picture[::4, ::4]) < _DARK else picture
