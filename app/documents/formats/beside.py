"""What a document holds beside its text, gathered so that a million of it is still one line."""

from collections import Counter

from app.documents.formats.format import Findings
from app.documents.values import HiddenKind, LeftOut

_LONGEST_NAME_CHARS = 100
_MOST_NAMES = 200
_LONGEST_TEXT_CHARS = 1_000_000


class Beside:
    """Gathers hidden text, one note for each kind on a page, and things left out, by name."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self._hidden: dict[HiddenKind, list[str]] = {}
        self._hidden_chars = 0
        self._left_out: Counter[tuple[str, str]] = Counter()

    def hide(self, kind: HiddenKind, text: str) -> None:
        """Note text on the page under way that nobody sees."""
        if text.strip() and self._hidden_chars < _LONGEST_TEXT_CHARS:
            self._hidden.setdefault(kind, []).append(text)
            self._hidden_chars += len(text)

    def leave_out(self, code: str, name: str = "") -> None:
        """Count something that is not read; see `LeftOut`."""
        key = code, " ".join(name.split())[:_LONGEST_NAME_CHARS]
        if key not in self._left_out and len(self._left_out) >= _MOST_NAMES:
            key = code, ""
        self._left_out[key] += 1

    def end_page(self, number: int) -> None:
        """Tell the findings what was hidden since the last page ended."""
        for kind, texts in self._hidden.items():
            self.findings.hide(kind, number, " ".join(texts))
        self._hidden.clear()
        self._hidden_chars = 0

    def finish(self) -> None:
        """Tell the findings what was left out."""
        for (code, name), count in self._left_out.items():
            self.findings.left_out.append(LeftOut(code, name, count))
        self._left_out.clear()
