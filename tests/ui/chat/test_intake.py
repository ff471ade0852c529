"""What comes into a draft: queues, folders, passwords, pictures, and what is no file."""

from pathlib import Path

from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QImage
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.errors import DocumentLocked, DocumentUnreadable
from tests.fakes import FakeDocuments
from tests.ui.finding import button
from ui.chat.draft_documents import DraftDocument
from ui.chat.drop_veil import DropVeil
from ui.chat.page import ChatPage
from ui.chat.password_dialog import PasswordDialog


def drop(page: QWidget, data: QMimeData) -> QDropEvent:
    where = QPointF(20, 20)
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(where.toPoint(), copy, data, left, none)
    QApplication.sendEvent(page, enter)
    event = QDropEvent(where, copy, data, left, none)
    event.setAccepted(False)
    QApplication.sendEvent(page, event)
    return event


def files(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def written(folder: Path, *names: str) -> list[Path]:
    folder.mkdir(exist_ok=True)
    paths = [folder / name for name in names]
    for path in paths:
        path.write_text("Costs fell.\fSales rose.")
    return paths


def drafts(page: ChatPage, qtbot: QtBot, count: int) -> tuple[DraftDocument, ...]:
    qtbot.waitUntil(lambda: len(page.composer.documents.documents) == count)
    return page.composer.documents.documents


def said(page: ChatPage, document: DraftDocument) -> str:
    return page.composer.documents.chip(document).details


def dialog(page: ChatPage, qtbot: QtBot) -> PasswordDialog:
    def found() -> list[PasswordDialog]:
        return [each for each in page.findChildren(PasswordDialog) if each.isVisible()]

    qtbot.waitUntil(lambda: len(found()) == 1)
    return found()[0]


def test_several_files_are_read_one_after_the_other(
    page: ChatPage, qtbot: QtBot, documents: FakeDocuments, tmp_path: Path
) -> None:
    documents.hold()
    drop(page, files(*written(tmp_path, "a.txt", "b.txt")))
    first, second = drafts(page, qtbot, 2)
    documents.step()
    qtbot.waitUntil(lambda: said(page, first) == "Reading… 1 of 2")
    assert said(page, second) == "Waiting…"
    assert second.job is None
    assert not page.composer.can_send
    documents.release()
    qtbot.waitUntil(lambda: len(page.composer.documents.attachments) == 2)
    assert page.composer.can_send


def test_one_that_waits_is_taken_out_and_the_others_go_on(
    page: ChatPage, qtbot: QtBot, documents: FakeDocuments, tmp_path: Path
) -> None:
    documents.hold()
    drop(page, files(*written(tmp_path, "a.txt", "b.txt", "c.txt")))
    first, second, _ = drafts(page, qtbot, 3)
    button(page, "Remove b.txt").click()
    button(page, "Remove a.txt").click()
    documents.release()
    qtbot.waitUntil(lambda: len(page.composer.documents.attachments) == 1)
    assert page.composer.documents.attachments[0].name == "c.txt"
    assert second.job is None
    assert first.attachment is None


def test_nothing_is_sent_before_what_was_dropped_has_come(
    page: ChatPage, qtbot: QtBot, tmp_path: Path
) -> None:
    page.composer.set_text("What fell?")
    drop(page, files(*written(tmp_path, "a.txt")))
    assert not page.composer.can_send
    qtbot.waitUntil(lambda: page.composer.can_send)
    assert len(page.composer.documents.attachments) == 1


def test_a_folder_brings_the_files_in_it(page: ChatPage, qtbot: QtBot, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    written(folder, "b.txt", "a.txt")
    written(folder / "inner", "c.txt")
    drop(page, files(folder))
    names = [each.path.name for each in drafts(page, qtbot, 3)]
    assert names == ["a.txt", "b.txt", "c.txt"]


def test_a_locked_document_asks_for_its_password_until_it_fits(
    page: ChatPage, qtbot: QtBot, documents: FakeDocuments, tmp_path: Path
) -> None:
    documents.fail(DocumentLocked(name="a.txt", wrong=0))
    drop(page, files(*written(tmp_path, "a.txt")))
    (document,) = drafts(page, qtbot, 1)
    asked = dialog(page, qtbot)
    assert not asked.says_wrong
    documents.fail(DocumentLocked(name="a.txt", wrong=1))
    qtbot.keyClicks(asked.field, "guess")
    qtbot.keyClick(asked.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: documents.passwords == [None, "guess"])
    asked = dialog(page, qtbot)
    assert asked.says_wrong
    qtbot.keyClicks(asked.field, "right")
    qtbot.keyClick(asked.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: document.attachment is not None)
    assert documents.passwords[-1] == "right"
    assert document.password is None


def test_skipping_a_password_keeps_the_other_documents(
    page: ChatPage, qtbot: QtBot, documents: FakeDocuments, tmp_path: Path
) -> None:
    documents.fail(DocumentLocked(name="a.txt", wrong=0))
    drop(page, files(*written(tmp_path, "a.txt", "b.txt")))
    locked, other = drafts(page, qtbot, 2)
    asked = dialog(page, qtbot)
    qtbot.waitUntil(lambda: other.attachment is not None)
    qtbot.mouseClick(button(asked, "Skip this document"), Qt.MouseButton.LeftButton)
    assert said(page, locked) == "a.txt is protected by a password."
    qtbot.mouseClick(button(page, "Enter the password of a.txt"), Qt.MouseButton.LeftButton)
    qtbot.keyClick(dialog(page, qtbot), Qt.Key.Key_Escape)
    assert page.composer.documents.documents == (locked, other)


def test_a_picture_from_the_clipboard_becomes_a_private_file_and_goes(
    page: ChatPage, qtbot: QtBot, documents: FakeDocuments, pasted: Path
) -> None:
    documents.fail(DocumentUnreadable(name="a.png", reason="it is a test"))
    picture = QImage(8, 8, QImage.Format.Format_RGB32)
    picture.fill(Qt.GlobalColor.red)
    QApplication.clipboard().setImage(picture)
    page.composer.field.setFocus()
    qtbot.keyClick(page.composer.field, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    (document,) = drafts(page, qtbot, 1)
    assert document.path.name.startswith("Screenshot ")
    assert document.path.parent == pasted
    assert QImage(str(document.path)).pixelColor(0, 0).name() == "#ff0000"
    assert document.path.stat().st_mode & 0o077 == 0
    assert pasted.stat().st_mode & 0o077 == 0
    qtbot.waitUntil(lambda: document.error is not None)
    page.close_intake()
    assert not pasted.exists()


def test_cells_are_pasted_as_text_though_their_picture_comes_with_them(page: ChatPage) -> None:
    data = QMimeData()
    data.setText("Q1\tQ2")
    data.setImageData(QImage(8, 8, QImage.Format.Format_RGB32))
    page.composer.field.insertFromMimeData(data)
    assert page.composer.text == "Q1\tQ2"


def test_files_are_pasted_like_dropped_ones(page: ChatPage, qtbot: QtBot, tmp_path: Path) -> None:
    page.composer.field.insertFromMimeData(files(*written(tmp_path, "a.txt")))
    qtbot.waitUntil(lambda: len(page.composer.documents.attachments) == 1)
    assert page.composer.text == ""


def test_a_mail_without_a_file_says_how_to_save_it_first(page: ChatPage, qtbot: QtBot) -> None:
    data = QMimeData()
    data.setData('application/x-qt-windows-mime;value="FileGroupDescriptorW"', b"\0\0")
    with qtbot.waitSignal(page.said, check_params_cb=lambda text: text.startswith("Save the mail")):
        event = drop(page, data)
    assert event.isAccepted()


def test_an_address_of_the_web_is_not_fetched(page: ChatPage, qtbot: QtBot) -> None:
    data = QMimeData()
    data.setUrls([QUrl("https://example.org/report.pdf")])
    with qtbot.waitSignal(page.said, check_params_cb=lambda text: "fetches nothing" in text):
        drop(page, data)
    assert page.composer.documents.documents == ()


def test_a_picture_dragged_from_a_browser_is_taken(
    page: ChatPage, qtbot: QtBot, documents: FakeDocuments
) -> None:
    documents.fail(DocumentUnreadable(name="a.png", reason="it is a test"))
    data = QMimeData()
    data.setUrls([QUrl("https://example.org/picture.png")])
    data.setImageData(QImage(8, 8, QImage.Format.Format_RGB32))
    drop(page, data)
    (document,) = drafts(page, qtbot, 1)
    assert document.path.suffix == ".png"
    qtbot.waitUntil(lambda: document.error is not None)


def test_a_veil_says_where_to_drop(page: ChatPage, qtbot: QtBot, tmp_path: Path) -> None:
    (veil,) = page.findChildren(DropVeil)
    where, none = QPointF(20, 20).toPoint(), Qt.KeyboardModifier.NoModifier
    data = files(*written(tmp_path, "a.txt"))
    enter = QDragEnterEvent(where, Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, none)
    QApplication.sendEvent(page, enter)
    assert veil.isVisible()
    drop(page, data)
    assert not veil.isVisible()
    qtbot.waitUntil(lambda: len(page.composer.documents.attachments) == 1)
