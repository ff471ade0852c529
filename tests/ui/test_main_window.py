import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QMimeData, QPoint, Qt, QTranslator, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QMenu, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.errors import StoreFull
from app.models import catalog
from app.paths import Paths
from app.settings import Settings
from app.store.unlocking import Unlocking
from tests.fakes import FAKE_DEVICE
from tests.ui.finding import button, only
from tests.ui.models.conftest import ScriptedModels, installed
from tests.ui.window_parts import Parts, view_of, window_parts
from ui.answer_settings.dialog import AnswerSettingsDialog
from ui.devices.card import DeviceCard
from ui.devices.dialog import DevicesDialog
from ui.settings.key_dialog import KeyDialog
from ui.settings.memory_dialog import MemoryDialog
from ui.settings.menu import SettingsMenu

STARTER, STANDARD = catalog.entries()
FOCUSABLE = Qt.FocusPolicy.TabFocus


@pytest.fixture
def places(tmp_path: Path) -> Paths:
    return Paths(tmp_path / "data")


@pytest.fixture
def models() -> ScriptedModels:
    models = ScriptedModels()
    models.here = [installed(STARTER)]
    return models


@pytest.fixture
def parts(qtbot: QtBot, places: Paths, models: ScriptedModels) -> Iterator[Parts]:
    with window_parts(places, models=models) as parts:
        yield parts


def started(qtbot: QtBot, parts: Parts) -> None:
    with qtbot.waitExposed(parts.window):
        parts.window.show()
    with qtbot.waitSignal(parts.window._conversations.listed):
        parts.window.start()


def ask(parts: Parts, title: str) -> str:
    conversation_id = parts.chat.new_id()
    parts.chat.send(conversation_id, "a question").wait(10)
    parts.chat.rename(conversation_id, title).result(10)
    return conversation_id


def shows_models(parts: Parts) -> bool:
    return parts.window._pages.currentWidget() is parts.window._models_page


def test_the_window_is_painted_before_store_and_model_are_touched(
    qtbot: QtBot, places: Paths, parts: Parts
) -> None:
    with qtbot.waitSignal(parts.window.painted):
        parts.window.show()
    assert not places.store.exists()
    assert parts.runner.selected == []


def test_the_first_start_shows_the_welcome_page(qtbot: QtBot, places: Paths) -> None:
    with window_parts(places) as parts:
        started(qtbot, parts)
        qtbot.waitUntil(lambda: shows_models(parts))
        assert parts.models.sources == []


@pytest.mark.parametrize("where", ["window", "chat"])
def test_a_dropped_model_file_is_added(
    qtbot: QtBot, parts: Parts, tmp_path: Path, where: str
) -> None:
    started(qtbot, parts)
    target = parts.window if where == "window" else parts.window._page
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "Model.GGUF"))])
    position, action = QPoint(500, 300), Qt.DropAction.CopyAction
    nothing, left = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    entering = QDragEnterEvent(position, action, data, left, nothing)
    QApplication.sendEvent(target, entering)
    assert entering.isAccepted()
    dropping = QDropEvent(position.toPointF(), action, data, left, nothing)
    QApplication.sendEvent(target, dropping)
    assert parts.models.sources == [[tmp_path / "Model.GGUF"]]


def test_other_files_are_not_for_the_window(qtbot: QtBot, parts: Parts, tmp_path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "report.pdf"))])
    nothing, left = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    entering = QDragEnterEvent(QPoint(5, 5), Qt.DropAction.CopyAction, data, left, nothing)
    QApplication.sendEvent(parts.window, entering)
    assert not entering.isAccepted()


def test_the_sidebar_gives_way_where_it_is_narrow_and_comes_back(
    qtbot: QtBot, parts: Parts
) -> None:
    started(qtbot, parts)
    sidebar = parts.window._sidebar
    parts.window.resize(1200, 800)
    qtbot.waitUntil(sidebar.isVisible)
    parts.window.resize(860, 800)
    qtbot.waitUntil(lambda: not sidebar.isVisible())
    button(parts.window, "Show sidebar").click()
    assert sidebar.isVisible()
    assert parts.window.width() == 860
    parts.window.resize(1200, 800)
    button(parts.window, "Hide sidebar").click()
    assert not sidebar.isVisible()
    assert not parts.settings.value.is_sidebar_visible


def test_look_and_place_are_kept_for_the_next_start(qtbot: QtBot, places: Paths) -> None:
    with window_parts(places) as parts:
        started(qtbot, parts)
        parts.window.resize(700, 600)
        parts.window._preferences._choose_scheme("dark")
        assert parts.theme.is_dark
    kept = Settings.load(places.settings)
    assert kept.theme == "dark"
    with window_parts(places, settings=kept) as parts:
        assert parts.window.size().toTuple() == (700, 600)


def test_a_chosen_model_is_kept(qtbot: QtBot, parts: Parts) -> None:
    parts.window._picker.chosen.emit("starter")
    assert parts.settings.value.model_id == "starter"


def test_a_conversation_is_opened_and_left_again(qtbot: QtBot, parts: Parts) -> None:
    first = ask(parts, "Costs")
    started(qtbot, parts)
    parts.window._sidebar.conversation_chosen.emit(first, "")
    assert parts.window.windowTitle() == "Costs · Snug"
    qtbot.keyClick(parts.window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: parts.window.windowTitle() == "Snug")


def test_answer_settings_are_a_key_away_and_kept(qtbot: QtBot, parts: Parts) -> None:
    started(qtbot, parts)
    qtbot.keyClick(parts.window, Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: bool(parts.window.findChildren(AnswerSettingsDialog)))
    dialog = parts.window.findChildren(AnswerSettingsDialog)[0]
    variety = next(e for e in dialog.findChildren(QLineEdit) if e.accessibleName() == "Variety")
    variety.setText("0")
    with qtbot.waitSignal(parts.window._answers.changed):
        button(dialog, "Save").click()
    conversation_id = parts.window._page.conversation_id
    assert parts.chat.answer_settings(conversation_id).result(10).temperature == 0
    button(parts.window, "Answer settings").click()
    qtbot.waitUntil(lambda: parts.window._answers._dialog is not None)


def test_the_status_bar_leads_to_the_devices_and_a_wish_is_kept(qtbot: QtBot, parts: Parts) -> None:
    started(qtbot, parts)
    qtbot.waitUntil(lambda: parts.window._status.device_text == "CPU · Fake CPU")
    button(parts.window, "Device: CPU · Fake CPU").click()
    dialog = only(parts.window, DevicesDialog)
    assert dialog._now.text() == "Now: CPU · Fake CPU"
    qtbot.waitUntil(lambda: len(dialog.cards()) == 2)
    dialog.wish_chosen.emit("gpu")
    assert parts.settings.value.device == "gpu"
    qtbot.waitUntil(lambda: parts.runner.loads[-1].device == "gpu")


def test_the_memory_of_conversations_is_chosen(qtbot: QtBot, parts: Parts) -> None:
    started(qtbot, parts)
    parts.window._preferences.show_memory()
    only(parts.window, MemoryDialog).chosen.emit({"kv_budget_mb": 512})
    assert parts.settings.value.kv_budget_mb == 512


def test_a_model_that_is_ready_reads_ahead(qtbot: QtBot, parts: Parts) -> None:
    conversation_id = ask(parts, "Costs")
    started(qtbot, parts)
    parts.window._sidebar.conversation_chosen.emit(conversation_id, "")
    qtbot.waitUntil(lambda: bool(parts.generator.prefilled))
    count = len(parts.generator.prefilled)
    parts.runner.show(view_of("ready", "starter", device=FAKE_DEVICE))
    qtbot.waitUntil(lambda: len(parts.generator.prefilled) > count)


def test_an_error_is_shown_above_the_chat(qtbot: QtBot, parts: Parts) -> None:
    started(qtbot, parts)
    parts.window._page.notice.emit(StoreFull())
    assert parts.window._notices.code == "store_full"
    assert parts.window._notices.isVisible()


def test_ctrl_k_finds_the_search(qtbot: QtBot, parts: Parts) -> None:
    started(qtbot, parts)
    parts.window.resize(800, 700)
    qtbot.keyClick(parts.window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: isinstance(QApplication.focusWidget(), QLineEdit))


def test_without_a_keyring_the_key_is_asked_for_and_then_all_is_there(
    qtbot: QtBot, places: Paths, models: ScriptedModels
) -> None:
    with window_parts(places, models=models, keys=Unlocking(places)) as parts:
        with qtbot.waitExposed(parts.window):
            parts.window.show()
        parts.window.start()
        qtbot.waitUntil(lambda: bool(parts.window.findChildren(KeyDialog)))
        dialog = parts.window.findChildren(KeyDialog)[0]
        dialog._key_file.click()
        with qtbot.waitSignal(parts.window._conversations.listed):
            button(dialog, "Protect").click()
        assert "file" in parts.window._sidebar._key.text()


def test_every_control_that_takes_the_focus_has_a_name(qtbot: QtBot, parts: Parts) -> None:
    first = ask(parts, "Costs")
    started(qtbot, parts)
    parts.window._sidebar.conversation_chosen.emit(first, "")
    parts.window._notices.show_error(StoreFull())
    qtbot.waitUntil(parts.window._page.isVisible)
    nameless = [
        f"{type(widget).__name__} {widget.objectName()}"
        for widget in parts.window.findChildren(QWidget)
        if widget.focusPolicy() & FOCUSABLE
        and widget.isVisibleTo(parts.window)
        and not name_of(widget)
    ]
    assert not nameless


def name_of(widget: QWidget) -> str:
    text = getattr(widget, "text", None)
    spoken = widget.accessibleName()
    return spoken or (text() if isinstance(widget, QPushButton) and text else "")


def test_tab_reaches_every_part_of_the_window(qtbot: QtBot, parts: Parts) -> None:
    started(qtbot, parts)
    qtbot.waitUntil(lambda: bool(parts.runner.selected))
    parts.window.activateWindow()
    reached = set()
    first = parts.window._sidebar._new_chat
    widget = first.nextInFocusChain()
    while widget is not None and widget is not first:
        if widget.isVisible() and widget.focusPolicy() & FOCUSABLE:
            reached.add(name_of(widget))
        widget = widget.nextInFocusChain()
    wanted = {"Search conversations", "Conversations", "Settings", "Hide sidebar"}
    assert wanted <= reached
    assert any(name.startswith("Model:") for name in reached)


class Brackets(QTranslator):
    """A language in which every text stands in brackets."""

    def translate(
        self, context: str, text: str, disambiguation: str | None = None, n: int = -1
    ) -> str:
        return f"⟦{text}⟧"

    def isEmpty(self) -> bool:  # noqa: N802
        return False


@pytest.fixture
def brackets(qapp: QApplication) -> Iterator[None]:
    translator = Brackets()
    QCoreApplication.installTranslator(translator)
    yield
    QCoreApplication.removeTranslator(translator)


# A model's own name, its licence, and what was measured are no words of ours.
NOT_OURS = re.compile(r"SmolLM2.*|Qwen2.*|Apache-2.0|[\d\W]*|CPU · .*|Ryzen|Radeon")


@pytest.mark.usefixtures("brackets")
def test_every_text_of_the_window_can_be_translated(qtbot: QtBot, places: Paths) -> None:
    with window_parts(places) as parts:
        ask(parts, "⟦Costs⟧")
        started(qtbot, parts)
        qtbot.waitUntil(lambda: shows_models(parts))
        parts.window.show_error(StoreFull())
        parts.runner.show(view_of("failed", "⟦x⟧"))
        dialog = KeyDialog(parts.window)
        parts.window._preferences.show_memory()
        parts.window._preferences.show_devices()
        parts.window._show_answers()
        qtbot.waitUntil(lambda: bool(parts.window.findChildren(AnswerSettingsDialog)))
        qtbot.waitUntil(lambda: bool(parts.window.findChildren(DeviceCard)))
        menu = SettingsMenu("system", parts.window)
        plain = [text for text in texts(parts.window) if "⟦" not in text]
        assert [text for text in plain if not NOT_OURS.fullmatch(text)] == []
        dialog.close()
        menu.close()


def texts(window: QWidget) -> set[str]:
    found: set[str] = set()
    for widget in window.findChildren(QWidget):
        found |= {widget.accessibleName(), widget.toolTip(), widget.windowTitle()}
        if isinstance(widget, QLabel | QPushButton):
            found.add(widget.text())
        if isinstance(widget, QLineEdit):
            found.add(widget.placeholderText())
        if isinstance(widget, QMenu):
            found |= {action.text() for action in widget.actions()}
    return {text for text in found if text}
