"""What a person may wish of a summary."""

from dataclasses import dataclass
from typing import Literal

Length = Literal["short", "medium", "long"]
Style = Literal["points", "paragraph", "minutes", "actions", "facts"]


@dataclass(frozen=True, slots=True)
class SummaryOptions:
    """How a summary shall be.

    Attributes:
        style: `points` and `paragraph` tell what matters; `minutes` who said or decided what and
            when, `actions` who has to do what by when, and `facts` is a table of figures, dates and
            names.
        language: Such as `de`; empty keeps the document's own.
    """

    length: Length = "medium"
    style: Style = "points"
    language: str = ""
