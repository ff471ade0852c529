"""The same file in llama.cpp: a process of its own, which is asked in turn with ours."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from inference.errors import WorkerDied

_SCRIPT = Path(__file__).with_name("peer_script.py")


@dataclass(frozen=True, slots=True)
class PeerRun:
    """Seconds of one prompt with its first token, and of the tokens after it."""

    prefill_s: float
    decode_s: float


class LlamaCpp:
    """A running llama.cpp with a model in it; use it as a context manager.

    Args:
        python: An interpreter that can import `llama_cpp`.
        gguf: The model's file.
        threads: For prompts and answers alike.
        context_tokens: The context window to make room for.
    """

    def __init__(self, python: str, gguf: Path, *, threads: int, context_tokens: int) -> None:
        self._command = [python, str(_SCRIPT), str(gguf), str(threads), str(context_tokens)]
        self.version = ""

    def __enter__(self) -> Self:
        """Start it and load the model.

        Raises:
            WorkerDied: The interpreter does not start or has no `llama_cpp`, or the load failed.
        """
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        except OSError as error:
            raise WorkerDied from error
        try:
            self.version = str(self._answer()["version"])
        except WorkerDied:
            self._end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def load(self) -> float:
        """Load the model anew and return the seconds it took."""
        return float(self._ask("load", 0, 0)["load_s"])

    def run(self, prompt_tokens: int, new_tokens: int) -> PeerRun:
        """Read a prompt with nothing cached and write greedily."""
        times = self._ask("run", prompt_tokens, new_tokens)
        return PeerRun(float(times["prefill_s"]), float(times["decode_s"]))

    def _end(self) -> None:
        self._process.kill()
        self._process.communicate()

    def _ask(self, verb: str, *numbers: int) -> dict[str, Any]:
        assert self._process.stdin is not None  # noqa: S101 - it was asked for
        try:
            self._process.stdin.write(" ".join((verb, *map(str, numbers))) + "\n")
            self._process.stdin.flush()
        except OSError as error:
            raise self._died() from error
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None  # noqa: S101 - it was asked for
        line = self._process.stdout.readline()
        if not line:
            raise self._died()
        found: dict[str, Any] = json.loads(line)
        return found

    def _died(self) -> WorkerDied:
        return WorkerDied(exit_code=self._process.wait())


def is_available(python: str) -> bool:
    """Return whether this interpreter starts and can import `llama_cpp`."""
    try:
        done = subprocess.run(
            [python, "-c", "import llama_cpp"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    except OSError:
        return False
    return done.returncode == 0
