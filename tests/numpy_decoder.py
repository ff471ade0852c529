"""A plain float32 forward pass of a GGUF file, to compare the importer's graphs with.

Shares nothing with the importer: the `gguf` package reads the file and dequantises its blocks, rope
turns rows in the order in which the file has them, and nothing is fused. Each family is written
down from its published model code. Layers are dequantised one at a time, so that a file of a
gigabyte fits.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGUFReader
from gguf.quants import dequantize
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_ROWS_AT_ONCE = 16_384
_NEIGHBOURS_TURN = ("llama", "mistral3", "granite", "smollm3")
# What published configurations have and files may leave out.
_USUAL: dict[str, dict[str, Any]] = {
    "gemma2": {
        "attention.sliding_window": 4096,
        "attention.sliding_window_pattern": 2,
        "attn_logit_softcapping": 50.0,
        "final_logit_softcapping": 30.0,
    },
    "gemma3": {"attention.sliding_window_pattern": 6, "rope.freq_base_swa": 10_000.0},
    "smollm3": {"no_rope_every": 4},
}


class NumpyDecoder:
    """The model in one file.

    Args:
        changed: Keys of the metadata, without the architecture, to be taken for others than the
            file has: to see that a wrong one would be noticed.
        context_tokens: What the folder to compare with is made for, where that matters.
    """

    def __init__(
        self, path: Path, changed: Mapping[str, Any] | None = None, *, context_tokens: int = 0
    ) -> None:
        self._reader = GGUFReader(path)
        self._tensors = {tensor.name: tensor for tensor in self._reader.tensors}
        self._architecture = self._field("general.architecture")
        self._changed = changed or {}
        self._context_tokens = context_tokens
        self._heads = int(self._size("attention.head_count"))
        self._kv_heads = int(self._size("attention.head_count_kv", self._heads))
        self._hidden = int(self._size("embedding_length"))
        self._head_size = int(self._size("attention.key_length", self._hidden // self._heads))
        self._rotary_size = int(self._size("rope.dimension_count", self._head_size))
        self._epsilon = np.float32(self._size("attention.layer_norm_rms_epsilon"))
        self._is_gemma = self._architecture in ("gemma2", "gemma3")

    def logits(self, ids: list[int]) -> Floats:
        """Return float32[len(ids), vocabulary] for one sequence."""
        usual = math.sqrt(self._hidden) if self._is_gemma else 1.0
        x = self._rows("token_embd.weight", np.array(ids)) * self._factor("embedding_scale", usual)
        branch = self._factor("residual_scale", 1.0)
        for layer in range(int(self._size("block_count"))):
            prefix = f"blk.{layer}"
            attended = self._attention(layer, self._norm(x, f"{prefix}.attn_norm"))
            x = x + branch * self._after(attended, f"{prefix}.post_attention_norm")
            fed = self._feed_forward(prefix, self._norm(x, f"{prefix}.ffn_norm"))
            x = x + branch * self._after(fed, f"{prefix}.post_ffw_norm")
        scores = self._head(self._norm(x, "output_norm")) / self._factor("logit_scale", 1.0)
        return _capped(scores, self._size("final_logit_softcapping", 0.0))

    def _after(self, x: Floats, name: str) -> Floats:
        return self._norm(x, name) if self._is_gemma else x

    def _attention(self, layer: int, x: Floats) -> Floats:
        prefix = f"blk.{layer}"
        queries, keys, values = (
            part.reshape(len(x), -1, self._head_size)
            for part in self._queries_keys_values(prefix, x)
        )
        if self._architecture in ("qwen3", "gemma3"):
            queries = self._norm(queries, f"{prefix}.attn_q_norm")
            keys = self._norm(keys, f"{prefix}.attn_k_norm")
        if self._rotates(layer):
            queries, keys = self._rotate(layer, queries), self._rotate(layer, keys)
        hidden = self._hidden_pairs(layer, len(x))
        scale, cap = self._attention_scale(), self._size("attn_logit_softcapping", 0.0)
        out = np.empty((len(x), self._heads, self._head_size), np.float32)
        for head in range(self._heads):
            group = head * self._kv_heads // self._heads
            scores = _capped(queries[:, head] @ keys[:, group].T * scale, cap)
            scores[hidden] = -np.inf
            weights = np.exp(scores - scores.max(-1, keepdims=True))
            out[:, head] = weights / weights.sum(-1, keepdims=True) @ values[:, group]
        return self._linear(out.reshape(len(x), -1), f"{prefix}.attn_output")

    def _queries_keys_values(self, prefix: str, x: Floats) -> list[Floats]:
        if self._architecture != "phi3":
            return [self._linear(x, f"{prefix}.attn_{part}") for part in "qkv"]
        wide, narrow = self._heads * self._head_size, self._kv_heads * self._head_size
        return np.split(self._linear(x, f"{prefix}.attn_qkv"), [wide, wide + narrow], axis=-1)

    def _attention_scale(self) -> np.float32:
        usual = self._head_size
        if self._size("block_count") == {"gemma2": 46, "gemma3": 62}.get(self._architecture):
            usual = self._hidden // self._heads
        return np.float32(self._factor("attention.scale", usual**-0.5))

    def _hidden_pairs(self, layer: int, length: int) -> NDArray[np.bool_]:
        """Return which tokens (rows) do not see which (columns)."""
        position = np.arange(length)
        distance = position[:, None] - position
        window = 0 if self._architecture == "phi3" else self._size("attention.sliding_window", 0)
        if window and self._is_local(layer):
            return (distance < 0) | (distance >= window)
        return distance < 0

    def _is_local(self, layer: int) -> bool:
        pattern = self._size("attention.sliding_window_pattern", 0)
        if isinstance(pattern, list):
            return bool(pattern[layer])
        return bool(pattern == 0 or layer % pattern != pattern - 1)

    def _rotates(self, layer: int) -> bool:
        period = self._size("no_rope_every", 0)
        if period and layer % period == period - 1:
            return False
        return self._architecture != "granite" or bool(self._size("rope.scaling.finetuned", True))

    def _rotate(self, layer: int, x: Floats) -> Floats:
        turns, gain = self._turns(layer)
        angles = np.outer(np.arange(len(x)), turns)[:, None]
        cos = (np.cos(angles) * gain).astype(np.float32)
        sin = (np.sin(angles) * gain).astype(np.float32)
        x, rest = x[..., : self._rotary_size], x[..., self._rotary_size :]
        half = self._rotary_size // 2
        if self._architecture in _NEIGHBOURS_TURN:
            first, second = x[..., 0::2], x[..., 1::2]
        else:
            first, second = x[..., :half], x[..., half:]
        turned = [first * cos - second * sin, first * sin + second * cos]
        if self._architecture in _NEIGHBOURS_TURN:
            return np.concatenate([np.stack(turned, -1).reshape(x.shape), rest], -1)
        return np.concatenate([*turned, rest], -1)

    def _turns(self, layer: int) -> tuple[NDArray[np.float64], float]:
        """Return the angle of each pair between neighbouring tokens, and what lengths grow by."""
        exponents = np.arange(0, self._rotary_size, 2) / self._rotary_size
        if self._architecture == "gemma3" and self._is_local(layer):
            return float(self._size("rope.freq_base_swa")) ** -exponents, 1.0
        turns = float(self._size("rope.freq_base", 10_000.0)) ** -exponents
        if self._size("rope.scaling.type", "linear") == "linear":
            factor = self._size("rope.scaling.factor", self._size("rope.scale_linear", 1.0))
            turns = turns / float(factor or 1.0)
        if "rope_freqs.weight" in self._tensors:
            return turns / self._tensor("rope_freqs.weight"), 1.0
        if "rope_factors_long.weight" not in self._tensors:
            return turns, 1.0
        trained = self._size("context_length")
        first = self._size("rope.scaling.original_context_length", trained)
        which = "long" if (self._context_tokens or trained) > first else "short"
        gain = math.sqrt(1 + math.log(trained / first) / math.log(first))
        gain = self._size("rope.scaling.attn_factor", gain)
        return turns / self._tensor(f"rope_factors_{which}.weight"), gain

    def _feed_forward(self, prefix: str, x: Floats) -> Floats:
        if self._architecture == "phi3":
            gate, up = np.split(self._linear(x, f"{prefix}.ffn_up"), 2, axis=-1)
        else:
            gate, up = self._linear(x, f"{prefix}.ffn_gate"), self._linear(x, f"{prefix}.ffn_up")
        if self._is_gemma:
            bent = np.tanh(np.sqrt(np.float32(2 / np.pi)) * (gate + np.float32(0.044715) * gate**3))
            active = gate * (1 + bent) / 2
        else:
            active = gate / (1 + np.exp(-gate))
        return self._linear(active * up, f"{prefix}.ffn_down")

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

    def _factor(self, key: str, usual: float) -> np.float32:
        return np.float32(self._size(key, 0.0) or usual)

    def _size(self, key: str, default: Any = None) -> Any:
        if key in self._changed:
            return self._changed[key]
        value = self._field(f"{self._architecture}.{key}")
        if value is None:
            value = _USUAL.get(self._architecture, {}).get(key)
        return default if value is None else value

    def _field(self, key: str) -> Any:
        found = self._reader.fields.get(key)
        return None if found is None else found.contents()


def _capped(scores: Floats, cap: float) -> Floats:
    return np.tanh(scores / np.float32(cap)) * np.float32(cap) if cap else scores


def perplexity(logits: Floats, ids: list[int]) -> float:
    """Return how surprised the model is by each token after the first, as exp of the mean."""
    before = logits[:-1].astype(np.float64)
    before -= before.max(-1, keepdims=True)
    norms = np.log(np.exp(before).sum(-1))
    chosen = before[np.arange(len(before)), ids[1:]]
    return float(np.exp((norms - chosen).mean()))
