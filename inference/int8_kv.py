"""Loads a model with a KV cache of 8-bit numbers, where that changes next to nothing.

Scales are measured when they are first wished for and not at the import: it would have to load the
model, which takes longer than all else an import does and more memory than it may have, for what
most people never ask for. A text is read with the usual graph, the largest keys and values give
the scales, and another text read with both graphs says how far apart they are.
"""

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from inference import int8_record
from inference.digests import check_file, sealed, write_file
from inference.engine.genai import GenaiEngine
from inference.engine.protocol import Engine
from inference.errors import InferenceError, OutOfMemory
from inference.int8_record import CODEC, GRAPH_FILE, RECORD_FILE, SCALES_FILE, Int8Record
from inference.int8_texts import CHECKED, MEASURED
from inference.prompt import PromptBuilder
from inference.types import ChatMessage

_log = logging.getLogger(__name__)

BITS = 8

_LARGEST = 127
_MARGIN = 1.05
_LEAST_PEAK = 1e-4
_CHECKED_TOKENS = 64

_NO_GRAPH = (
    "the model's folder has no graph for it; adding the model again makes one, unless its heads are"
    " rotated in part only"
)
_REFUSED = "the runtime cannot compute it"
_TOO_COARSE = "the model's answers would change"
_NOT_WRITTEN = "the model's folder cannot be written"


@dataclass(frozen=True, slots=True)
class Int8Kv:
    """One model that is being loaded with the wish for 8 bits.

    Attributes:
        folder: The model's.
        load: Loads the named graph of the folder, the usual one without a name.
        prompts: Waits until prompts can be built.
        check: Waits until the folder is known to be whole; raises InferenceError if it is not.
        runtime: Packages and versions of the runtime.
    """

    folder: Path
    load: Callable[[str], GenaiEngine]
    prompts: Callable[[], PromptBuilder]
    check: Callable[[], object]
    runtime: dict[str, str]

    def engine(self) -> tuple[Engine, str]:
        """Return the model, and why it has the usual cache, or nothing where it has the small one.

        Takes as long as two loads and some seconds more the first time.

        Raises:
            InferenceError: It cannot be loaded at all.
        """
        if not (self.folder / GRAPH_FILE).is_file():
            return self.load(""), _NO_GRAPH
        record = int8_record.read(self.folder, self.runtime)
        if record is None or not _is_whole(self.folder, record):
            return self._measured()
        if not record.is_good:
            return self.load(""), _TOO_COARSE if record.kl is not None else _REFUSED
        engine = self._smaller()
        return (self.load(""), _REFUSED) if engine is None else (engine, "")

    def _measured(self) -> tuple[Engine, str]:
        """Measure, and return what `engine` does."""
        self.check()  # scales of damaged weights would outlive the repair
        usual = self.load("")
        prompts = self.prompts()
        scales = _scales(usual, _ids(prompts, MEASURED))
        checked = _ids(prompts, CHECKED)
        expected = _scores(usual, checked)
        try:
            digest = write_file(self.folder / SCALES_FILE, scales.tobytes())
        except OSError:
            return usual, _NOT_WRITTEN
        del usual  # two of them may not fit
        engine = self._smaller()
        kl = None if engine is None else divergence(expected, _scores(engine, checked))
        record = Int8Record(self.runtime, kl, digest)
        _log.info("8-bit KV cache: divergence %s", kl)
        with suppress(OSError):  # without a record it is measured again the next time
            write_file(self.folder / RECORD_FILE, sealed(CODEC.encode(record)))
        if engine is not None and record.is_good:
            return engine, ""
        del engine
        return self.load(""), _REFUSED if kl is None else _TOO_COARSE

    def _smaller(self) -> GenaiEngine | None:
        """Return the model with 8-bit numbers, or None where the runtime refuses it."""
        try:
            return self.load(GRAPH_FILE)
        except OutOfMemory:
            raise
        except InferenceError:
            return None


def _is_whole(folder: Path, record: Int8Record) -> bool:
    try:
        check_file(folder / SCALES_FILE, record.scales)
    except InferenceError:
        return False
    return True


def _ids(prompts: PromptBuilder, text: str) -> tuple[int, ...]:
    return prompts.build((ChatMessage("user", text),))


def _scales(engine: GenaiEngine, ids: Sequence[int]) -> NDArray[np.float32]:
    """Return float32[layers, 2, kv_heads, head_size] for the graph's file."""
    peaks = [(_reach(keys), np.abs(values).max(axis=1)) for keys, values in engine.kept(ids)]
    scales = np.maximum(np.array(peaks) * _MARGIN, _LEAST_PEAK) / _LARGEST
    return scales.astype(np.float32)


def _reach(keys: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return how large each number of float32[heads, tokens, size] can get, anywhere in a text.

    Position turns a number of the first half against one of the second. Slow pairs have hardly
    turned by the end of a short text, and would not fit their scales thousands of tokens later;
    the length of a pair stays the same.
    """
    halves = np.stack(np.split(keys, 2, axis=-1))
    lengths = np.sqrt(np.square(halves).sum(axis=0)).max(axis=1)
    return np.concatenate([lengths, lengths], axis=-1)


def _scores(engine: Engine, ids: Sequence[int]) -> NDArray[np.float32]:
    """Return float32[positions, vocabulary] at the last positions of `ids`."""
    cache = engine.new_cache(len(ids))
    start = max(1, len(ids) - _CHECKED_TOKENS)
    cache.append(ids[:start])
    rows: list[NDArray[np.float32]] = []
    for begin in range(start, len(ids), engine.verify_tokens):
        part = ids[begin : begin + engine.verify_tokens]
        cache.append(part)
        rows.append(cache.logits(len(part)).copy())
    return np.concatenate(rows)


def divergence(expected: NDArray[np.float32], seen: NDArray[np.float32]) -> float:
    """Return the mean over the positions, one by one: vocabularies are large."""
    pairs = zip(map(_log_probs, expected), map(_log_probs, seen), strict=True)
    return float(np.mean([np.sum(np.exp(p) * (p - q)) for p, q in pairs]))


def _log_probs(scores: NDArray[np.float32]) -> NDArray[np.float64]:
    shifted: NDArray[np.float64] = scores.astype(np.float64)
    shifted -= shifted.max()
    shifted -= np.log(np.exp(shifted).sum())
    return shifted
