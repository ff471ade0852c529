"""The dialog that says how answers are made: what is empty is the model's own default."""

import pytest
from PySide6.QtWidgets import QCheckBox, QLineEdit, QPlainTextEdit, QRadioButton
from pytestqt.qtbot import QtBot

from app.chat.values import AnswerSettings
from inference.types import Sampling
from tests.ui.finding import button
from ui.answer_settings.dialog import AnswerSettingsDialog
from ui.theme import Theme

EVERYTHING = AnswerSettings(
    system_prompt="Be brief.",
    temperature=0.7,
    top_p=0.8,
    top_k=5,
    min_p=0.05,
    repetition_penalty=1.1,
    seed=7,
    max_new_tokens=200,
    stop=("END", "Kind regards"),
    overflow="summarize",
)


def dialog(
    qtbot: QtBot, theme: Theme, settings: AnswerSettings | None = None
) -> AnswerSettingsDialog:
    shown = AnswerSettingsDialog(
        theme,
        settings or AnswerSettings(),
        defaults=Sampling(temperature=0.3, max_new_tokens=1024),
        default_prompt="You are Snug.",
    )
    qtbot.addWidget(shown)
    shown.show()
    return shown


def line(shown: AnswerSettingsDialog, name: str) -> QLineEdit:
    (found,) = [one for one in shown.findChildren(QLineEdit) if one.accessibleName() == name]
    return found


def test_what_is_not_set_shows_the_default_and_sends_none(qtbot: QtBot, theme: Theme) -> None:
    shown = dialog(qtbot, theme)
    assert line(shown, "Variety").placeholderText() == "Default (0.3)"
    assert line(shown, "Repeat the same answer").placeholderText() == "Random"
    prompt = next(e for e in shown.findChildren(QPlainTextEdit) if "Instr" in e.accessibleName())
    assert prompt.placeholderText() == "You are Snug."
    with qtbot.waitSignal(shown.saved) as saved:
        button(shown, "Save").click()
    assert saved.args == [AnswerSettings()]


def test_everything_that_is_set_comes_back_as_it_was(qtbot: QtBot, theme: Theme) -> None:
    assert dialog(qtbot, theme, EVERYTHING).settings == EVERYTHING


def test_reset_all_takes_every_default(qtbot: QtBot, theme: Theme) -> None:
    shown = dialog(qtbot, theme, EVERYTHING)
    button(shown, "Reset all").click()
    assert shown.settings == AnswerSettings()
    assert not button(shown, "Reset all").isEnabled()


def test_one_field_is_reset_alone(qtbot: QtBot, theme: Theme) -> None:
    shown = dialog(qtbot, theme, AnswerSettings(temperature=1.0, seed=3))
    button(shown, "Reset: Variety").click()
    assert shown.settings == AnswerSettings(seed=3)
    assert button(shown, "Reset: Variety").isHidden()


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("Variety", "eleven", "Write a number from 0 to 10."),
        ("Variety", "nan", "Write a number from 0 to 10."),
        ("Keep the likeliest words", "0", "Write a number above 0 and at most 1."),
        ("Words to choose from", "2.5", "Write a whole number, 0 or more."),
        ("Leave out unlikely words", "1", "Write a number from 0 to below 1."),
        ("Avoid repetition", "0", "Write a number above 0 and at most 10."),
        ("Repeat the same answer", "-1", "Write a whole number from 0 to 2147483647."),
        ("Longest answer", "0", "Write a whole number of at least 1."),
    ],
)
def test_a_bad_value_is_said_beside_its_field_and_kept_back(
    qtbot: QtBot, theme: Theme, name: str, text: str, said: str
) -> None:
    shown = dialog(qtbot, theme)
    line(shown, name).setText(text)
    assert [field.note for field in shown._fields if field.problem] == [said]
    assert not button(shown, "Save").isEnabled()
    assert shown.settings == AnswerSettings()
    line(shown, name).clear()
    assert button(shown, "Save").isEnabled()


def test_a_comma_is_a_decimal_point_too(qtbot: QtBot, theme: Theme) -> None:
    shown = dialog(qtbot, theme)
    line(shown, "Variety").setText("0,5")
    assert shown.settings.temperature == 0.5


def test_telling_nothing_is_not_the_same_as_the_default(qtbot: QtBot, theme: Theme) -> None:
    shown = dialog(qtbot, theme)
    (none,) = shown.findChildren(QCheckBox)
    none.click()
    assert shown.settings.system_prompt == ""
    none.click()
    assert shown.settings.system_prompt is None


def test_what_happens_when_it_is_full_is_chosen(qtbot: QtBot, theme: Theme) -> None:
    shown = dialog(qtbot, theme)
    choices = {one.text(): one for one in shown.findChildren(QRadioButton)}
    choices["Stop and ask me"].click()
    assert shown.settings.overflow == "ask"


def test_rare_controls_are_folded_unless_one_is_set(qtbot: QtBot, theme: Theme) -> None:
    plain = dialog(qtbot, theme)
    assert not line(plain, "Words to choose from").isVisible()
    button(plain, "More controls").click()
    assert line(plain, "Words to choose from").isVisible()
    assert line(dialog(qtbot, theme, AnswerSettings(seed=0)), "Words to choose from").isVisible()
