"""What every test gets: its own data folder, no network, and nothing left behind.

The variables are set before anything else, because a runtime or Qt reads them when it is imported.
"""

import os

from inference import quiet

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Nobody's own keyring is touched by a test.
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"

import logging
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import psutil
import pytest

from app import children, paths
from app.privacy import network
from inference import child

ROOT = Path(__file__).parents[1]
_ENDING_S = 5.0

assert quiet.ENVIRONMENT
network.watch(None)

# A gate says the same twice. Who looks for new cases sets SNUG_HYPOTHESIS=explore.
hypothesis.settings.register_profile("gate", derandomize=True)
hypothesis.settings.register_profile("explore", max_examples=1000)
hypothesis.settings.load_profile(os.environ.get("SNUG_HYPOTHESIS", "gate"))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "expects_log: warnings in the log are part of this test")


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of this test's own; it does not exist yet."""
    folder = tmp_path / "data"
    monkeypatch.setenv(paths.DATA_DIR_VARIABLE, str(folder))
    monkeypatch.delenv(network.LOG_VARIABLE, raising=False)
    return folder


@pytest.fixture
def launch() -> Iterator[Callable[[children.Verb], child.Child]]:
    """Start one of Snug's own child processes; the test ends it."""
    started = []

    def start(verb: children.Verb) -> child.Child:
        started.append(child.start(children.command(verb)))
        return started[-1]

    yield start
    left = [process.pid for process in started if process.exit_code() is None]
    for process in started:
        process.kill()
        process.connection.close()
    assert not left, f"children still run: {left}"


@pytest.fixture(scope="session")
def starter_gguf() -> Path:
    """The starter's original file, as packaging/check.py fetches it."""
    return _fetched("starter.gguf")


@pytest.fixture(scope="session")
def embedding_original() -> Path:
    """The embedding model's original file, as packaging/check.py fetches it."""
    return _fetched("embedding.safetensors")


@pytest.fixture(scope="session")
def embedding_model(embedding_original: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The embedding model, imported once for all tests; nobody may change the folder."""
    from inference.embedding_import import import_embedding

    folder = tmp_path_factory.mktemp("embedding") / "embedding"
    import_embedding(embedding_original, folder)
    return folder


def _fetched(name: str) -> Path:
    folder = Path(os.environ.get("SNUG_TEST_MODELS", ROOT / ".cache" / "models"))
    file = folder / name
    if not file.is_file():
        missing = f"no {name} in {folder}; packaging/check.py fetches it"
        if os.environ.get("SNUG_REQUIRE_MODELS") == "1":
            pytest.fail(missing)
        pytest.skip(missing)
    return file


@pytest.fixture(scope="session")
def starter_model(starter_gguf: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The starter, imported once for all tests; nobody may change the folder."""
    from inference.gguf import importer

    folder = tmp_path_factory.mktemp("starter") / "starter"
    importer.import_gguf(starter_gguf, folder)
    yield folder
    # pytest keeps the folders of the last three runs.
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random llama of a few kilobytes at accuracy level 1, which is exact to 1e-3."""
    from inference.gguf import importer
    from tests.tiny_gguf import write_tiny_gguf

    folder = tmp_path_factory.mktemp("tiny")
    write_tiny_gguf(folder / "tiny.gguf")
    importer.import_gguf(folder / "tiny.gguf", folder / "tiny", accuracy_level=1)
    return folder / "tiny"


def _prepared(variable: str) -> Path:
    """Return what packaging/check.py has prepared and named in a variable."""
    folder = os.environ.get(variable, "")
    if not folder:
        missing = f"{variable} is not set; packaging/check.py prepares it"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    return Path(folder)


@pytest.fixture(scope="session")
def second_runtime() -> Path:
    """The Python of an environment with the runtime's older generation."""
    return _prepared("SNUG_SECOND_RUNTIME") / "bin" / "python"


@pytest.fixture(scope="session")
def openvino_runtime() -> Path:
    """The Python of an environment with OpenVINO, both as a runtime and as a plug-in."""
    return _prepared("SNUG_OPENVINO_RUNTIME") / "bin" / "python"


@pytest.fixture
def software_gpu(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let this test's children have a GPU that the processor plays, and return its driver file."""
    folder = _prepared("SNUG_MESA")
    (library,) = folder.glob("usr/lib/*/libvulkan.so.1")
    (driver,) = folder.glob("usr/share/vulkan/icd.d/lvp*.json")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(library.parent))
    monkeypatch.setenv("VK_DRIVER_FILES", str(driver))
    # Shaders take half a minute to compile, and are kept for the next run.
    monkeypatch.setenv("MESA_SHADER_CACHE_DIR", str(folder.with_name("mesa-shaders")))
    monkeypatch.setenv("SNUG_ALLOW_SOFTWARE_DEVICES", "1")
    return driver


class _Records(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.levelname} {record.name}: {record.getMessage()}")


@pytest.fixture(autouse=True)
def _no_unexpected_log(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test during which a warning was logged; the marker `expects_log` allows it."""
    records = _Records()
    root = logging.getLogger()
    root.addHandler(records)
    yield
    root.removeHandler(records)
    if not request.node.get_closest_marker("expects_log"):
        assert not records.lines, "unexpected in the log: " + "; ".join(records.lines)


@pytest.fixture(autouse=True)
def _nothing_left_running() -> Iterator[None]:
    """Fail a test that leaves a thread or a process behind, and say which."""
    threads = set(threading.enumerate())
    processes = set(psutil.Process().children(recursive=True))
    yield
    left = [
        thread for thread in threading.enumerate() if thread not in threads and not thread.daemon
    ]
    for thread in left:
        thread.join(_ENDING_S)
    names = [thread.name for thread in left if thread.is_alive()]
    assert not names, f"threads still run: {names}"
    new = [each for each in psutil.Process().children(recursive=True) if each not in processes]
    commands = [_command(process) for process in psutil.wait_procs(new, _ENDING_S)[1]]
    assert not commands, f"processes still run: {commands}"


def _command(process: psutil.Process) -> str:
    """Say what a process is, and end it, so that it does not trouble the next test."""
    try:
        command = " ".join(process.cmdline())
        process.kill()
    except psutil.NoSuchProcess:
        return f"{process.pid}, gone"
    return command
