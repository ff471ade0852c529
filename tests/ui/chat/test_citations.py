"""Sources of an answer: numbers in its text, lines below it, passages as quotes."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.chat.values import Message
from app.documents.values import Citation, Place
from tests.ui.finding import button, only
from ui.chat.answer import AnswerWidget
from ui.chat.look import Look
from ui.chat.prose import ProseSegment
from ui.chat.rows import Row
from ui.chat.sources import Sources

TEXT = "Costs fell by 4 %. Sales rose."
FIRST = Citation(
    1, "d1", "report.pdf", Place(12), "Costs fell by 4 %. It rained.", ("Costs fell by 4 %.",), 18
)
SECOND = Citation(2, "d2", "mail.eml", Place(3, "page", 2, "plan.pdf"), "Sales rose.", (), 30)
ANSWER = Message("a", "c", "assistant", TEXT, 0.0, kind="chat", citations=(FIRST, SECOND))


@pytest.fixture
def answer(qtbot: QtBot, look: Look) -> AnswerWidget:
    answer = AnswerWidget(look)
    qtbot.addWidget(answer)
    answer.resize(600, 400)
    return answer


def show(answer: AnswerWidget, message: Message) -> None:
    answer.show_row(Row(message, is_last=True))
    answer.resize(600, answer.lay_out(600))
    answer.show()


def test_a_number_is_reached_and_pressed_by_keyboard(answer: AnswerWidget, qtbot: QtBot) -> None:
    show(answer, ANSWER)
    qtbot.waitExposed(answer)
    prose = only(answer, ProseSegment)
    shown = " ".join(prose.toPlainText().split())
    assert shown == "Costs fell by 4 %. [1] Sales rose. [2]"
    prose.setFocus()
    qtbot.keyClick(prose, Qt.Key.Key_Tab)
    with qtbot.waitSignal(answer.citation_activated) as activated:
        qtbot.keyClick(prose, Qt.Key.Key_Return)
    assert activated.args == [FIRST]


def test_a_source_below_the_answer_leads_to_its_page(answer: AnswerWidget, qtbot: QtBot) -> None:
    show(answer, ANSWER)
    source = button(answer, "Source 2: mail.eml, plan.pdf › p. 2; show the page")
    assert source.text() == "[2]  mail.eml · plan.pdf › p. 2"
    with qtbot.waitSignal(answer.citation_activated) as activated:
        qtbot.keyClick(source, Qt.Key.Key_Space)
    assert activated.args == [SECOND]


def test_a_number_that_no_source_has_leads_nowhere(answer: AnswerWidget, qtbot: QtBot) -> None:
    show(answer, ANSWER)
    prose = only(answer, ProseSegment)
    with (
        qtbot.assertNotEmitted(answer.citation_activated),
        qtbot.assertNotEmitted(answer.link_activated),
    ):
        prose.link_activated.emit("snug-source:7")
    with qtbot.waitSignal(answer.link_activated):
        prose.link_activated.emit("https://a.example")


def test_passages_without_a_place_in_the_text_are_quoted(answer: AnswerWidget) -> None:
    closest = tuple(replace(each, at=-1) for each in (FIRST, SECOND))
    show(answer, replace(ANSWER, text="Nothing answers this.", citations=closest))
    sources = only(answer, Sources)
    assert sources.quotes
    passages = [each.text() for each in sources.findChildren(QLabel)]
    assert passages == ["<b>Costs fell by 4 %.</b> It rained.", "Sales rose."]
    assert answer.height() > sources.height() > 80


def test_places_in_a_summary_are_links_and_nothing_stands_below(
    answer: AnswerWidget, qtbot: QtBot
) -> None:
    text = "- Costs fell. (p. 12)"
    place = replace(FIRST, at=text.index("("))
    show(answer, replace(ANSWER, text=text, kind="summary", citations=(place,)))
    prose = only(answer, ProseSegment)
    assert prose.toPlainText() == "Costs fell. (p. 12)"
    assert not answer.findChildren(Sources)
    with qtbot.waitSignal(answer.citation_activated) as activated:
        prose.anchorClicked.emit("snug-source:1")
    assert activated.args == [place]


def test_what_is_copied_is_what_was_written(answer: AnswerWidget, qtbot: QtBot) -> None:
    from PySide6.QtGui import QGuiApplication

    show(answer, ANSWER)
    answer.copy_text()
    assert QGuiApplication.clipboard().text() == TEXT
