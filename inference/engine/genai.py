"""ONNX Runtime GenAI behind the engine's protocol: the only importer of onnxruntime_genai.

Made for 0.18 and for 0.13.1, which is the one with DirectML: only calls that both have are used,
and what only 0.18 has is asked for first.
"""

import json
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np

from inference import quiet
from inference.engine import failures
from inference.engine.model_config import ModelConfig
from inference.engine.protocol import Logits
from inference.errors import ContextOverflow
from inference.types import DeviceChoice

# isort: split
# Only now: the import alone writes files where nothing forbids it.
_SILENCE: Final = quiet.ENVIRONMENT
import onnxruntime_genai as og  # noqa: E402

_CPU = "CPUExecutionProvider"
_RUNTIME_NAMES = {"DmlExecutionProvider": "dml"}
_CHUNK_TOKENS = 128
_PROBE_TOKENS = 8

if hasattr(og, "disable_telemetry_events"):
    og.disable_telemetry_events()


class GenaiEngine:
    """A model in onnxruntime-genai. One thread only."""

    def __init__(
        self, folder: Path, config: ModelConfig, *, device: DeviceChoice, threads: int
    ) -> None:
        """Load it; takes seconds and holds the interpreter's lock.

        Raises:
            InferenceError: The folder cannot be loaded, by kind.
        """
        self._folder = folder
        self._config = config
        self._device = device
        try:
            self._model = og.Model(_settings(folder, device, threads))
            self.verify_tokens = self._count_verified()
        except (RuntimeError, MemoryError) as error:
            raise self._failure(error) from error

    def new_cache(self, capacity_tokens: int) -> "GenaiCache":
        """Return an empty sequence; see the protocol."""
        try:
            return GenaiCache(self, self._generator(capacity_tokens), capacity_tokens)
        except (RuntimeError, MemoryError) as error:
            raise self._failure(error) from error

    def interrupt(self) -> None:
        """Do nothing: this binding holds the interpreter's lock, so nobody can ask meanwhile."""

    def bare_run(self, prompt_tokens: int, new_tokens: int) -> tuple[float, float]:
        """Run the runtime's own greedy loop; see the protocol."""
        total = prompt_tokens + new_tokens
        ids = _harmless_ids(self._config, prompt_tokens)
        generator = self._generator(total, min_length=total)
        began_s = time.perf_counter()
        for begin in range(0, prompt_tokens, _CHUNK_TOKENS):
            generator.append_tokens(ids[begin : begin + _CHUNK_TOKENS])
        generator.generate_next_token()
        first_s = time.perf_counter()
        for _ in range(new_tokens - 1):
            generator.generate_next_token()
            generator.get_next_tokens()
        return first_s - began_s, time.perf_counter() - first_s

    def _generator(self, capacity_tokens: int, **search: Any) -> Any:
        params = og.GeneratorParams(self._model)
        params.set_search_options(max_length=capacity_tokens, do_sample=False, **search)
        return og.Generator(self._model, params)

    def _count_verified(self) -> int:
        """Return how many positions have logits, which is a matter of the graph's head."""
        probe = self._generator(_PROBE_TOKENS)
        probe.append_tokens(_harmless_ids(self._config, _PROBE_TOKENS - 1))
        return min(int(probe.get_output("logits").shape[1]), _PROBE_TOKENS - 1)

    def _failure(self, error: Exception) -> Exception:
        return failures.from_runtime(error, self._folder, device=self._device.kind)

    def failure(self, error: Exception) -> Exception:
        """Return what a runtime's exception means for this model."""
        return self._failure(error)


class GenaiCache:
    """One Generator, used for its cache and its logits only."""

    def __init__(self, engine: GenaiEngine, generator: Any, capacity_tokens: int) -> None:
        self._engine = engine
        self._generator = generator
        self._length = 0
        self.capacity_tokens = capacity_tokens

    def append(self, ids: Sequence[int]) -> bool:
        """Compute `ids`; see the protocol."""
        needed = self._length + len(ids)
        if needed > self.capacity_tokens:
            raise ContextOverflow(needed_tokens=needed, limit_tokens=self.capacity_tokens)
        try:
            self._generator.append_tokens(np.asarray(ids, np.int32))
        except (RuntimeError, MemoryError) as error:
            raise self._engine.failure(error) from error
        self._length = needed
        return True

    def rewind(self, length: int) -> None:
        """Forget what is after `length`; see the protocol."""
        if length < self._length:
            self._generator.rewind_to(length)
            self._length = length

    def logits(self, positions: int = 1) -> Logits:
        """Return the last logits; see the protocol."""
        if positions == 1:
            last: Logits = self._generator.get_logits()[0]
            return last
        rows: Logits = self._generator.get_output("logits")[0, -positions:]
        return rows


def _settings(folder: Path, device: DeviceChoice, threads: int) -> Any:
    settings = og.Config(str(folder))
    options = {"intra_op_num_threads": threads}
    overlay = {"model": {"decoder": {"session_options": options}}}
    settings.overlay(json.dumps(overlay))
    settings.clear_providers()
    if device.provider != _CPU:
        settings.append_provider(_RUNTIME_NAMES.get(device.provider, device.provider))
    return settings


def _harmless_ids(config: ModelConfig, count: int) -> Any:
    """Return `count` different ids from the middle of the vocabulary."""
    middle = config.vocab_size // 2
    return (middle + np.arange(count) * 7 % max(1, middle - 1)).astype(np.int32)


def versions() -> dict[str, str]:
    """Return the runtime's packages and their versions."""
    from importlib import metadata  # noqa: PLC0415

    found = {}
    for package in (
        "onnxruntime-genai",
        "onnxruntime-genai-directml",
        "onnxruntime",
        "onnxruntime-directml",
    ):
        with suppress(metadata.PackageNotFoundError):
            found[package] = metadata.version(package)
    return found
