"""Texts to vectors whose cosine says how alike the texts are, in this process.

The vectors of a text do not depend on which others are computed with it: inputs are rounded to 8
bits row by row, and padding is masked.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inference import quiet, threads
from inference.embedding_graph import IDS, MASK, POSITIONS, SUMS, WEIGHTS
from inference.embedding_import import GRAPH_FILE, LONGEST_TOKENS, TOKENIZER_FILE
from inference.errors import ModelDamaged, ModelMissing

assert quiet.ENVIRONMENT  # noqa: S101 - before the runtime

import onnxruntime  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402

_BATCH = 8
_ERRORS_ONLY = 3


class Embedder:
    """An embedding model, loaded; one thread.

    Args:
        folder: An installed embedding model.
        thread_count: Threads of one operator; 0 takes the share of `inference.threads`.

    Raises:
        ModelMissing: A file of it is not there.
        ModelDamaged: A file of it cannot be read.
    """

    def __init__(self, folder: Path, *, thread_count: int = 0) -> None:
        for name in (GRAPH_FILE, TOKENIZER_FILE):
            if not (folder / name).is_file():
                raise ModelMissing(model=folder.name)
        try:
            self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER_FILE))
        except Exception as error:
            raise ModelDamaged(file=TOKENIZER_FILE, reason="it cannot be read") from error
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(LONGEST_TOKENS)
        self._session = _session(folder, thread_count or threads.share("embedding"))
        self._hidden: int = self._session.get_outputs()[0].shape[-1]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32[texts, hidden], each row of length 1; texts are cut at 256 tokens."""
        vectors = np.zeros((len(texts), self._hidden), np.float32)
        ids = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        # Texts of near-equal length together: what a batch is padded with is computed too.
        order = sorted(range(len(ids)), key=lambda place: len(ids[place]))
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            vectors[places] = self._sums([ids[place] for place in places])
        lengths: NDArray[np.float32] = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.divide(vectors, lengths)

    def _sums(self, batch: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        width = max(len(ids) for ids in batch)
        padded = np.zeros((len(batch), width), np.int64)
        mask = np.zeros((len(batch), width), np.int32)
        for row, ids in enumerate(batch):
            padded[row, : len(ids)] = ids
            mask[row, : len(ids)] = 1
        feeds = {
            IDS: padded,
            POSITIONS: np.arange(width),
            MASK: mask,
            WEIGHTS: mask[:, None, :].astype(np.float32),
        }
        (sums,) = self._session.run([SUMS], feeds)
        found: NDArray[np.float32] = sums[:, 0]
        return found


def _session(folder: Path, thread_count: int) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = thread_count
    options.log_severity_level = _ERRORS_ONLY
    # Waiting threads must not spin: this is background work beside a model.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(
            str(folder / GRAPH_FILE), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:
        raise ModelDamaged(file=GRAPH_FILE, reason="the runtime cannot load it") from error
