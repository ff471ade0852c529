"""Where each row of a long list stands, when most heights are only estimated."""

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

_LINE_CHARS = 105
_LINE_PX = 22
_CHROME_PX = 60


def estimate(text: str) -> int:
    """Return about how high a message with this text is."""
    lines = text.count("\n") + len(text) // _LINE_CHARS + 1
    return lines * _LINE_PX + _CHROME_PX


class RowHeights:
    """Heights of rows with a gap after each, and the tops that follow from them; in pixels."""

    def __init__(self, gap_px: int) -> None:
        self._gap_px = gap_px
        self._heights_px: list[int] = []
        self._tops_px: list[int] = [0]
        self._is_stale = False

    def reset(self, heights_px: Iterable[int]) -> None:
        """Forget all rows and take these."""
        self._heights_px = list(heights_px)
        self._is_stale = True

    def insert(self, row: int, heights_px: Iterable[int]) -> None:
        """Put rows before `row`."""
        self._heights_px[row:row] = heights_px
        self._is_stale = True

    def height(self, row: int) -> int:
        """Return the height of a row, without the gap."""
        return self._heights_px[row]

    def set_height(self, row: int, height_px: int) -> bool:
        """Give a row its height; return whether it is another one."""
        if self._heights_px[row] == height_px:
            return False
        self._heights_px[row] = height_px
        self._is_stale = True
        return True

    def top(self, row: int) -> int:
        """Return where a row begins; for the number of rows, where the last one ends."""
        return self._tops()[row]

    def row_at(self, y_px: int) -> int:
        """Return the row at a place, the first or last one for places outside; -1 without rows."""
        if not self._heights_px:
            return -1
        return max(0, min(bisect_right(self._tops(), y_px) - 1, len(self._heights_px) - 1))

    def __len__(self) -> int:
        return len(self._heights_px)

    def _tops(self) -> list[int]:
        if self._is_stale:
            gap_px = self._gap_px
            self._tops_px = [0, *accumulate(height + gap_px for height in self._heights_px)]
            self._is_stale = False
        return self._tops_px
