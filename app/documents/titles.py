"""What a document is called: by its first page, else by its properties, else by its file's name."""

import re
from pathlib import PurePath

from app.documents.document import ReadDocument

_MOST_WORDS = 16
_MOST_CHARS = 120
_FEWEST_CHARS = 4
_LARGER = 1.15
_REAL_WORD = re.compile(r"[^\W\d_]{3,}")
# What programs write where a person wrote no title.
_NO_TITLE = re.compile(
    r"^(microsoft word - .*|untitled.*|\(?anonymous\)?|.*\.(docx?|pdf|indd|tex|qxd|jpe?g|png)"
    r"|document\d*|powerpoint presentation|title|slide 1|none|unnamed|.{0,3})$",
    re.I,
)


def title_of(document: ReadDocument) -> str:
    """Return a title of at most 120 characters; never empty."""
    stated = re.sub(r"\s+", " ", document.title)
    if not _NO_TITLE.match(stated) and len(stated) <= _MOST_CHARS:
        return stated
    return _largest_on_first_page(document) or PurePath(document.name).stem or document.name


def _largest_on_first_page(document: ReadDocument) -> str:
    """Return the largest line of the first page with what goes on with it, if it stands out."""
    if not document.pages:
        return ""
    lines = [line for line in document.pages[0].lines if _REAL_WORD.search(line.text)]
    heights = sorted(line.height for line in lines)
    if not lines or heights[-1] < _LARGER * heights[len(heights) // 2]:
        return ""
    first = next(index for index, line in enumerate(lines) if line.height == heights[-1])
    words: list[str] = []
    for line in lines[first:]:
        if line.height != heights[-1]:
            break
        words += line.text.replace("\ufffe", "-").split()
    title = " ".join(words)
    is_title = len(words) <= _MOST_WORDS and _FEWEST_CHARS <= len(title) <= _MOST_CHARS
    return title if is_title else ""
