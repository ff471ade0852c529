"""Puts what was recognized in a page's picture in the place of what was read of the page."""

from dataclasses import replace

from app.documents.document import Page
from app.documents.ocr.frames import RecognizedPage

# A layer that says nearly as much is better than what was recognized.
_MUCH_MORE = 1.5


def merged(page: Page, recognized: RecognizedPage) -> Page:
    """Return `page` with its recognized text, or as it was where that is none.

    A page that has a stamp or a header as text shows it in its picture as well. Where hardly more
    was recognized than it has, it keeps its own lines.
    """
    if not recognized.lines:
        return page
    if page.lines and page.state != "unreadable" and _words(recognized) < _MUCH_MORE * _words(page):
        return replace(page, state="text")
    return replace(page, lines=recognized.lines, state="text", ocr_confidence=recognized.confidence)


def _words(page: Page | RecognizedPage) -> int:
    return sum(len(line.text.split()) for line in page.lines)
