"""ONNX Runtime GenAI behind the engine's protocol.

Made for 0.18 and for 0.13.1, which is the one with DirectML: only calls that both have are used,
and what only 0.18 has is asked for first.
"""

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from inference.engine import failures, library, plugins
from inference.engine.capi import Config, Generator, Model
from inference.engine.functions import RuntimeFailure
from inference.engine.model_config import ModelConfig
from inference.engine.protocol import Cache, Logits
from inference.engine.restarting import RestartingCache
from inference.errors import ContextOverflow, InferenceError
from inference.types import DeviceChoice, DeviceTarget

_CHUNK_TOKENS = 128
_PROBE_TOKENS = 8
_KEPT = ("key", "value")
# Between whose operators a run ends cleanly; others compute the whole graph as one of them.
_INTERRUPTIBLE = {"cpu", "cuda", "webgpu"}

versions = library.versions


class GenaiEngine:
    """A model in onnxruntime-genai. One thread only, but for `interrupt`.

    Attributes:
        device_type: The runtime's own name of what computes, such as CPU or WebGPU.
        verify_tokens: See the protocol.
    """

    def __init__(
        self,
        folder: Path,
        config: ModelConfig,
        *,
        device: DeviceTarget | DeviceChoice,
        threads: int,
        spins: bool = True,
        graph: str = "",
    ) -> None:
        """Load it, or where `graph` is named that file in the place of the folder's usual one.

        Takes seconds.

        Raises:
            InferenceError: The folder cannot be loaded, by kind; `DeviceUnavailable` where only
                this device is to blame.
        """
        self._folder = folder
        self._config = config
        self._device = device
        self._call = threading.Lock()
        self._computing: Generator | None = None
        self._is_interrupted = False
        with self.failing():
            provider = plugins.provide(device)
            settings = Config(folder)
            settings.overlay(_session_options(threads, spins=spins))
            if graph:
                settings.overlay(json.dumps({"model": {"decoder": {"filename": graph}}}))
            settings.set_providers(provider, getattr(device, "options", {}))
            self._model = Model(settings)
            self.device_type = self._model.device_type
            # Without one buffer for past and present, an aborted run leaves neither.
            self._can_end = config.shares_kv and self.device_type.lower() in _INTERRUPTIBLE
            self._takes_more, self.verify_tokens = self._probe()

    def new_cache(self, capacity_tokens: int) -> Cache:
        """Return an empty sequence; see the protocol."""
        with self.failing():
            generator = Generator(self._model, max_length=capacity_tokens)
        if self._takes_more:
            return GenaiCache(self, generator, capacity_tokens)
        return RestartingCache(
            generator, capacity_tokens, eos_ids=self._config.eos_ids, failing=self.failing
        )

    def interrupt(self) -> None:
        """End the running `append`; see the protocol."""
        with self._call:
            if self._can_end and self._computing is not None and not self._is_interrupted:
                self._is_interrupted = True
                self._computing.terminate(is_on=True)

    def bare_run(self, prompt_tokens: int, new_tokens: int) -> tuple[float, float]:
        """Run the runtime's own greedy loop; see the protocol."""
        total = prompt_tokens + new_tokens
        ids = _harmless_ids(self._config, prompt_tokens)
        chunk = _CHUNK_TOKENS if self._takes_more else prompt_tokens
        with self.failing():
            generator = Generator(self._model, max_length=total, min_length=total)
            began_s = time.perf_counter()
            for begin in range(0, prompt_tokens, chunk):
                generator.append(ids[begin : begin + chunk])
            generator.generate()
            first_s = time.perf_counter()
            for _ in range(new_tokens - 1):
                generator.generate()
                generator.next_token()
            return first_s - began_s, time.perf_counter() - first_s

    def kept(self, ids: Sequence[int]) -> Iterator[tuple[NDArray[np.float32], NDArray[np.float32]]]:
        """Yield (keys, values) of each layer for `ids`, from a cache of float32.

        Each is float32[kv_heads, len(ids), head_size], keys rotated for their position.

        Raises:
            InferenceError: It failed.
        """
        with self.failing():
            generator = Generator(self._model, max_length=len(ids))
            for begin in range(0, len(ids), _CHUNK_TOKENS):
                generator.append(np.asarray(ids[begin : begin + _CHUNK_TOKENS], np.int32))
            for layer in range(self._config.layers):
                keys, values = (
                    generator.kept(f"present.{layer}.{part}", len(ids)) for part in _KEPT
                )
                yield keys, values

    def compute(self, generator: Generator, ids: Sequence[int]) -> bool:
        """Append `ids`; False where `interrupt` ended it, after which a rewind is due.

        The flag belongs to this call: one that comes before or after it finds nothing to end, and
        what it switched on in the generator is off again when this returns.

        Raises:
            InferenceError: It failed.
        """
        with self._call:
            self._computing, self._is_interrupted = generator, False
        try:
            with self.failing():
                generator.append(np.asarray(ids, np.int32))
        except InferenceError:
            if not self._finish(generator):
                raise
            return False
        self._finish(generator)  # one that came too late has not harmed
        return True

    def _finish(self, generator: Generator) -> bool:
        with self._call:
            self._computing = None
            if self._is_interrupted:
                generator.terminate(is_on=False)
            return self._is_interrupted

    def _probe(self) -> tuple[bool, int]:
        """Return whether a sequence can be continued, and how many positions have logits."""
        probe = Generator(self._model, max_length=_PROBE_TOKENS)
        ids = _harmless_ids(self._config, _PROBE_TOKENS)
        probe.append(ids[:1])
        try:
            probe.append(ids[1:])
        except RuntimeFailure as failure:
            if not failures.takes_no_more(failure):
                raise
            return False, 1
        return True, len(probe.logits(_PROBE_TOKENS))

    @contextmanager
    def failing(self) -> Iterator[None]:
        """Turn what the runtime says into errors of ours.

        Raises:
            InferenceError: It failed, by kind.
        """
        try:
            yield
        except (RuntimeFailure, MemoryError) as error:
            raise failures.from_runtime(
                error,
                self._folder,
                device=self._device.kind,
                on_processor=self._device.provider == plugins.CPU_PROVIDER,
            ) from error


class GenaiCache:
    """One Generator, used for its cache and its logits only."""

    def __init__(self, engine: GenaiEngine, generator: Generator, capacity_tokens: int) -> None:
        self._engine = engine
        self._generator = generator
        self._length = 0
        self._has_logits = False
        self.capacity_tokens = capacity_tokens

    def append(self, ids: Sequence[int]) -> bool:
        """Compute `ids`; see the protocol."""
        needed = self._length + len(ids)
        if needed > self.capacity_tokens:
            raise ContextOverflow(needed_tokens=needed, limit_tokens=self.capacity_tokens)
        if not self._engine.compute(self._generator, ids):
            self._has_logits = False
            with self._engine.failing():
                self._generator.rewind(self._length)
            return False
        self._has_logits = True
        self._length = needed
        return True

    def rewind(self, length: int) -> None:
        """Forget what is after `length`; see the protocol."""
        if length < self._length:
            with self._engine.failing():
                self._generator.rewind(length)
            self._has_logits = False
            self._length = length

    def logits(self, positions: int = 1) -> Logits:
        """Return the last logits; see the protocol."""
        if not self._has_logits:
            raise RuntimeError("logits are asked for before anything was appended")
        with self._engine.failing():
            if positions == 1:
                return self._generator.last_logits()
            return self._generator.logits(positions)


def _session_options(threads: int, *, spins: bool) -> str:
    options = {
        "intra_op_num_threads": threads,
        "session.intra_op.allow_spinning": "1" if spins else "0",
    }
    return json.dumps({"model": {"decoder": {"session_options": options}}})


def _harmless_ids(config: ModelConfig, count: int) -> NDArray[np.int32]:
    """Return `count` different ids from the middle of the vocabulary."""
    middle = config.vocab_size // 2
    return (middle + np.arange(count) * 7 % max(1, middle - 1)).astype(np.int32)
