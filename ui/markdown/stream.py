"""Markdown that grows: only what may still change is parsed again."""

from bisect import bisect_left
from itertools import accumulate

from ui.markdown.parsing import parse
from ui.markdown.values import Segment

_LIMIT_CHARS = 200_000
_PLAIN_CHARS = 20_000
_BLOCKS_A_SEGMENT = 6


class MarkdownStream:
    """Cuts a text into segments, again and again while it grows.

    A segment that cannot change any more is the same object the next time, so that whoever shows
    it can leave it alone. A text that differs from the last one before its end, such as a summary
    whose statements are replaced in place, is parsed again from the first segment that differs.
    """

    def __init__(self) -> None:
        self._closed: list[Segment] = []
        self._open: list[Segment] = []
        self._done = ""
        self._text = ""

    def update(self, text: str) -> tuple[Segment, ...]:
        """Return the segments of `text`; their sources, joined, are `text`."""
        shown, rest = text[:_LIMIT_CHARS], text[_LIMIT_CHARS:]
        if not shown.startswith(self._text):
            self._rewind(shown)
        self._text = shown
        changing = self._advance(shown)
        return (*self._closed, *_gathered(self._open + changing), *_plain(rest))

    def _advance(self, text: str) -> list[Segment]:
        """Parse what is not done yet; return the blocks that may still change."""
        blocks, whole_lines = parse(text[len(self._done) :], after=self._last())
        # What the next block is, and with it that this one has ended, is certain only once its
        # first line is there to the end: `***` may become a rule, or the start of bold text.
        done = 0
        while done + 1 < len(blocks) and blocks[done + 1].certain_line < whole_lines:
            done += 1
        closing = [block.segment for block in blocks[:done]]
        self._done += "".join(segment.source for segment in closing)
        *ended, growing = _groups(self._open + closing) or [[]]
        self._closed += [_joined(group) for group in ended]
        self._open = growing
        return [block.segment for block in blocks[done:]]

    def _last(self) -> Segment | None:
        blocks = self._open or self._closed
        return blocks[-1] if blocks else None

    def _rewind(self, text: str) -> None:
        """Keep the segments that are the same, and are followed by a line that is the same."""
        common = _common_length(self._text, text)
        line_start = max(text.rfind("\n", 0, common), text.rfind("\r", 0, common)) + 1
        ends = list(accumulate(len(segment.source) for segment in self._closed))
        same = bisect_left(ends, line_start)
        self._closed = self._closed[:same]
        self._open = []
        self._done = text[: ends[same - 1] if same else 0]


def _common_length(first: str, second: str) -> int:
    """Return how many characters at the beginning are the same."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(first), len(second)))


def segments(text: str) -> tuple[Segment, ...]:
    """Return the segments of a text that is complete."""
    return MarkdownStream().update(text)


def _groups(blocks: list[Segment]) -> list[list[Segment]]:
    """Put prose together, a few blocks at a time: each group becomes one widget."""
    groups: list[list[Segment]] = []
    for block in blocks:
        last = groups[-1] if groups else []
        is_prose = block.kind == "prose" and bool(last) and last[0].kind == "prose"
        if is_prose and len(last) < _BLOCKS_A_SEGMENT:
            last.append(block)
        else:
            groups.append([block])
    return groups


def _gathered(blocks: list[Segment]) -> list[Segment]:
    return [_joined(group) for group in _groups(blocks)]


def _joined(group: list[Segment]) -> Segment:
    if len(group) == 1:
        return group[0]
    return Segment(
        "prose",
        source="".join(block.source for block in group),
        html="".join(block.html for block in group),
        blocks=len(group),
        next_number=group[-1].next_number,
        delimiter=group[-1].delimiter,
    )


def _plain(text: str) -> list[Segment]:
    pieces = (text[at : at + _PLAIN_CHARS] for at in range(0, len(text), _PLAIN_CHARS))
    return [Segment("plain", piece, text=piece) for piece in pieces]
