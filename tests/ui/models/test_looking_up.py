from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from app.errors import GatedModel, TokenNotKept
from app.models import catalog
from app.models.sources import HubSource
from tests.ui.finding import button, only
from tests.ui.models.conftest import REMOTE, ScriptedModels, installed
from tests.ui.models.parts import Around, make_around
from ui.models.lookup import Address, address_of
from ui.settings.keeper import SettingsKeeper
from ui.tasks import Tasks
from ui.theme import Theme

STARTER, STANDARD = catalog.entries()
COMMIT = REMOTE.commit


@pytest.fixture
def around(
    qtbot: QtBot, theme: Theme, tasks: Tasks, models: ScriptedModels, keeper: SettingsKeeper
) -> Iterator[Around]:
    models.here = [installed(STARTER), installed(STANDARD)]
    around = make_around(qtbot, theme, tasks, models, keeper)
    around.show()
    yield around
    around.jobs.close()


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("acme/tiny", Address("acme/tiny")),
        (" acme/tiny ", Address("acme/tiny")),
        ("https://hub.example/acme/tiny", Address("acme/tiny")),
        ("hub.example/acme/tiny/tree/v2", Address("acme/tiny", "v2")),
        ("https://hub.example/acme", None),
        ("https://hub.example/acme/../x", None),
        ("german", None),
        ("fast and small", None),
    ],
)
def test_what_is_typed_is_an_address_or_is_not(text: str, address: Address | None) -> None:
    assert address_of(text) == address


def test_typing_asks_nobody_and_the_button_asks_the_hub(
    qtbot: QtBot, around: Around, models: ScriptedModels
) -> None:
    only(around.page, QLineEdit).setText("acme/tiny-model")
    assert models.asked == []
    button(around.page, "Look up acme/tiny-model").click()
    qtbot.waitUntil(lambda: around.manager.look_ups.variants is not None)
    assert models.asked == [("acme/tiny-model", "main")]
    dialog = around.manager.look_ups.variants
    assert dialog is not None
    assert dialog.chosen is not None
    assert dialog.chosen.name == "cpu-int4"
    button(dialog, "Fetch (1.0 GB)").click()
    assert models.sources == [HubSource("acme/tiny-model", COMMIT, "cpu-int4")]


def test_a_hub_that_refuses_asks_for_a_token_and_is_asked_again(
    qtbot: QtBot, around: Around, models: ScriptedModels
) -> None:
    models.answer = GatedModel(repository="acme/tiny-model", host="hub.example")
    only(around.page, QLineEdit).setText("acme/tiny-model")
    button(around.page, "Look up acme/tiny-model").click()
    look_ups = around.manager.look_ups
    qtbot.waitUntil(lambda: look_ups.token is not None)
    assert "acme/tiny-model is gated" in around.page.look_up.failure_text
    assert look_ups.token is not None
    only(look_ups.token, QLineEdit).setText("secret")
    models.answer = REMOTE
    button(look_ups.token, "Keep").click()
    qtbot.waitUntil(lambda: look_ups.variants is not None)
    assert models.tokens.kept == {"https://hub.example": "secret"}
    assert len(models.asked) == 2


def test_a_token_that_cannot_be_kept_stays_in_the_field(
    qtbot: QtBot, around: Around, models: ScriptedModels
) -> None:
    models.tokens.error = TokenNotKept()
    around.manager.look_ups.ask_token()
    qtbot.waitUntil(lambda: around.manager.look_ups.token is not None)
    dialog = around.manager.look_ups.token
    assert dialog is not None
    only(dialog, QLineEdit).setText("secret")
    button(dialog, "Keep").click()
    qtbot.waitUntil(lambda: "no keyring" in dialog.failure_text)
    assert models.tokens.kept == {}


def test_a_mirror_is_set_only_when_it_is_an_address(qtbot: QtBot, around: Around) -> None:
    button(around.page, "Downloads…").click()
    dialog = around.manager.look_ups.downloads
    assert dialog is not None
    mirror = dialog.findChildren(QLineEdit)[0]
    mirror.setText("mirror.example")
    button(dialog, "Save").click()
    assert "“mirror.example” is no address" in dialog.failure_text
    mirror.setText("https://mirror.example/")
    button(dialog, "Save").click()
    assert around.settings.value.hub_endpoint == "https://mirror.example"
    assert all(one.text() for one in dialog.findChildren(QPushButton))
