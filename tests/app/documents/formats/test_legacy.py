import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

from app.documents.formats import legacy
from app.documents.formats.format import Damaged, DocumentFile, Source, Unsupported
from app.documents.reader import read_document
from inference.child import Child
from tests.office_maker import context, docx, paragraph, source

needs_library = pytest.mark.skipif(
    importlib.util.find_spec("xberg") is None, reason="xberg is not installed"
)


def read(path: Path) -> DocumentFile:
    with path.open("rb") as stream:
        return legacy.open(Source(path.name, stream, path.stat().st_size), context())


@pytest.mark.corpus
@pytest.mark.parametrize("has_library", [False, True])
@pytest.mark.parametrize(
    ("name", "words", "phrases"),
    [
        ("un_simple.doc", 33, ["These are a few of my favorite things:", "DOYLESTOWN, PA 18901"]),
        ("dl_legacy_sample.doc", 140, ["Food | Calories per portion", "Grain | Corn, Buckwheat"]),
        ("kz_unit_test_lists.doc", 118, ["Paragraph 2.1.2", "List item 1.2.1"]),
        ("tk_testPPT_various.ppt", 121, ["ゾルゲと尾崎、淡々と最期", "Row 2 Col 1 | Row 2 Col 2"]),
        ("un_fake-power-point.ppt", 33, ["Here is some text in a text box!"]),
    ],
)
def test_real_documents(
    corpus: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    words: int,
    phrases: list[str],
    *,
    has_library: bool,
) -> None:
    if not has_library:
        monkeypatch.setattr(legacy, "xberg", None)
    file = read(corpus / name)
    (page,) = file.pages()
    assert (file.kind, file.unit) == (name[-3:], "slide" if name.endswith("ppt") else "section")
    assert len(page.text.split()) == words
    assert [page.text.count(phrase) for phrase in phrases] == [1] * len(phrases)


@needs_library
@pytest.mark.corpus
def test_what_is_older_is_read_by_the_library_behind_the_walls(
    corpus: Path, start: Callable[[], Child]
) -> None:
    document = read_document(corpus / "tk_testWORD6.doc", launch=start)
    assert (document.kind, document.text) == (
        "doc",
        "The quick brown fox jumps over the lazy dog",
    )


@pytest.mark.corpus
def test_without_the_library_it_says_what_to_do(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(legacy, "xberg", None)
    with pytest.raises(Unsupported, match="save it as DOCX"):
        read(corpus / "tk_testWORD6.doc")


@pytest.mark.parametrize(
    "data", [b"", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2000), docx(paragraph("x"))]
)
def test_what_is_broken_is_damaged(data: bytes) -> None:
    with pytest.raises(Damaged):
        legacy.open(source(data), context())


@needs_library
@pytest.mark.corpus
@pytest.mark.parametrize("kept", [0.5, 0.9])
def test_a_cut_document_ends_well(corpus: Path, kept: float) -> None:
    data = (corpus / "dl_legacy_sample.doc").read_bytes()
    with pytest.raises(Damaged):
        legacy.open(source(data[: int(len(data) * kept)]), context())
