"""Runs every check and every test.

    python packaging/check.py

Makes the virtual environment first, with the tools for development, and fetches what the tests use,
once: the starter model, other runtimes, a Vulkan driver in software. On Linux the tests run in a
network namespace without a network where the system allows one, so that nothing in them can depend
on a network. Arguments are handed to pytest.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import environment
import runtimes
import system_libraries

_CACHE = environment.ROOT / ".cache"
_MODELS = {
    "starter": (_CACHE / "models" / "starter.gguf", "98 MB"),
    "embedding": (_CACHE / "models" / "embedding.safetensors", "84 MB"),
}
_WITHOUT_NETWORK = Path(__file__).with_name("without_network.py")
_CHECKS = (
    ("ruff", "format", "--check", "--quiet"),
    ("ruff", "check", "--quiet"),
    # One platform everywhere, so that a check says the same on every machine.
    ("mypy", "--platform", "linux", "--no-error-summary"),
    ("lint-imports", "--no-cache"),
)
_TEST_ENVIRONMENT = {
    "ORT_DISABLE_TELEMETRY": "1",
    "SNUG_REQUIRE_MODELS": "1",
    "QT_QPA_PLATFORM": "offscreen",
    # Qt complains about a C locale.
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
}


def main() -> int:
    """Run everything; pytest comes last, and its summary is the last line."""
    environment.require_python()
    system_libraries.require()
    environment.prepare("dev")
    _fetch_models()
    others = runtimes.prepare()
    compiling = _compile_shaders(others)
    failed = [check[0] for check in _CHECKS if _run_check(check)]
    if failed:
        print("Failed: " + ", ".join(failed))
    alone = _command_without_network()
    if compiling is not None:
        compiling.wait()
    print("Tests run without a network." if alone else "Tests run with the network there is.")
    tests = environment.run(
        *alone,
        environment.PYTHON,
        "-m",
        "pytest",
        "-q",
        *sys.argv[1:],
        **_TEST_ENVIRONMENT,
        **others,
    )
    return tests or int(bool(failed))


def _run_check(check: tuple[str, ...]) -> int:
    tool, *arguments = check
    program = environment.PYTHON.with_name(f"{tool}{environment.PYTHON.suffix}")
    print(f"== {' '.join(check)}")
    return environment.run(program, *arguments)


def _compile_shaders(others: dict[str, str]) -> subprocess.Popen[bytes] | None:
    """Have one test of WebGPU compile its shaders beside the checks; they are kept for the others.

    It takes a minute of one core the first time, in which the checks leave that core idle.
    """
    if "SNUG_MESA" not in others:
        return None
    test = ("tests/inference/test_other_devices.py", "-k", "webgpu and tiny_model")
    return subprocess.Popen(
        [environment.PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", *test],
        cwd=environment.ROOT,
        env={**os.environ, **_TEST_ENVIRONMENT, **others},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _fetch_models() -> None:
    """Fetch original files of models; each appears only when its SHA-256 has been compared."""
    app = (environment.PYTHON, "-m", "app", "--data-dir", _CACHE / "data")
    for name, (file, size) in _MODELS.items():
        if file.is_file():
            continue
        print(f"Fetching the model {name} for the tests, {size} …")
        if environment.run(*app, "models", "fetch", name, file):
            print("Without it the tests that need it will fail.")


def _command_without_network() -> list[str]:
    """Return the beginning of a command that runs the rest without a network, if that works."""
    if sys.platform != "linux" or shutil.which("unshare") is None:
        return []
    inside = [str(environment.PYTHON), str(_WITHOUT_NETWORK)]
    for namespaces in (["--net"], ["--net", "--user", "--map-current-user", "--keep-caps"]):
        command = ["unshare", *namespaces, *inside]
        tried = subprocess.run(
            [*command, str(environment.PYTHON), "-c", ""],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        if tried.returncode == 0:
            return command
    return []


if __name__ == "__main__":
    sys.exit(main())
