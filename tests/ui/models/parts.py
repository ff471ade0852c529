"""The models page with everything that stands around it, on scripted services."""

from dataclasses import dataclass

from pytestqt.qtbot import QtBot

from tests.ui.models.conftest import BIG_MACHINE, ScriptedModels
from tests.ui.window_parts import ScriptedRunner
from ui.models.controller import Models
from ui.models.jobs import Jobs
from ui.models.manager import Manager
from ui.models.page import ModelsPage
from ui.models.picker import ModelPicker
from ui.models.shelf import read_shelf
from ui.notices import NoticeBar
from ui.settings.keeper import SettingsKeeper
from ui.status_bar import StatusBar
from ui.tasks import Tasks
from ui.theme import Theme


@dataclass(frozen=True, slots=True)
class Around:
    """The controller with everything it keeps in step."""

    controller: Models
    models: ScriptedModels
    runner: ScriptedRunner
    notices: NoticeBar
    status: StatusBar
    page: ModelsPage
    jobs: Jobs
    settings: SettingsKeeper

    @property
    def device(self) -> str:
        return self.status.device_text

    @property
    def manager(self) -> Manager:
        return self.controller.manager

    def show(self) -> None:
        """List at once, as the controller does when the disk has been read."""
        self.controller._show_shelf(read_shelf(self.models, lambda: BIG_MACHINE))


def make_around(
    qtbot: QtBot, theme: Theme, tasks: Tasks, models: ScriptedModels, settings: SettingsKeeper
) -> Around:
    runner = ScriptedRunner()
    jobs = Jobs()
    notices, status, page = NoticeBar(theme), StatusBar(theme), ModelsPage(theme, jobs)
    picker = ModelPicker(theme)
    for widget in (notices, status, page, picker):
        qtbot.addWidget(widget)
    page.resize(900, 700)
    page.show()
    controller = Models(
        models,
        runner,
        lambda: BIG_MACHINE,
        picker=picker,
        page=page,
        jobs=jobs,
        status=status,
        notices=notices,
        theme=theme,
        tasks=tasks,
        settings=settings,
        window=picker,
    )
    jobs.setParent(picker)
    controller.failed.connect(notices.show_error)
    return Around(controller, models, runner, notices, status, page, jobs, settings)
