"""The two commands of the README, as far as they can be tried without installing anything."""

import importlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


def script(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Import a module of the folder as Python does when one of its scripts is run."""
    monkeypatch.syspath_prepend(ROOT / "packaging")
    module = importlib.import_module(name)
    monkeypatch.delitem(sys.modules, name)
    return module


def test_no_name_there_hides_a_module_of_the_standard_library() -> None:
    for path in (ROOT / "packaging").glob("*.py"):
        assert path.stem not in sys.stdlib_module_names


@pytest.mark.starter
def test_start_sees_whether_there_is_a_model(
    data_dir: Path, starter_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = script("start", monkeypatch)
    snug = [sys.executable, "-m", "app"]
    assert not start._has_a_model(snug)
    shutil.copytree(starter_model, data_dir / "models" / "starter", copy_function=os.link)
    assert start._has_a_model(snug)


@pytest.mark.parametrize("version", [(3, 10, 14), (3, 15, 0)])
def test_another_python_is_refused_in_a_sentence(
    version: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = script("environment", monkeypatch)
    monkeypatch.setattr(sys, "version_info", version)
    with pytest.raises(SystemExit, match=r"needs Python 3\.11 to 3\.14; this is 3\.1"):
        environment.require_python()


def test_a_python_without_venv_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    environment = script("environment", monkeypatch)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit, match="sudo apt install python3-venv"):
        environment.require_python()


@pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
def test_a_missing_library_ends_with_the_line_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    libraries = script("system_libraries", monkeypatch)
    (tmp_path / "apt-get").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setitem(libraries._PACKAGES, "libnobody-has-this.so.7", "libnobody7")
    with pytest.raises(SystemExit, match=r"apt-get install --no-install-recommends libnobody7$"):
        libraries.require()


@pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
def test_elsewhere_a_missing_library_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    libraries = script("system_libraries", monkeypatch)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(libraries._PACKAGES, "libnobody-has-this.so.7", "libnobody7")
    with pytest.raises(SystemExit, match=r"not installed: libnobody-has-this\.so\.7$"):
        libraries.require()


@pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
def test_without_network_there_is_this_machine_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    check = script("check", monkeypatch)
    environment = importlib.import_module("environment")
    monkeypatch.setattr(environment, "PYTHON", Path(sys.executable))
    alone = check._command_without_network()
    if not alone:
        pytest.skip("this system allows no network namespace")
    code = """
import socket
with socket.create_server(("127.0.0.1", 0)) as server:
    socket.create_connection(server.getsockname()).close()
print(socket.if_nameindex())
"""
    done = subprocess.run(
        [*alone, sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "'lo'" in done.stdout
    assert "eth" not in done.stdout


@pytest.mark.parametrize(
    ("is_server", "ends"), [("true", True), ("", False)], ids=["build server", "anywhere else"]
)
def test_a_runtime_that_cannot_be_made_ends_a_build_server_only(
    is_server: str, ends: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runtimes = script("runtimes", monkeypatch)
    monkeypatch.setenv("CI", is_server)
    said = "There is no second runtime: its packages cannot be installed."
    if ends:
        with pytest.raises(SystemExit, match=said):
            runtimes._leave_out("the second runtime", "its packages cannot be installed")
    else:
        runtimes._leave_out("the second runtime", "its packages cannot be installed")
        assert capsys.readouterr().out == f"{said} Its tests are skipped.\n"


@pytest.mark.parametrize(
    ("sources", "mirror"),
    [
        ("Types: deb\nURIs: http://mirror.test/debian\nSuites: bookworm\n", "/debian"),
        ("deb http://mirror.test/debian-security bookworm-security main\n", ""),
        ("deb [signed-by=/k.gpg] http://mirror.test/debian/ bookworm main\n", "/debian"),
        ("# deb http://mirror.test/debian bookworm main\n", ""),
    ],
)
def test_the_systems_own_mirror_is_used(
    sources: str, mirror: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = script("mesa", monkeypatch)._SOURCE.search(sources)
    assert (found[1].rstrip("/") if found else "") == (f"http://mirror.test{mirror}" * bool(mirror))


@pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
def test_another_system_is_told_why_it_has_no_software_gpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mesa = script("mesa", monkeypatch)
    monkeypatch.setattr(mesa, "_READY", tmp_path / "ready")
    monkeypatch.setattr(mesa, "_SUITES", {})
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    assert mesa.prepare() == "it is unpacked from Debian 12 and 13 only"
