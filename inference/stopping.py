"""Stop strings: an answer ends before the first of them, however it was split into pieces."""

from collections.abc import Iterable


class StopStrings:
    """Lets text through and keeps back what may be the beginning of a stop string.

    Attributes:
        reached: One of them came; nothing goes through any more.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = tuple(texts)
        self._held = ""
        self.reached = False

    def push(self, piece: str) -> str:
        """Take the next piece and return what is certain to stand before any stop string."""
        if self.reached or not self._texts:
            return "" if self.reached else piece
        text = self._held + piece
        found = [
            (begin + len(stop), begin) for stop in self._texts if (begin := text.find(stop)) >= 0
        ]
        if found:
            self.reached = True
            self._held = ""
            # The one that ends first, so that it does not matter how the text was split.
            return text[: min(found)[1]]
        kept = max(undecided(text, stop) for stop in self._texts)
        self._held = text[len(text) - kept :]
        return text[: len(text) - kept]

    def finish(self) -> str:
        """Return what was kept back: nothing follows that could make a stop string of it."""
        held, self._held = self._held, ""
        return held


def undecided(text: str, mark: str) -> int:
    """Return how many last characters of `text` may be the beginning of `mark`."""
    for length in range(min(len(text), len(mark) - 1), 0, -1):
        if mark.startswith(text[-length:]):
            return length
    return 0
