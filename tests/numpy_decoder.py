"""A plain float32 forward pass of a GGUF file, to compare the importer's graphs with.

Shares nothing with the importer: the `gguf` package reads the file and dequantises its blocks, rope
turns rows in the order in which the file has them, and nothing is fused. Layers are dequantised one
at a time, so that a file of a gigabyte fits.
"""

from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGUFReader
from gguf.quants import dequantize
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_ROWS_AT_ONCE = 16_384


class NumpyDecoder:
    """The llama or qwen2 model in one file."""

    def __init__(self, path: Path) -> None:
        self._reader = GGUFReader(path)
        self._tensors = {tensor.name: tensor for tensor in self._reader.tensors}
        self._architecture = self._field("general.architecture")
        self._heads = int(self._size("attention.head_count"))
        self._kv_heads = int(self._size("attention.head_count_kv", self._heads))
        hidden = int(self._size("embedding_length"))
        self._head_size = int(self._size("attention.key_length", hidden // self._heads))
        self._window = int(self._size("attention.sliding_window", 0))
        self._epsilon = np.float32(self._size("attention.layer_norm_rms_epsilon"))

    def logits(self, ids: list[int]) -> Floats:
        """Return float32[len(ids), vocabulary] for one sequence."""
        x = self._rows("token_embd.weight", np.array(ids))
        for layer in range(int(self._size("block_count"))):
            prefix = f"blk.{layer}"
            x = x + self._attention(prefix, self._norm(x, f"{prefix}.attn_norm"))
            x = x + self._feed_forward(prefix, self._norm(x, f"{prefix}.ffn_norm"))
        return self._head(self._norm(x, "output_norm"))

    def _attention(self, prefix: str, x: Floats) -> Floats:
        queries = self._rotate(self._linear(x, f"{prefix}.attn_q"), self._heads)
        keys = self._rotate(self._linear(x, f"{prefix}.attn_k"), self._kv_heads)
        values = self._linear(x, f"{prefix}.attn_v").reshape(len(x), self._kv_heads, -1)
        position = np.arange(len(x))
        distance = position[:, None] - position
        hidden = distance < 0
        if self._window:
            hidden |= distance >= self._window
        out = np.empty((len(x), self._heads, self._head_size), np.float32)
        for head in range(self._heads):
            group = head * self._kv_heads // self._heads
            scores = queries[:, head] @ keys[:, group].T / np.sqrt(np.float32(self._head_size))
            scores[hidden] = -np.inf
            weights = np.exp(scores - scores.max(-1, keepdims=True))
            out[:, head] = weights / weights.sum(-1, keepdims=True) @ values[:, group]
        return self._linear(out.reshape(len(x), -1), f"{prefix}.attn_output")

    def _rotate(self, x: Floats, heads: int) -> Floats:
        size = self._head_size
        x = x.reshape(len(x), heads, size)
        base = float(self._size("rope.freq_base", 10_000.0))
        turns = base ** -(np.arange(0, size, 2) / size)
        if "rope_freqs.weight" in self._tensors:
            turns = turns / self._tensor("rope_freqs.weight")
        if self._size("rope.scaling.type", "none") == "linear":
            turns = turns / float(self._size("rope.scaling.factor"))
        angles = np.outer(np.arange(len(x)), turns)[:, None]
        cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
        if self._architecture == "llama":  # neighbours turn together
            first, second = x[..., 0::2], x[..., 1::2]
        else:  # halves turn together
            first, second = x[..., : size // 2], x[..., size // 2 :]
        turned = [first * cos - second * sin, first * sin + second * cos]
        if self._architecture == "llama":
            return np.stack(turned, -1).reshape(x.shape)
        return np.concatenate(turned, -1)

    def _feed_forward(self, prefix: str, x: Floats) -> Floats:
        gate, up = self._linear(x, f"{prefix}.ffn_gate"), self._linear(x, f"{prefix}.ffn_up")
        return self._linear(gate / (1 + np.exp(-gate)) * up, f"{prefix}.ffn_down")

    def _norm(self, x: Floats, name: str) -> Floats:
        mean = np.square(x).mean(-1, keepdims=True)
        normed: Floats = x / np.sqrt(mean + self._epsilon) * self._tensor(f"{name}.weight")
        return normed

    def _linear(self, x: Floats, name: str) -> Floats:
        out = x @ self._tensor(f"{name}.weight").T
        if f"{name}.bias" in self._tensors:
            out = out + self._tensor(f"{name}.bias")
        return out

    def _head(self, x: Floats) -> Floats:
        name = "output.weight" if "output.weight" in self._tensors else "token_embd.weight"
        rows = len(self._tensors[name].data)
        parts = [
            x @ self._rows(name, np.arange(start, min(start + _ROWS_AT_ONCE, rows))).T
            for start in range(0, rows, _ROWS_AT_ONCE)
        ]
        return np.concatenate(parts, -1)

    def _tensor(self, name: str) -> Floats:
        tensor = self._tensors[name]
        return dequantize(tensor.data, tensor.tensor_type).astype(np.float32, copy=False)

    def _rows(self, name: str, rows: NDArray[np.intp]) -> Floats:
        tensor = self._tensors[name]
        return dequantize(tensor.data[rows], tensor.tensor_type).astype(np.float32, copy=False)

    def _size(self, key: str, default: Any = None) -> Any:
        value = self._field(f"{self._architecture}.{key}")
        return default if value is None else value

    def _field(self, key: str) -> Any:
        found = self._reader.fields.get(key)
        return None if found is None else found.contents()


def perplexity(logits: Floats, ids: list[int]) -> float:
    """Return how surprised the model is by each token after the first, as exp of the mean."""
    before = logits[:-1].astype(np.float64)
    before -= before.max(-1, keepdims=True)
    norms = np.log(np.exp(before).sum(-1))
    chosen = before[np.arange(len(before)), ids[1:]]
    return float(np.exp((norms - chosen).mean()))
