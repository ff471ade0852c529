"""The memory dialog: what conversations take, what they may, and for how long."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox
from pytestqt.qtbot import QtBot

from app.models.runner_view import KvUse
from app.settings import Settings
from tests.ui.finding import only
from ui.plurals import EnglishPlurals
from ui.settings.memory_dialog import MemoryDialog
from ui.theme import Theme


@pytest.fixture(autouse=True)
def plurals(qapp: object) -> EnglishPlurals:
    translator = EnglishPlurals()
    qapp.installTranslator(translator)  # type: ignore[attr-defined]
    return translator


def shown(
    qtbot: QtBot,
    theme: Theme,
    settings: Settings,
    use: KvUse | None = None,
    *,
    can_shrink: bool = False,
) -> MemoryDialog:
    dialog = MemoryDialog(theme, settings, lambda: use or KvUse(), can_shrink=can_shrink)
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def combo(dialog: MemoryDialog, name: str) -> QComboBox:
    (found,) = [one for one in dialog.findChildren(QComboBox) if one.accessibleName() == name]
    return found


def choose(box: QComboBox, value: int) -> None:
    box.setCurrentIndex(box.findData(value))
    box.activated.emit(box.currentIndex())


def test_it_shows_what_is_in_use(qtbot: QtBot, theme: Theme) -> None:
    assert shown(qtbot, theme, Settings()).use_text == "No model is loaded now."
    dialog = shown(qtbot, theme, Settings(), KvUse(120_000_000, 2_000_000_000))
    assert dialog.use_text == "120 MB of 2.0 GB in use"


def test_choices_are_handed_on_at_once(qtbot: QtBot, theme: Theme) -> None:
    dialog = shown(qtbot, theme, Settings(kv_budget_mb=300, idle_unload_min=0))
    budget, idle = (
        combo(dialog, "Memory for conversations"),
        combo(dialog, "Give the model's memory back"),
    )
    assert (budget.currentData(), idle.currentText()) == (300, "Never")
    with qtbot.waitSignal(dialog.chosen) as chosen:
        choose(budget, 1024)
    assert chosen.args == [{"kv_budget_mb": 1024}]
    with qtbot.waitSignal(dialog.chosen) as chosen:
        choose(idle, 15)
    assert chosen.args == [{"idle_unload_min": 15}]


def test_eight_bits_are_offered_only_where_the_model_can(qtbot: QtBot, theme: Theme) -> None:
    dialog = shown(qtbot, theme, Settings())
    assert not only(dialog, QCheckBox).isEnabled()
    assert dialog.shrinking_text == "The model in use cannot do this."
    dialog = shown(qtbot, theme, Settings(), can_shrink=True)
    assert "a third of the memory" in dialog.shrinking_text
    shrink = only(dialog, QCheckBox)
    assert shrink.isEnabled()
    with qtbot.waitSignal(dialog.chosen) as chosen:
        qtbot.keyClick(shrink, Qt.Key.Key_Space)
    assert chosen.args == [{"kv_bits": 8}]


def test_eight_bits_can_be_taken_back_with_a_model_that_cannot(qtbot: QtBot, theme: Theme) -> None:
    use = KvUse(0, 1, "the runtime cannot compute it")
    dialog = shown(qtbot, theme, Settings(kv_bits=8), use)
    assert dialog.shrinking_text == "Not in force, because the runtime cannot compute it."
    shrink = only(dialog, QCheckBox)
    assert shrink.isChecked()
    with qtbot.waitSignal(dialog.chosen) as chosen:
        shrink.click()
    assert chosen.args == [{"kv_bits": 32}]
