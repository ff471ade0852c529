"""What the groups of an RTF file are: text, something beside the text, or nothing to read."""

from dataclasses import dataclass
from typing import Literal

from app.documents.formats.look import Look

Destination = Literal[
    "text", "skip", "between", "fonts", "colors", "styles", "title", "metadata", "note", "margin",
    "box", "comment", "mark", "class",
]  # fmt: skip

_SKIPPED = (
    "pict", "objdata", "nextfile", "template", "xe", "tc", "rxe", "txe", "fldinst", "shprslt",
    "sp", "sn", "sv", "filetbl", "listtable", "listoverridetable", "revtbl", "rsidtbl",
    "datafield", "ftnsep", "ftnsepc", "ftncn", "aftnsep", "aftnsepc", "aftncn", "pgptbl",
    "nonesttables", "upr", "mmathPict", "atnid", "atnauthor", "atndate", "atnref", "atntime",
    "atnicn", "atnparent", "bkmkstart", "bkmkend", "falt", "panose", "private", "ffname",
    "ffdeftext", "ffhelptext", "ffstattext", "ffentrymcr", "ffexitmcr", "ffl",
)  # fmt: skip
DESTINATIONS: dict[str, Destination] = {
    **dict.fromkeys(_SKIPPED, "skip"),
    "info": "between",
    "fonttbl": "fonts",
    "colortbl": "colors",
    "stylesheet": "styles",
    "title": "title",
    **dict.fromkeys(("subject", "keywords", "doccomm", "comment", "category"), "metadata"),
    "footnote": "note",
    **dict.fromkeys(
        ("header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf"),
        "margin",
    ),
    **dict.fromkeys(("shptxt", "dptxbxtext"), "box"),
    "annotation": "comment",
    **dict.fromkeys(("listtext", "pntext"), "mark"),
    "objclass": "class",
}
# Groups with an asterisk are for programs that know them; these are known here.
ENTERED = frozenset(
    ("shpinst", "do", "moMath", "moMathPara", "shppict", "fldrslt", "nesttableprops", "ud")
)
# Nothing in them is text.
SILENT = frozenset(("skip", "between", "fonts", "colors", "styles"))
# Their text is collected apart from the text round them.
STORIES = frozenset(("note", "margin", "box", "comment", "title", "metadata", "class"))


# Control words that switch an attribute of a group on or off, or set it.
SWITCHES = {
    "v": "is_hidden",
    "deleted": "is_deleted",
    "b": "is_bold",
    "intbl": "is_in_table",
    "highlight": "is_filled",
    "chcbpat": "is_filled",
    "cb": "is_filled",
    "cbpat": "is_paragraph_filled",
}
NUMBERS = {
    "fs": "half_points",
    "cf": "color",
    "f": "font",
    "af": "east_asian_font",
    "uc": "skip_after",
    "s": "style",
    "outlinelevel": "level",
}


@dataclass(slots=True)
class Group:
    """The state inside one pair of braces; it is copied on the way in.

    Attributes:
        outside: What it was in before a group in two versions, of which one is read.
        skip_after: How many characters stand for a Unicode one in programs that know none.
        style: Number of the paragraph's style.
        level: Outline level of the paragraph, 0 the outermost; None for body text.
        color: Number in the table of colors.
    """

    destination: Destination = "text"
    outside: Destination = "text"
    font: int | None = None
    east_asian_font: int | None = None
    is_east_asian: bool = False
    skip_after: int = 1
    is_hidden: bool = False
    is_deleted: bool = False
    is_bold: bool = False
    half_points: int = 24
    color: int = 0
    is_filled: bool = False
    is_paragraph_filled: bool = False
    is_in_table: bool = False
    style: int = 0
    level: int | None = None

    def reset_characters(self) -> None:
        """Take back what was said about characters."""
        self.is_hidden = self.is_deleted = self.is_bold = self.is_filled = False
        self.half_points, self.color = 24, 0
        self.is_east_asian = False

    def reset_paragraph(self) -> None:
        """Take back what was said about paragraphs."""
        self.is_in_table = self.is_paragraph_filled = False
        self.style, self.level = 0, None

    def look(self, colors: list[str]) -> Look:
        """Return how characters look here."""
        color = colors[self.color] if 0 < self.color < len(colors) else "auto"
        return Look(self.is_hidden, color, self.half_points, self.is_bold, self.is_filled)
