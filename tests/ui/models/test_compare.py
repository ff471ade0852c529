"""The dialog that compares, with real hosts and tiny models behind it."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QLabel,
    QPlainTextEdit,
    QTableView,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.children import Verb
from app.documents.intake import Intake
from app.errors import ComparisonTight
from app.models.comparing_job import CompareView
from app.models.comparing_service import CompareService
from app.models.comparing_values import Contender, Trial
from app.models.devices import DeviceService
from app.models.installed import InstalledModel, InstalledModels
from app.paths import Paths
from app.settings import Settings
from inference.child import Child
from tests.tiny_gguf import write_tiny_gguf
from tests.ui.finding import button, only
from ui.models.compare_dialog import CompareDialog
from ui.models.compare_figures import CompareFigures
from ui.models.compare_opener import Comparisons
from ui.tasks import Tasks
from ui.theme import Theme

if TYPE_CHECKING:
    from pytestqt.modeltest import ModelTester

pytestmark = pytest.mark.engine

_WAIT_MS = 60_000
TEXT = "they said that the number of people in a place is more than one could see in a day. " * 40


@pytest.fixture(scope="module")
def models(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from inference.gguf import importer

    folder = tmp_path_factory.mktemp("compared")
    shutil.copytree(tiny_model, folder / "tiny")
    other = write_tiny_gguf(folder.parent / "second.gguf", seed=5, types=("Q4_0",))
    importer.import_gguf(other, folder / "other", accuracy_level=1)
    return folder


class Watched(CompareService):
    """The service itself, which tells when it has looked for devices."""

    has_looked = False

    def device_names(self) -> tuple[str, ...]:
        try:
            return super().device_names()
        finally:
            self.has_looked = True


@pytest.fixture
def service(models: Path, tmp_path: Path, launch: Callable[[Verb], Child]) -> Iterator[Watched]:
    devices = DeviceService(Paths(tmp_path / "data"), launch, installed=lambda: ())

    def read(path: Path, stop: Event) -> str:
        document = Intake(lambda: launch("document")).read(path, cancelled=stop)
        return "\n\n".join(page.text for page in document.pages)

    service = Watched(
        lambda: launch("host"),
        InstalledModels(models),
        Settings,
        devices=lambda: devices,
        read_text=read,
    )
    yield service
    service.close()
    devices.close()


@pytest.fixture
def dialog(qtbot: QtBot, service: Watched, theme: Theme, tasks: Tasks) -> CompareDialog:
    dialog = CompareDialog(lambda: service, theme, tasks, chosen_id="tiny")
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitUntil(lambda: len(dialog.choices.contenders) == 2)
    qtbot.waitUntil(lambda: service.has_looked)
    return dialog


def _box(dialog: CompareDialog, name: str) -> QComboBox:
    (found,) = (box for box in dialog.findChildren(QComboBox) if box.accessibleName() == name)
    return found


def _ask(dialog: CompareDialog, *prompts: str) -> None:
    only(dialog, QPlainTextEdit).setPlainText("\n".join(prompts))


def _figure(dialog: CompareDialog, row: str, column: int) -> str:
    figures = dialog.figures
    for at in range(figures.rowCount()):
        if figures.headerData(at, Qt.Orientation.Vertical) == row:
            return str(figures.index(at, column).data())
    raise AssertionError(row)


def test_two_models_are_shown_side_by_side(
    qtbot: QtBot, dialog: CompareDialog, tmp_path: Path
) -> None:
    (tmp_path / "text.txt").write_text(TEXT, "utf-8")
    dialog.choices.set_document(tmp_path / "text.txt")
    assert dialog.choices.contenders == (Contender("tiny"), Contender("other"))
    _ask(dialog, "hot water", "", "the first number")

    qtbot.mouseClick(button(dialog, "Start"), Qt.MouseButton.LeftButton)

    assert dialog.is_running
    assert not button(dialog, "Start").isEnabled()
    qtbot.waitUntil(lambda: not dialog.is_running, timeout=_WAIT_MS)
    assert dialog.note == "Done."
    table = only(dialog, QTableView)
    last = table.visualRect(dialog.figures.index(dialog.figures.rowCount() - 1, 0))
    assert last.bottom() < table.viewport().height()
    for column in (0, 1):
        assert _figure(dialog, "Writes", column).endswith("tokens/s")
        assert float(_figure(dialog, "Document, bits per byte (less is better)", column)) > 0
        assert dialog.answers.text(1, column)
    assert dialog.answers.text(0, 0) != dialog.answers.text(0, 1)
    assert "2 of 2 answers differ." in dialog.verdict.splitlines()
    assert button(dialog, "Start").isEnabled()


def test_stop_keeps_what_was_measured(qtbot: QtBot, dialog: CompareDialog) -> None:
    _ask(dialog, *(f"the {number} hot water" * 40 for number in range(60)))
    button(dialog, "Start").click()
    qtbot.waitUntil(lambda: bool(dialog.answers.text(1, 0)), timeout=_WAIT_MS)
    assert button(dialog, "Stop").hasFocus()

    qtbot.keyClick(button(dialog, "Stop"), Qt.Key.Key_Space)

    qtbot.waitUntil(lambda: not dialog.is_running, timeout=_WAIT_MS)
    assert dialog.note == "Stopped. What was measured stays."
    assert dialog.answers.text(0, 0)
    assert _figure(dialog, "Time to load", 0).endswith(" s")
    assert _figure(dialog, "Time to load", 1) == "–"


def test_closing_stops_what_runs(
    qtbot: QtBot, dialog: CompareDialog, service: CompareService
) -> None:
    _ask(dialog, *("hot water " * 40 for _ in range(60)))
    button(dialog, "Start").click()
    (job,) = service._jobs

    dialog.reject()

    assert job.wait(60).stage == "stopped"


def test_one_model_is_compared_on_two_devices(qtbot: QtBot, dialog: CompareDialog) -> None:
    second, device = _box(dialog, "Second model"), _box(dialog, "Device of the second model")

    second.setCurrentIndex(second.findData("tiny"))
    device.setCurrentIndex(device.findData("cpu"))

    assert dialog.choices.contenders == (Contender("tiny"), Contender("tiny", "cpu"))


def test_devices_are_offered_once_each(dialog: CompareDialog) -> None:
    device = _box(dialog, "Device of the second model")

    dialog.choices.show_devices(("Radeon", "Virtual"))
    dialog.choices.show_devices(("Radeon",))

    texts = [device.itemText(at) for at in range(device.count())]
    assert texts == ["Best device", "Processor", "Radeon", "Virtual"]
    device.setCurrentIndex(2)
    assert dialog.choices.contenders[1] == Contender("other", "Radeon")


def test_without_prompt_and_document_nothing_can_start(
    dialog: CompareDialog, tmp_path: Path
) -> None:
    assert len(dialog.choices.prompts) == 3
    _ask(dialog, "  ")
    assert not button(dialog, "Start").isEnabled()

    dialog.choices.set_document(tmp_path / "text.txt")

    assert button(dialog, "Start").isEnabled()
    button(dialog, "Leave it out").click()
    assert not button(dialog, "Start").isEnabled()


def test_everything_has_a_name_and_is_reached_by_keyboard(
    qtbot: QtBot, dialog: CompareDialog
) -> None:
    controls = [
        *dialog.findChildren(QComboBox),
        *dialog.findChildren(QPlainTextEdit),
        *(one for one in dialog.findChildren(QAbstractButton) if one.isVisible()),
    ]
    nameless = [one for one in controls if not (one.accessibleName() or _text(one))]
    assert not nameless
    assert only(dialog, QTableView).accessibleName() == "Figures"
    seen = set()
    dialog.activateWindow()
    dialog.choices.setFocus()
    for _ in range(40):
        qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Tab)
        seen.add(dialog.focusWidget())
    assert [one for one in controls if one.isEnabled() and one not in seen] == []


def _text(control: Any) -> str:
    return control.text() if isinstance(control, QAbstractButton) else ""


class Refusing:
    """A desk whose comparisons end at once, with too little memory."""

    def models(self) -> tuple[InstalledModel, ...]:
        model = InstalledModel("a", "A", Path("a"), "", 1, "llama", "Q4_0", 4096, "")
        return (model,)

    def device_names(self) -> tuple[str, ...]:
        return ()

    def start(
        self, contenders: Sequence[Contender], trial: Trial, document: Path | None
    ) -> "Refusing":
        return self

    def view(self) -> CompareView:
        error = ComparisonTight(model="A", needed_bytes=3 * 10**9, free_bytes=10**9)
        return CompareView("failed", error=error)

    def stop(self) -> None:
        """Nothing runs."""


def test_too_little_memory_is_said_in_a_sentence(qtbot: QtBot, theme: Theme, tasks: Tasks) -> None:
    dialog = CompareDialog(Refusing, theme, tasks)
    qtbot.addWidget(dialog)
    qtbot.waitUntil(lambda: bool(dialog.choices.contenders))

    button(dialog, "Start").click()

    assert dialog.note.startswith("To be compared, A needs about 3.0 GB of memory")
    assert not dialog.is_running


def test_one_dialog_is_open_at_a_time(
    qtbot: QtBot, service: Watched, theme: Theme, tasks: Tasks
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    comparisons = Comparisons(lambda: service, theme, tasks, window)

    comparisons.open("tiny")
    dialog = comparisons.dialog
    comparisons.open("other")

    assert dialog is not None
    assert comparisons.dialog is dialog
    qtbot.waitUntil(lambda: dialog.choices.contenders[:1] == (Contender("tiny"),))
    qtbot.waitUntil(lambda: service.has_looked)
    dialog.reject()
    assert comparisons.dialog is None


def test_the_table_keeps_qt_s_rules(
    dialog: CompareDialog, qtbot: QtBot, qtmodeltester: "ModelTester"
) -> None:
    _ask(dialog, "hot water")
    button(dialog, "Start").click()
    qtbot.waitUntil(lambda: dialog.figures.rowCount() > 0, timeout=_WAIT_MS)

    qtmodeltester.check(dialog.figures)

    index = dialog.figures.index(0, 1)
    assert dialog.figures.data(index, Qt.ItemDataRole.AccessibleTextRole).startswith(
        dialog.figures.headerData(1, Qt.Orientation.Horizontal)
    )
    assert isinstance(dialog.figures, CompareFigures)
    assert all(label.textFormat() == Qt.TextFormat.PlainText for label in _labels(dialog))


def _labels(dialog: CompareDialog) -> list[QLabel]:
    return [label for label in dialog.findChildren(QLabel) if label.text()]
