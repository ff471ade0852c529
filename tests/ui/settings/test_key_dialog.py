import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QProgressBar, QRadioButton
from pytestqt.qtbot import QtBot

from tests.ui.finding import button
from ui.settings.key_dialog import KeyChoice, KeyDialog, UnlockDialog

GOOD = "a few words in a row"


@pytest.fixture
def dialog(qtbot: QtBot) -> KeyDialog:
    dialog = KeyDialog()
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def fields(dialog: KeyDialog) -> list[QLineEdit]:
    return dialog.findChildren(QLineEdit)


def test_a_passphrase_is_taken_when_it_was_typed_twice(qtbot: QtBot, dialog: KeyDialog) -> None:
    first, second = fields(dialog)
    accept = button(dialog, "Protect")
    qtbot.keyClicks(first, GOOD)
    assert not accept.isEnabled()
    qtbot.keyClicks(second, GOOD)
    with qtbot.waitSignal(dialog.chosen) as chosen:
        qtbot.mouseClick(accept, Qt.MouseButton.LeftButton)
    assert chosen.args == [KeyChoice("passphrase", GOOD)]
    assert first.text() == ""


def test_strength_is_length_and_nothing_else(qtbot: QtBot, dialog: KeyDialog) -> None:
    first, second = fields(dialog)
    bar = dialog.findChildren(QProgressBar)[0]
    values = []
    for length in (1, 8, 14, 30):
        first.setText("x" * length)
        second.setText("x" * length)
        values.append((bar.value(), button(dialog, "Protect").isEnabled()))
    assert values == [(1, False), (8, True), (14, True), (20, True)]


def test_a_key_file_needs_no_passphrase_and_is_said_to_be_weaker(
    qtbot: QtBot, dialog: KeyDialog
) -> None:
    radios = dialog.findChildren(QRadioButton)
    radios[1].click()
    assert not fields(dialog)[0].isEnabled()
    with qtbot.waitSignal(dialog.chosen) as chosen:
        button(dialog, "Protect").click()
    assert chosen.args == [KeyChoice("key_file")]


def test_a_passphrase_is_never_printed() -> None:
    assert GOOD not in repr(KeyChoice("passphrase", GOOD))


def test_a_wrong_passphrase_may_be_tried_again(qtbot: QtBot) -> None:
    dialog = UnlockDialog()
    qtbot.addWidget(dialog)
    dialog.show()
    field = dialog.findChildren(QLineEdit)[0]
    assert not button(dialog, "Unlock").isEnabled()
    qtbot.keyClicks(field, "wrong")
    with qtbot.waitSignal(dialog.entered) as entered:
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert entered.args == ["wrong"]
    assert not field.isEnabled()
    dialog.show_wrong()
    assert field.isEnabled()
    assert field.selectedText() == "wrong"
    assert dialog.isVisible()
