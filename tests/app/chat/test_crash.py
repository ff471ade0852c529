"""The whole program ends without warning, or the disk does: what was kept is there."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.chat.service import ChatService
from app.chat.values import Conversation, Message
from app.store.database import Database
from tests.fakes import STORE_KEY, FakeClock, FakeDocuments, FakeGenerator

ROOT = Path(__file__).parents[3]
WAIT_S = 20.0

SERVICE = """
import sys
from pathlib import Path
from app.chat.service import ChatService
from app.store.database import Database
from tests.fakes import STORE_KEY, FakeClock, FakeDocuments, FakeGenerator

path = Path(sys.argv[1])
generator = FakeGenerator()
documents = FakeDocuments()
service = ChatService(
    lambda: Database.open(path, STORE_KEY), generator, documents, FakeClock()
)

def say(*what):
    print(*what, flush=True)
"""

STREAM = (
    SERVICE
    + """
generator.say("one two three four five")
generator.hold()
turn = service.send("c", "Count")
generator.step(3)
say(turn.view().text)
kept = ""
while kept != turn.view().text:
    kept = service.open("c").result(20).messages[-1].text
say("kept")
sys.stdin.read()
"""
)

CONTINUE = (
    SERVICE
    + """
from app.chat.values import AnswerSettings
service.set_answer_settings("c", AnswerSettings(max_new_tokens=2))
generator.say("one two three four five")
say(service.send("c", "Count").wait(20).text)
generator.say("three four five")
generator.hold()
service.continue_answer("c")
generator.step(1)
kept = ""
while "three" not in kept:
    kept = service.open("c").result(20).messages[-1].text
say("kept")
sys.stdin.read()
"""
)

SUMMARIZE = (
    SERVICE
    + """
attachment = service.attach("c", Path(sys.argv[2])).result(20)
documents.hold()
turn = service.summarize("c", (attachment,))
documents.step(1)
kept = ""
while "One." not in kept:
    kept = service.open("c").result(20).messages[-1].text
say("kept")
sys.stdin.read()
"""
)

FILL = (
    SERVICE
    + """
import resource
first = service.send("c", "First").wait(20)
largest = max(file.stat().st_size for file in path.parent.iterdir())
resource.setrlimit(resource.RLIMIT_FSIZE, (largest + 60_000, largest + 60_000))
numbers = " ".join(str(number) for number in range(60_000))
generator.say(numbers)
second = service.send("c", "Second")
answer = second.wait(20).message
say(second.is_kept, answer.state, answer.error_code, numbers.startswith(answer.text))
third = service.send("c", "x" * 300_000)
answer = third.wait(20).message
say(third.is_kept, answer.state, answer.error_code)
say([message.text for message in service.open("c").result(20).messages][:3])
service.close()
"""
)


@contextmanager
def running(code: str, *arguments: object) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-c", code, *(str(argument) for argument in arguments)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        try:
            yield child
        finally:
            child.kill()


def line(child: "subprocess.Popen[str]") -> str:
    assert child.stdout is not None
    return child.stdout.readline().strip()


def reopened(path: Path) -> tuple[tuple[Conversation, ...], tuple[Message, ...], int]:
    """Open the store as the next start does; return what is there, and how much is found."""
    with FakeGenerator() as generator:
        service = ChatService(
            lambda: Database.open(path, STORE_KEY), generator, FakeDocuments(), FakeClock()
        )
        conversations = service.conversations().result(WAIT_S)
        messages = service.open("c").result(WAIT_S).messages
        hits = service.search("three").result(WAIT_S)
        service.close()
    return conversations, messages, len(hits)


def test_what_was_on_the_screen_is_there_after_a_kill(store_path: Path) -> None:
    with running(STREAM, store_path) as child:
        assert line(child) == "one two three"
        assert line(child) == "kept"
    conversations, (question, answer), hits = reopened(store_path)
    assert [conversation.title for conversation in conversations] == ["Count"]
    assert (question.text, question.state) == ("Count", "complete")
    assert (answer.text, answer.state) == ("one two three ", "interrupted")
    assert hits == 1


def test_an_answer_that_goes_on_is_there_as_far_as_it_was(store_path: Path) -> None:
    with running(CONTINUE, store_path) as child:
        assert line(child) == "one two"
        assert line(child) == "kept"
    _, (_, answer), hits = reopened(store_path)
    assert (answer.text, answer.state) == ("one two three ", "interrupted")
    assert hits == 1


def test_a_summary_is_there_as_far_as_it_was(store_path: Path, tmp_path: Path) -> None:
    document = tmp_path / "report.txt"
    document.write_text("One.\fTwo.", encoding="utf-8")
    with running(SUMMARIZE, store_path, document) as child:
        assert line(child) == "kept"
    _, (question, answer), _ = reopened(store_path)
    assert [attachment.name for attachment in question.attachments] == ["report.txt"]
    assert (answer.kind, answer.state) == ("summary", "interrupted")
    assert "- One. (p. 1)" in answer.text


@pytest.mark.skipif(sys.platform == "win32", reason="limits of file sizes are POSIX")
def test_on_a_full_disk_the_turn_fails_and_nothing_is_lost(store_path: Path) -> None:
    with running(FILL, store_path) as child:
        assert line(child) == "True failed store_full True"
        assert line(child) == "False failed store_full"
        assert line(child) == "['First', 'You said: First', 'Second']"
        assert child.wait(WAIT_S) == 0
    _, messages, _ = reopened(store_path)
    assert [message.text for message in messages][:3] == ["First", "You said: First", "Second"]
    assert messages[3].state == "interrupted"
