"""How characters of an office document look, as far as it decides whether anybody sees them."""

import re
from dataclasses import dataclass, fields
from typing import Any

from app.documents.values import HiddenKind

_COLOR = re.compile(r"#?([0-9a-fA-F]{6})")
_PALE = 0xF0
_TINY_HALF_POINTS = 4


@dataclass(frozen=True, slots=True)
class Look:
    """How characters look; None where nothing is said.

    Attributes:
        is_hidden: They are marked as hidden.
        color: As `RRGGBB`, or `auto`.
        half_points: Their size.
        is_filled: What is behind them has a color of its own.
    """

    is_hidden: bool | None = None
    color: str | None = None
    half_points: int | None = None
    is_bold: bool | None = None
    is_filled: bool | None = None

    def over(self, base: "Look") -> "Look":
        """Return this look where it says something, else `base`."""
        if self == PLAIN:
            return base
        own = {item.name: getattr(self, item.name) for item in fields(self)}
        values: dict[str, Any] = {
            key: getattr(base, key) if value is None else value for key, value in own.items()
        }
        return Look(**values)

    def hidden_kind(self, *, is_filled: bool) -> HiddenKind | None:
        """Return why nobody sees such characters; None where they can be seen."""
        if self.is_hidden:
            return "invisible_text"
        if self.half_points is not None and self.half_points < _TINY_HALF_POINTS:
            return "tiny_text"
        if not (is_filled or self.is_filled) and is_pale(self.color or ""):
            return "pale_text"
        return None


PLAIN = Look()


PLAIN = Look()


def is_pale(color: str) -> bool:
    """Tell whether `color`, as `RRGGBB`, can hardly be told from white paper."""
    found = _COLOR.fullmatch(color)
    return found is not None and all(byte >= _PALE for byte in bytes.fromhex(found[1]))
