"""The real program in a real window: keys go in, an answer comes out, and all of it stays.

With SNUG_SCREENSHOTS set to a folder, the pictures of the README are written there.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.chat.values import Message
from app.paths import Paths
from app.settings import Settings
from tests.e2e.desktop import (
    COMMAND,
    ROOT,
    TOOLS,
    Desktop,
    Program,
    kept_messages,
    running,
    wait_until,
)

pytestmark = [
    pytest.mark.window,
    pytest.mark.starter,
    pytest.mark.timeout(300),
    pytest.mark.skipif(
        any(shutil.which(tool) is None for tool in TOOLS),
        reason="needs Xvfb, openbox and xdotool",
    ),
]

QUESTION = "What is the capital of France?"
FIRST_ROW_PX = (100, 190)


@pytest.fixture
def desktop() -> Iterator[Desktop]:
    with Desktop() as desktop:
        yield desktop


@pytest.fixture
def places(data_dir: Path, starter_model: Path) -> Paths:
    places = Paths(data_dir)
    places.models.mkdir(parents=True)
    shutil.copytree(starter_model, places.models / "starter", copy_function=os.link)
    return places


def answers(messages: tuple[Message, ...]) -> list[Message]:
    return [message for message in messages if message.role == "assistant"]


def test_a_question_is_answered_and_everything_is_there_the_next_day(
    desktop: Desktop, places: Paths, tmp_path: Path
) -> None:
    with running(desktop, places) as program:
        program.type(QUESTION)
        program.key("Return")

        def is_answered() -> bool:
            found = answers(kept_messages(places, tmp_path))
            return bool(found) and found[-1].state in ("complete", "length")

        wait_until(is_answered, "an answer")
        wait_until(lambda: program.title.endswith("· Snug"), "a title")
        title = program.title
        _picture(program, "window.png")
        output, errors = program.close()
        assert "Traceback" not in errors
        assert output == ""
    before = kept_messages(places, tmp_path)
    assert [message.role for message in before] == ["user", "assistant"]
    assert before[0].text == QUESTION
    assert before[1].text

    replace(Settings.load(places.settings), theme="dark").save(places.settings)
    with running(desktop, places) as program:
        wait_until(lambda: program.title == "Snug", "the window")

        def is_opened() -> bool:
            program.click(*FIRST_ROW_PX)
            return program.title == title

        wait_until(is_opened, "the conversation of the day before")
        _picture(program, "window-dark.png")
        program.close()
    assert kept_messages(places, tmp_path) == before


def test_an_answer_at_its_limit_goes_on_by_keyboard_alone(
    desktop: Desktop, places: Paths, tmp_path: Path
) -> None:
    def last() -> Message | None:
        found = answers(kept_messages(places, tmp_path))
        return found[-1] if found else None

    def is_at_limit(longer_than: int) -> bool:
        answer = last()
        return answer is not None and answer.state == "length" and len(answer.text) > longer_than

    with running(desktop, places) as program:
        program.key("ctrl+comma")
        wait_until(lambda: desktop.active_title() == "Answer settings", "the answer settings")
        program.key("Tab", "Tab", "Tab")
        program.type("8")
        program.key("Return")
        wait_until(lambda: desktop.active_title() == "Snug", "the window again")
        program.type("Write a story about a ship.")
        program.key("Return")
        wait_until(lambda: is_at_limit(0), "an answer of eight tokens")
        first = last()
        assert first is not None
        wait_until(lambda: program.title.endswith("· Snug"), "a title")
        # Backwards from the composer: Regenerate, Copy, Continue.
        program.key("shift+Tab", "shift+Tab", "shift+Tab", "space")
        wait_until(lambda: is_at_limit(len(first.text)), "the answer going on")
        program.close()
    longer = last()
    assert longer is not None
    assert longer.id == first.id
    assert longer.text.startswith(first.text)


def test_what_was_written_before_a_kill_is_there_after_it(
    desktop: Desktop, places: Paths, tmp_path: Path
) -> None:
    with running(desktop, places) as program:
        program.type("Write a long story about a ship and its crew.")
        program.key("Return")
        seen: list[str] = []

        def is_writing() -> bool:
            seen[:] = [one.text for one in answers(kept_messages(places, tmp_path)) if one.text]
            return bool(seen)

        wait_until(is_writing, "the first words of an answer")
        program.kill()
    (answer,) = answers(kept_messages(places, tmp_path))
    assert answer.text.startswith(seen[0])

    with running(desktop, places) as program:
        wait_until(lambda: program.title == "Snug", "the window")
        program.close()
    (kept,) = answers(kept_messages(places, tmp_path))
    assert kept.text == answer.text
    assert kept.state in ("interrupted", "complete", "length")


def test_a_second_start_raises_the_first_window(desktop: Desktop, places: Paths) -> None:
    with running(desktop, places) as program:
        desktop.xdotool("windowminimize", "--sync", program.window)
        second = subprocess.run(
            [*COMMAND, "--data-dir", str(places.data)],
            cwd=ROOT,
            env=desktop.environment,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        assert second.returncode == 0, second.stderr
        assert "already open" in second.stdout

        def is_in_front() -> bool:
            return desktop.xdotool("getactivewindow") == program.window

        wait_until(is_in_front, "the first window in front")
        program.close()


def test_the_end_of_the_session_closes_the_window_properly(desktop: Desktop, places: Paths) -> None:
    with running(desktop, places) as program:
        program.process.terminate()
        _, errors = program.process.communicate(timeout=30)
        assert program.process.returncode == 0, errors
        assert Settings.load(places.settings).window_geometry


def _picture(program: Program, name: str) -> None:
    folder = os.environ.get("SNUG_SCREENSHOTS")
    if folder:
        program.photograph(ROOT / folder / name)
