"""Where the pages of a document stand when they hang below each other."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from ui.documents.renders import Size

GAP_PX = 14
SIDE_PX = 14
POINTS_AN_INCH = 72.0
STEPS = (0.25, 0.33, 0.5, 0.67, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0)
SCREEN_DPI = 96.0


class PageLayout:
    """Places in pixels for pages whose sizes are known in points; page numbers are 1-based."""

    def __init__(self, sizes: Sequence[Size]) -> None:
        self._sizes = tuple(sizes)
        self._widest_pt = max((width for width, _ in sizes), default=1.0) or 1.0
        self._bottoms: list[int] = []
        self._heights: list[int] = []
        self.zoom = 1.0
        self.set_zoom(1.0)

    def __len__(self) -> int:
        return len(self._sizes)

    @property
    def px_per_pt(self) -> float:
        """Pixels of the screen to a point of the page."""
        return self.zoom * SCREEN_DPI / POINTS_AN_INCH

    @property
    def dpi(self) -> float:
        """Pixels of the screen to an inch of the page."""
        return self.zoom * SCREEN_DPI

    @property
    def height_px(self) -> int:
        """Height of all pages with the gaps between and around them."""
        return self._bottoms[-1] + GAP_PX if self._bottoms else 0

    @property
    def width_px(self) -> int:
        """Width of the widest page."""
        return round(self._widest_pt * self.px_per_pt)

    def set_zoom(self, zoom: float) -> None:
        """Show pages at `zoom` times their own size."""
        self.zoom = min(STEPS[-1], max(0.05, zoom))
        self._heights = [max(1, round(height * self.px_per_pt)) for _, height in self._sizes]
        self._bottoms = list(accumulate(height + GAP_PX for height in self._heights))

    def fitting(self, width_px: int) -> float:
        """Return the zoom at which the widest page fills a width."""
        room_px = max(40, width_px - 2 * SIDE_PX)
        return room_px / (self._widest_pt * SCREEN_DPI / POINTS_AN_INCH)

    def step(self, by: int) -> float:
        """Return the next larger or smaller usual zoom."""
        if by > 0:
            return next((step for step in STEPS if step > self.zoom * 1.01), STEPS[-1])
        return next((step for step in reversed(STEPS) if step < self.zoom * 0.99), STEPS[0])

    def top_px(self, number: int) -> int:
        """Return where a page begins."""
        return self._bottoms[number - 1] - self._heights[number - 1]

    def page_size_px(self, number: int) -> tuple[int, int]:
        """Return a page's width and height."""
        width = max(1, round(self._sizes[number - 1][0] * self.px_per_pt))
        return width, self._heights[number - 1]

    def page_at(self, y_px: int) -> int:
        """Return the page at a height, or the nearest above a gap; 1 where there is none."""
        at = bisect_right(self._bottoms, max(0, y_px))
        return min(at, max(0, len(self._sizes) - 1)) + 1

    def pages_between(self, top_px: int, bottom_px: int) -> range:
        """Return the pages that a stretch touches."""
        if not self._sizes:
            return range(0)
        return range(self.page_at(top_px), self.page_at(bottom_px) + 1)
