"""Documents as the store keeps them."""

import pytest

from app.documents.document import Bookmark, Line, Page, ReadDocument, dump, load
from app.documents.values import IntakeReport
from inference.errors import BadFrame
from inference.frames import Codec

DOCUMENT = ReadDocument(
    name="a\nb.pdf",
    size_bytes=3,
    sha256="0" * 64,
    kind="pdf",
    title="",
    report=IntakeReport("page", 2, 2, 0, 0, 4),
    pages=(
        Page(1, (Line("one\ntwo", 12.0, bold=True), Line("three", box=(0.1, 0.2, 0.3, 0.4)))),
        Page(2, (), state="blank"),
    ),
    bookmarks=(Bookmark(0, "One", 1),),
)


def test_what_is_kept_comes_back_as_it_was() -> None:
    assert load(dump(DOCUMENT)) == DOCUMENT


def test_no_line_of_what_is_kept_holds_more_than_a_page() -> None:
    assert len(dump(DOCUMENT).split(b"\n")) == 1 + len(DOCUMENT.pages)


def test_what_an_older_snug_kept_can_be_read() -> None:
    assert load(Codec((ReadDocument,)).encode(DOCUMENT)) == DOCUMENT


@pytest.mark.parametrize("kept", [b"", b"{}", dump(DOCUMENT) + b"\n{}", dump(DOCUMENT)[:-9]])
def test_what_is_damaged_is_refused(kept: bytes) -> None:
    with pytest.raises(BadFrame):
        load(kept)


def test_a_page_is_no_document() -> None:
    with pytest.raises(BadFrame):
        load(dump(DOCUMENT).split(b"\n")[1])
