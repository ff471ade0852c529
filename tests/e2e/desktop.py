"""A screen of its own for a real window, and the real program on it."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

import psutil

from app.chat.archive import Archive
from app.chat.values import Message
from app.errors import StoreError
from app.paths import Paths
from app.store.opening import open_store

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "app")
TOOLS = ("Xvfb", "openbox", "xdotool")
PASSPHRASE = "a few words for a test"
SIZE = (1280, 845)
_GRAB = """
import sys
from PySide6.QtGui import QGuiApplication
application = QGuiApplication(sys.argv)
picture = application.primaryScreen().grabWindow(int(sys.argv[1]))
sys.exit(0 if picture.save(sys.argv[2]) else 1)
"""


def wait_until(holds: Callable[[], bool], what: str, timeout_s: float = 60) -> None:
    """Look ten times a second; only for what another process does."""
    end_s = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < end_s, f"not in {timeout_s} s: {what}"
        time.sleep(0.1)


class Desktop:
    """An X server with a window manager; without one no window gets the focus."""

    def __init__(self) -> None:
        reader, writer = os.pipe()
        screen = f"{SIZE[0]}x{SIZE[1]}x24"
        self._server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", screen, "-nolisten", "tcp"],
            pass_fds=(writer,),
            stderr=subprocess.DEVNULL,
        )
        os.close(writer)
        with os.fdopen(reader) as answer:
            self.display = f":{answer.readline().strip()}"
        self.environment = os.environ | {"DISPLAY": self.display, "QT_QPA_PLATFORM": "xcb"}
        self._manager = self._start_manager()
        wait_until(self._is_managed, "a window manager")

    def _start_manager(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            ["openbox", "--sm-disable"],
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def _is_managed(self) -> bool:
        # A server that has just named its display may still refuse the first to come.
        if self._manager.poll() is not None:
            self._manager = self._start_manager()
        try:
            return bool(self.xdotool("get_num_desktops"))
        except subprocess.CalledProcessError:
            return False

    def __enter__(self) -> "Desktop":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in (self._manager, self._server):
            process.terminate()
            process.wait(10)

    def xdotool(self, *arguments: str) -> str:
        """Do something with keyboard, mouse or windows, as a person would."""
        done = subprocess.run(
            ["xdotool", *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=30,
        )
        return done.stdout.strip()

    def active_title(self) -> str:
        """Return the title of the window with the focus; empty while there is none."""
        try:
            return self.xdotool("getactivewindow", "getwindowname")
        except subprocess.CalledProcessError:
            return ""


class Program:
    """The real program with its window."""

    def __init__(self, desktop: Desktop, places: Paths) -> None:
        self.desktop = desktop
        self.places = places
        secret = places.data.parent / "passphrase"
        secret.write_text(PASSPHRASE)
        environment = desktop.environment | {"SNUG_PASSPHRASE_FILE": str(secret)}
        self.process = subprocess.Popen(
            [*COMMAND, "--data-dir", str(places.data)],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.window = ""

    def find_window(self) -> None:
        """Wait until the window is there and has the focus."""
        wait_until(self._is_in_front, "the window in front")

    def _is_in_front(self) -> bool:
        # xdotool fails while there is no window, and when one goes away while it looks.
        pid = str(self.process.pid)
        try:
            found = self.desktop.xdotool("search", "--onlyvisible", "--pid", pid)
            self.window = found.splitlines()[-1]
            self.desktop.xdotool("windowactivate", self.window)
            return self.desktop.xdotool("getactivewindow") == self.window
        except subprocess.CalledProcessError:
            return False

    @property
    def title(self) -> str:
        return self.desktop.xdotool("getwindowname", self.window)

    def type(self, text: str) -> None:
        self.desktop.xdotool("type", "--delay", "15", text)

    def key(self, *names: str) -> None:
        self.desktop.xdotool("key", *names)

    def click(self, x_px: int, y_px: int) -> None:
        """Click into the window, counted from its upper left corner."""
        position = ("mousemove", "--window", self.window, str(x_px), str(y_px))
        self.desktop.xdotool(*position, "click", "1")

    def photograph(self, file: Path) -> None:
        """Save a picture of the window as it is on the screen."""
        file.parent.mkdir(parents=True, exist_ok=True)
        grab = [sys.executable, "-c", _GRAB, self.window, str(file)]
        subprocess.run(grab, env=self.desktop.environment, check=True, timeout=30)

    def close(self) -> tuple[str, str]:
        """Close the window as a person does and return what the program wrote."""
        self.key("ctrl+q")
        output = self.process.communicate(timeout=30)
        assert self.process.returncode == 0, output
        return output

    def kill(self) -> None:
        """End the program without a chance to save, and wait until its children are gone."""
        children = psutil.Process(self.process.pid).children(recursive=True)
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate(timeout=30)
        gone, alive = psutil.wait_procs(children, 10)
        for child in alive:
            child.kill()
        assert not alive, "a child outlived the program"
        assert gone is not None


@contextmanager
def running(desktop: Desktop, places: Paths) -> Iterator[Program]:
    """Start the program; what the test leaves running is killed."""
    program = Program(desktop, places)
    try:
        program.find_window()
        yield program
    finally:
        if program.process.poll() is None:
            program.kill()


def kept_messages(places: Paths, scratch: Path) -> tuple[Message, ...]:
    """Return all messages that are on disk now, read from a copy of the store."""
    copy = Paths(scratch / "copy")
    shutil.rmtree(copy.data, ignore_errors=True)
    copy.data.mkdir()
    for file in places.data.glob("snug.*"):
        if file.name.startswith(("snug.db", "snug.key")):
            shutil.copy(file, copy.data)
    try:
        archive = Archive(open_store(copy, passphrase=PASSPHRASE))
    except StoreError:
        return ()
    try:
        return tuple(
            message
            for conversation in archive.conversations()
            for message in archive.messages(conversation.id)
        )
    finally:
        archive.close()
