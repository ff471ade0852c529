"""Reads a picture whichever way up it lies.

A line that runs down the page is turned by a quarter when it is recognized, so a page that lies on
its side reads well too, or upside down. Hence two ways are enough to try: as it is, and turned by
half. Pages whose lines run downwards are then laid down: what stood at the right comes first, and
that is how Japanese columns are read as well.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, Protocol

import numpy as np

from app.documents.ocr.engine import Picture
from app.documents.ocr.pieces import Piece, confidence

Turn = Literal[0, 90, 180, 270]

_SURE = 0.9
_BETTER = 0.05
_WIDE_CHAR = "\u2e80"


class Reader(Protocol):
    """What recognizes the text in a picture."""

    def read(self, picture: Picture) -> list[Piece]:
        """Return the pieces of text in `picture`."""
        ...


def read_upright(engine: Reader, picture: Picture) -> tuple[list[Piece], Turn]:
    """Return the pieces of `picture`, and how far it had to be turned to the left.

    The corners are those in the picture that was turned.
    """
    turn: Turn = 0
    pieces = engine.read(picture)
    if pieces and confidence(pieces) < _SURE and _is_better_over(engine, picture, pieces):
        turn = 180
        picture = np.rot90(picture, 2)
        pieces = engine.read(picture)
    if not _runs_down(pieces):
        return pieces, turn
    if _is_wide_script(pieces):
        # Turned for good, columns of upright characters could not be recognized.
        pieces = [_laid_down(piece, picture.shape[1]) for piece in pieces]
    else:
        pieces = engine.read(np.rot90(picture))
    return pieces, 90 if turn == 0 else 270


def _is_better_over(engine: Reader, picture: Picture, pieces: Sequence[Piece]) -> bool:
    half = np.rot90(picture[::2, ::2], 2)
    return confidence(engine.read(half)) > confidence(pieces) + _BETTER


def _runs_down(pieces: Sequence[Piece]) -> bool:
    down = sum(len(piece.text) for piece in pieces if piece.is_tall)
    return down > sum(len(piece.text) for piece in pieces) / 2


def _is_wide_script(pieces: Sequence[Piece]) -> bool:
    text = "".join(piece.text for piece in pieces)
    return sum(char >= _WIDE_CHAR for char in text) > len(text) / 2


def _laid_down(piece: Piece, width_px: int) -> Piece:
    """Turn a piece by a quarter to the left, as the picture would be turned."""
    turned = [(y, width_px - x) for x, y in piece.corners]
    # What was the upper right corner comes to lie in the upper left.
    return replace(piece, corners=(*turned[1:], turned[0]))


def turned_back(box: tuple[float, ...], turn: Turn) -> tuple[float, ...]:
    """Return where a box, in shares of the turned picture, lies in the one that was given."""
    left, top, right, bottom = box
    for _ in range(turn // 90):
        left, top, right, bottom = 1 - bottom, left, 1 - top, right
    return left, top, right, bottom
