import hashlib
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from msoffcrypto.format.ooxml import OOXMLFile

from app.documents.formats import encrypted, word
from app.documents.formats.format import Context, Damaged, PasswordNeeded, Source
from app.documents.reader import read_document
from app.errors import DocumentLocked
from inference.child import Child
from tests.office_maker import context, docx, paragraph, source


def unlocked() -> bytes:
    """Return a Word document; what writes locked ones does not manage very small files."""
    filler = b"".join(hashlib.sha256(bytes([n])).digest() for n in range(256))
    return docx(paragraph("A secret."), others={"word/filler.bin": filler})


def locked(password: str) -> bytes:
    """Return a Word document under `password`."""
    target = io.BytesIO()
    OOXMLFile(io.BytesIO(unlocked())).encrypt(password, target)
    return target.getvalue()


def test_the_right_password_opens_it() -> None:
    plain = encrypted.decrypt(source(locked("pass"), "x.docx"), context("pass"))
    (page,) = word.open(plain, context()).pages()
    assert (plain.name, page.text) == ("x.docx", "A secret.")


@pytest.mark.parametrize("password", [None, "", "wrong", "Pass"])
def test_another_password_does_not(password: str | None) -> None:
    with pytest.raises(PasswordNeeded):
        encrypted.decrypt(source(locked("pass")), context(password))


def test_a_password_that_everybody_knows_is_not_asked_for() -> None:
    plain = encrypted.decrypt(source(locked("VelvetSweatshop")), context())
    assert plain.stream.read(2) == b"PK"


def test_what_is_not_locked_comes_back() -> None:
    open_file = source(unlocked())
    assert encrypted.decrypt(open_file, context()) is open_file
    assert open_file.stream.tell() == 0


@pytest.mark.parametrize(
    "data", [b"", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), locked("pass")[:2000]]
)
def test_what_is_broken_is_damaged(data: bytes) -> None:
    with pytest.raises(Damaged):
        encrypted.decrypt(source(data), context("pass"))


@pytest.mark.corpus
def test_real_locked_documents(corpus: Path) -> None:
    path = corpus / "tk_testWORD_protected_passtika.docx"
    with path.open("rb") as stream:
        locked_file = Source(path.name, stream, path.stat().st_size)
        (page,) = word.open(encrypted.decrypt(locked_file, Context("tika")), context()).pages()
    assert "This is an encrypted Word 2007 File" in page.text
    for name in (path.name, "un_password_protected.xlsx"):
        with (corpus / name).open("rb") as stream, pytest.raises(PasswordNeeded):
            encrypted.decrypt(Source(name, stream, 20_000), Context("wrong"))


def test_it_works_behind_the_walls(tmp_path: Path, start: Callable[[], Child]) -> None:
    path = tmp_path / "locked.docx"
    path.write_bytes(locked("pass"))
    with pytest.raises(DocumentLocked):
        read_document(path, launch=start)
    assert read_document(path, launch=start, password="pass").text == "A secret."
