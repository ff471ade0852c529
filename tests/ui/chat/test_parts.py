"""The small parts of the page: code, links, words."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot

from app.chat.values import AnswerMetrics, Message
from app.documents.values import IntakeReport
from ui.chat.code import CodeSegment
from ui.chat.link_dialog import LinkDialog
from ui.chat.look import Look
from ui.chat.question import QuestionWidget
from ui.chat.rows import Row
from ui.chat.wording import Wording
from ui.markdown.stream import segments

METRICS = AnswerMetrics(10, 0, 1, 0.1, 11.24, 36.78, "m")


def test_copy_puts_the_code_on_the_clipboard(qtbot: QtBot, look: Look) -> None:
    code = CodeSegment(look)
    qtbot.addWidget(code)
    code.show_segment(segments("```python\nprint(1)\n```")[0])
    qtbot.mouseClick(code.copy_button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "print(1)"
    assert code.copy_button.text() == "Copied"


def test_code_that_grows_is_shown_and_coloured_once_it_is_complete(
    qtbot: QtBot, look: Look
) -> None:
    code = CodeSegment(look)
    qtbot.addWidget(code)
    text = "```python\nimport csv\nprint('é𝄞', 1)\n```\n"
    for end in range(4, len(text) + 1):
        code.show_segment(segments(text[:end])[0])
    assert code.text == "import csv\nprint('é𝄞', 1)"
    field = code.findChild(QPlainTextEdit)
    assert field is not None
    document = field.document()

    def colors(line: int) -> list[tuple[int, int]]:
        formats = document.findBlockByNumber(line).layout().formats()
        return [(each.start, each.length) for each in formats]

    qtbot.waitUntil(lambda: len(colors(1)) > 0)
    assert (0, 6) in colors(0)
    # The number stands after a character that Qt counts as two.
    assert (13, 1) in colors(1)


def test_a_link_is_opened_only_when_it_was_read(qtbot: QtBot) -> None:
    opened: list[str] = []
    dialog = LinkDialog("https://a.example/path", open_url=opened.append)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    assert opened == []
    dialog.show()
    qtbot.mouseClick(dialog.open_button, Qt.MouseButton.LeftButton)
    assert opened == ["https://a.example/path"]


def test_a_long_question_is_folded_and_unfolds_whole(qtbot: QtBot, look: Look) -> None:
    text = "\n".join(f"line {number} of a long question" for number in range(3_000))
    widget = QuestionWidget(look)
    qtbot.addWidget(widget)
    widget.show_row(Row(Message("1", "c", "user", text, 0.0)))
    folded = widget.lay_out(700)
    (unfold,) = widget.findChildren(QPushButton)
    with qtbot.waitSignal(widget.height_changed):
        unfold.click()
    qtbot.waitUntil(lambda: widget.lay_out(700) > 100 * folded)


def test_an_answer_says_how_it_came_about(plurals: None) -> None:
    assert Wording().metrics(METRICS) == "1 token · 11.2 s · 36.8 tokens/s"


def test_a_document_says_what_was_not_read(plurals: None) -> None:
    report = IntakeReport("page", 48, 48, 2, 1, 900)
    assert Wording().intake(report) == "48 pages · 900 words · 2 without text · 1 not readable"


def test_progress_is_said_in_words() -> None:
    message = Message("1", "c", "assistant", "", 0.0, state="streaming")
    rows = (
        Row(message, "loading"),
        Row(message, "prefill", 512, 2_000),
        Row(message, "reading", 12, 48),
        Row(message, "writing", 3, 12),
        Row(message, "writing"),
    )
    assert [Wording().progress(row) for row in rows] == [
        "Loading the model…",
        "Reading the prompt… 512 of 2,000",
        "Page 12 of 48",
        "Writing 3 of 12",
        "",
    ]
