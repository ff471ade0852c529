"""The rules of the house, and that breaking one of them is seen."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import packaging
import pytest

import app
from app import children

ROOT = Path(__file__).parents[1]
PACKAGES = ("app", "inference", "ui", "resources")

# Each is one line in one file, new or not, and the contract that must refuse it.
SEEDS = {
    "a service imports Qt": (
        "app/chat/seeded.py",
        "import PySide6.QtCore",
        "Qt stays in the ui",
    ),
    "a service imports the window": (
        "app/documents/seeded.py",
        "import ui.theme",
        "app and inference never import the ui",
    ),
    "a service imports the window inside a function": (
        "app/models/seeded.py",
        "def late():\n    import ui.theme",
        "app and inference never import the ui",
    ),
    "the window talks to the engine": (
        "ui/seeded.py",
        "import inference.client",
        "The ui sees inference only as values",
    ),
    "the engine knows the application": (
        "inference/seeded.py",
        "import app.paths",
        "inference knows nothing above it",
    ),
    "a module of the application has no layer": (
        "app/seeded.py",
        "x = 1",
        "Inside app: every module has a layer",
    ),
    "the store imports the chat": (
        "app/store/seeded.py",
        "import app.chat.values",
        "Inside app: every module has a layer",
    ),
    "the window imports the composition root": (
        "ui/seeded.py",
        "import app.main",
        "Only app.__main__ knows the composition root",
    ),
    "two modules import each other": (
        "inference/types.py",
        "import inference.client",
        "No cycles between siblings",
    ),
    "a module opens a connection": (
        "app/documents/seeded.py",
        "import urllib.request",
        "Network modules only behind the doors",
    ),
    "a module loads the runtime": (
        "app/models/seeded.py",
        "import onnxruntime_genai",
        "Native runtimes only in the engine",
    ),
}


@pytest.fixture(scope="module")
def copied_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tree")
    shutil.copy(ROOT / "pyproject.toml", folder)
    for package in PACKAGES:
        for source in (ROOT / package).rglob("*.py"):
            target = folder / source.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    assert broken_contracts(folder) == set()
    return folder


def broken_contracts(tree: Path) -> set[str]:
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [linter, "--no-cache"],
        cwd=tree,
        env=os.environ | {"NO_COLOR": "1", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    broken = set(re.findall(r"^(.+) BROKEN", done.stdout, re.MULTILINE))
    assert done.returncode == (1 if broken else 0), done.stdout + done.stderr
    return broken


def test_every_contract_has_a_seeded_violation() -> None:
    names = re.findall(r'^name = "(.+)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    contracts = set(names) - {"snug-chat"}
    assert contracts == {contract for _, _, contract in SEEDS.values()}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_broken_rule_is_seen(seed: str, copied_tree: Path) -> None:
    name, line, contract = SEEDS[seed]
    target = copied_tree / name
    before = target.read_text() if target.exists() else None
    target.write_text(f"{before or ''}\n{line}\n")
    try:
        assert contract in broken_contracts(copied_tree)
    finally:
        target.unlink()
        if before is not None:
            target.write_text(before)


def test_our_packaging_folder_does_not_hide_the_library_of_that_name() -> None:
    assert packaging.__file__ is not None
    assert ROOT not in Path(packaging.__file__).parents or ".venv" in packaging.__file__
    assert not (ROOT / "packaging" / "__init__.py").exists()


CHILD = """
import os, sys
from multiprocessing import Pipe
ours, theirs = Pipe()
ours.close()
from app import child_main
child_main.run(sys.argv[1], str(os.dup(theirs.fileno())))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe's handle cannot be copied so there")
@pytest.mark.parametrize("verb", ["host", "import", "document", "probe", "download"])
def test_a_child_process_loads_nothing_of_the_window(verb: children.Verb) -> None:
    # Some children end so fast that nothing runs afterwards; what they import they say meanwhile.
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", CHILD, verb],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    loaded = set(re.findall(r"\| +(\w+)(?:\.\w+)*$", done.stderr, re.MULTILINE))
    assert "inference" in loaded, done.stderr
    assert loaded & {"ui", "PySide6", "shiboken6"} == set()


NONE_IS_SAFE = """
import sys
from PySide6.QtCore import QObject
thing = QObject()
before = sys.getrefcount(None)
for _ in range(1000):
    thing.setObjectName("x")
print(sys.getrefcount(None) - before)
"""


def test_qt_calls_do_not_use_up_none() -> None:
    # PySide6 6.12.0 takes a reference to None with every call and ends the process on Python 3.11.
    done = subprocess.run(
        [sys.executable, "-c", NONE_IS_SAFE], capture_output=True, text=True, check=True, timeout=60
    )
    assert int(done.stdout) > -100


def tracked_files() -> list[Path]:
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("not a checkout")
    # In a container the checkout may belong to another user.
    listing = subprocess.run(
        ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return [ROOT / name for name in listing.stdout.split("\0") if name]


def test_the_pins_hold_no_address() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    assert len(lines) > 30
    for line in lines:
        assert re.fullmatch(r"[A-Za-z0-9._-]+==\S+( ; .+)?", line), line
    assert "://" not in "".join(lines)


def test_no_tracked_file_names_a_machine_or_a_registry() -> None:
    folders = "|".join(["work", "root", "opt", "tmp", "home"])
    hosts = "|".join([r"pypi\.org", r"pythonhosted\.org", r"test\.pypi"])
    forbidden = re.compile(rf"(?<![\w.~/}}-])/({folders})/\w|{hosts}")
    for path in tracked_files():
        if path == Path(__file__) or not path.is_file():
            continue
        text = path.read_text("utf-8", "ignore")
        found = forbidden.search(text)
        assert found is None, f"{path.relative_to(ROOT)}: {found}"


def test_the_changelog_names_what_comes_next_or_this_version() -> None:
    headings = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert {"Unreleased", app.__version__} & set(headings[:2])


def test_every_text_of_the_project_is_there() -> None:
    for name in ("README.md", "ARCHITECTURE.md", "SECURITY.md", "CHANGELOG.md", "LICENSE"):
        assert len((ROOT / name).read_text("utf-8")) > 300, name


def test_the_command_is_installed_as_declared() -> None:
    assert importlib.util.find_spec("app.__main__") is not None
    snug = Path(sys.executable).with_name("snug.exe" if sys.platform == "win32" else "snug")
    done = subprocess.run(
        [snug, "--version"], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["snug", app.__version__]
