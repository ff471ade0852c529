from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.errors import LoadBlocked
from app.models import catalog
from app.models.runner_view import MemoryNeed
from inference.errors import ModelDamaged, OutOfMemory
from tests.ui.finding import button
from tests.ui.models.conftest import ScriptedModels, installed
from tests.ui.models.parts import Around, make_around
from tests.ui.window_parts import view_of
from ui.settings.keeper import SettingsKeeper
from ui.tasks import Tasks
from ui.theme import Theme

STARTER, STANDARD = catalog.entries()


@pytest.fixture
def around(
    qtbot: QtBot, theme: Theme, tasks: Tasks, models: ScriptedModels, keeper: SettingsKeeper
) -> Iterator[Around]:
    around = make_around(qtbot, theme, tasks, models, keeper)
    yield around
    around.jobs.close()


def test_without_a_model_one_is_needed_and_nothing_is_loaded(qtbot: QtBot, around: Around) -> None:
    with qtbot.waitSignal(around.controller.needed):
        around.controller.start("auto")
    assert around.runner.selected == []
    assert around.models.sources == []


def test_the_start_loads_the_default(qtbot: QtBot, around: Around) -> None:
    around.models.here = [installed(STANDARD), installed(STARTER)]
    around.controller.start("auto")
    qtbot.waitUntil(lambda: bool(around.runner.selected))
    assert around.runner.selected == [("starter", False)]


def test_the_status_says_what_happens_to_the_model(qtbot: QtBot, around: Around) -> None:
    around.models.here = [installed(STARTER)]
    around.controller.start("auto")
    qtbot.waitUntil(lambda: around.device == "CPU · Fake CPU")
    around.runner.show(view_of("loading", "starter"))
    qtbot.waitUntil(lambda: around.device == "Loading Starter…")


def test_a_model_that_crashed_waits_until_a_person_asks(qtbot: QtBot, around: Around) -> None:
    around.models.here = [installed(STARTER)]
    around.controller.start("auto")
    qtbot.waitUntil(lambda: len(around.runner.selected) == 1)
    around.runner.show(view_of("blocked", "starter", error=LoadBlocked(model="Starter")))
    qtbot.waitUntil(lambda: around.notices.code == "load_blocked")
    assert around.device == "Starter is not loaded"
    assert len(around.runner.selected) == 1
    button(around.notices, "Load it again").click()
    qtbot.waitUntil(lambda: around.runner.selected[-1] == ("starter", True))


def test_choosing_a_blocked_model_again_is_asking_again(qtbot: QtBot, around: Around) -> None:
    around.models.here = [installed(STARTER)]
    around.runner.show(view_of("blocked", "starter", error=LoadBlocked(model="Starter")))
    around.controller._choose("starter")
    qtbot.waitUntil(lambda: around.runner.selected == [("starter", True)])


def test_a_load_that_fails_is_said_once(qtbot: QtBot, around: Around) -> None:
    around.models.here = [installed(STARTER)]
    around.controller.start("auto")
    qtbot.waitUntil(lambda: bool(around.runner.selected))
    around.runner.show(
        view_of("failed", "starter", error=ModelDamaged(file="model.onnx", reason="size"))
    )
    qtbot.waitUntil(lambda: around.notices.code == "model_damaged")
    around.notices.dismiss()
    qtbot.wait(700)
    assert around.notices.code == ""


def test_an_added_model_is_loaded_and_chosen(qtbot: QtBot, around: Around) -> None:
    with qtbot.waitSignal(around.controller.needed):
        around.controller.start("auto")
    with qtbot.waitSignals([around.controller.ready, around.controller.selected]):
        around.manager.add("starter")
    qtbot.waitUntil(lambda: around.runner.selected == [("starter", False)])


GB = 1_000_000_000


def test_short_memory_is_a_choice(qtbot: QtBot, around: Around) -> None:
    around.models.here = [installed(STANDARD), installed(STARTER)]
    around.controller.start("auto")
    qtbot.waitUntil(lambda: len(around.runner.loads) == 1)
    need = MemoryNeed(3 * GB, GB, 8192, smaller_context_tokens=2048, smaller_model_id="starter")
    error = OutOfMemory(needed_bytes=3 * GB, free_bytes=GB)

    def shown_again() -> None:
        around.runner.show(view_of("tight", "standard", error=error, memory=need))
        qtbot.waitUntil(lambda: around.notices.text.startswith("The model needs 3.0 GB"))

    shown_again()
    assert around.device == "Standard waits: memory is short"
    button(around.notices, "Use a shorter context (2,048 tokens)").click()
    qtbot.waitUntil(lambda: around.runner.loads[-1] == ("standard", "auto", False, 2048))
    shown_again()
    button(around.notices, "Load it anyway").click()
    qtbot.waitUntil(lambda: around.runner.loads[-1] == ("standard", "auto", True, 0))
    shown_again()
    button(around.notices, "Use Starter instead").click()
    qtbot.waitUntil(lambda: around.runner.loads[-1] == ("starter", "auto", False, 0))


def test_what_would_not_help_is_not_offered(qtbot: QtBot, around: Around) -> None:
    around.controller.start("auto")
    error = OutOfMemory(needed_bytes=3 * GB, free_bytes=GB)
    around.runner.show(
        view_of("tight", "standard", error=error, memory=MemoryNeed(3 * GB, GB, 8192))
    )
    qtbot.waitUntil(lambda: bool(around.notices.text))
    shown = [one.text() for one in around.notices.findChildren(QPushButton)]
    assert shown == ["Load it anyway"]


def test_a_model_that_rests_is_no_error(qtbot: QtBot, around: Around) -> None:
    around.models.here = [installed(STARTER)]
    around.controller.start("auto")
    qtbot.waitUntil(lambda: around.device == "CPU · Fake CPU")
    around.runner.show(view_of("resting", "starter"))
    qtbot.waitUntil(lambda: around.device == "Starter rests, and loads with the next question")
    assert around.notices.isHidden()


def test_a_later_model_waits_until_a_person_wants_it(qtbot: QtBot, around: Around) -> None:
    around.models.here = [installed(STANDARD)]
    around.controller.start("auto")
    qtbot.waitUntil(lambda: len(around.page.installed.rows) == 1)
    around.manager.add("starter")
    qtbot.waitUntil(lambda: around.notices.text == "Starter is ready.")
    assert len(around.runner.selected) == 1
    with qtbot.waitSignal(around.controller.ready):
        button(around.notices, "Use it").click()
    qtbot.waitUntil(lambda: around.runner.selected[-1] == ("starter", False))


def test_who_vouches_for_a_pack_is_said(qtbot: QtBot, around: Around) -> None:
    with qtbot.waitSignal(around.manager.told) as told:
        around.manager.add([Path("team.SNUGPACK")])
    assert told.args is not None
    assert "not signed" in told.args[0]
    with qtbot.assertNotEmitted(around.manager.told):
        around.manager.add([Path("model.gguf")])
