"""Models of a realistic shape with random weights, for measuring: speed does not depend on values.

Every matrix has about unit gain, so that nothing grows or dies on its way through the layers. The
tokenizer is made on the spot from the letters a to z; what such a model writes is noise. Same
arguments, same bytes.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice, product
from pathlib import Path
from string import ascii_lowercase
from typing import Final

import numpy as np
from numpy.typing import NDArray

from inference.gguf.writer import TensorPlan, Value, write_gguf

PREFIX: Final = "synthetic:"

_CONTROL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
_NORMAL_KIND, _CONTROL_KIND = 1, 3
_TEMPLATE = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
_LARGEST_BYTE = 255
_MIXED = "q4_k_m"


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of a llama-like model, its output tied to its embedding."""

    layers: int
    hidden: int
    feed_forward: int
    heads: int
    kv_heads: int
    head_size: int
    vocabulary: int = 49_152
    rope_base: float = 500_000.0
    context_tokens: int = 8192


SHAPES: Final = {
    "tiny": Shape(2, 256, 512, 4, 2, 64, vocabulary=1024, context_tokens=2048),
    "135m": Shape(30, 576, 1536, 9, 3, 64),
    "360m": Shape(32, 960, 2560, 15, 5, 64),
    "1b": Shape(16, 2048, 8192, 32, 8, 64),
    "3b": Shape(28, 3072, 8192, 24, 8, 128),
}


@dataclass(frozen=True, slots=True)
class _Type:
    """A type of GGUF.

    Attributes:
        scales: Position in a block, and size for a matrix of unit gain, of its float16 numbers.
    """

    number: int
    weights: int
    size_bytes: int
    scales: tuple[tuple[int, float], ...] = ()


_TYPES: Final = {
    "q4_0": _Type(2, 32, 18, ((0, 1 / 4.6),)),
    "q4_1": _Type(3, 32, 20, ((0, 1 / 4.6), (2, -7.5 / 4.6))),
    "q5_0": _Type(6, 32, 22, ((0, 1 / 9.2),)),
    "q8_0": _Type(8, 32, 34, ((0, 1 / 74),)),
    "q4_k": _Type(12, 256, 144, ((0, 1 / 180), (2, 7.5 / 180))),
    "q6_k": _Type(14, 256, 210, ((208, 1 / (74 * 18.5)),)),
}
_FLOAT32_NUMBER, _FLOAT32_BYTES = 0, 4
BODIES: Final = (*_TYPES, _MIXED)


@dataclass(frozen=True, slots=True)
class Synthetic:
    """Which model to make.

    Attributes:
        shape: A key of `SHAPES`.
        body: One of `BODIES`; `q4_k_m` is q4_k with q6_k in some places, as such files have it.
    """

    shape: str
    body: str

    @classmethod
    def parse(cls, name: str) -> "Synthetic":
        """Return what `synthetic:1b-q4_0` names, with or without `synthetic:`.

        Raises:
            ValueError: It names nothing that can be made; the text says what can.
        """
        shape, _, body = name.removeprefix(PREFIX).partition("-")
        if shape not in SHAPES or body not in BODIES:
            shapes, bodies = ", ".join(SHAPES), ", ".join(BODIES)
            raise ValueError(f"a synthetic model is SHAPE-TYPE, of {shapes} and {bodies}")
        return cls(shape, body)

    @property
    def name(self) -> str:
        """What it is called on the command line."""
        return f"{PREFIX}{self.shape}-{self.body}"


def write_synthetic(path: Path, which: Synthetic, *, seed: int = 0) -> int:
    """Write the model as a GGUF file, seconds for a gigabyte, and return its size in bytes.

    Raises:
        OSError: It cannot be written.
    """
    shape = SHAPES[which.shape]
    random = np.random.default_rng(seed)
    return write_gguf(path, _pairs(which, shape), list(_tensors(which, shape, random)))


def _tensors(which: Synthetic, shape: Shape, random: np.random.Generator) -> Iterator[TensorPlan]:
    embedding = "q6_k" if which.body == _MIXED else "q8_0"
    yield _matrix(random, "token_embd", embedding, shape.vocabulary, shape.hidden)
    wide, narrow = shape.heads * shape.head_size, shape.kv_heads * shape.head_size
    for layer in range(shape.layers):
        for part, rows, columns in (
            ("attn_q", wide, shape.hidden),
            ("attn_k", narrow, shape.hidden),
            ("attn_v", narrow, shape.hidden),
            ("attn_output", shape.hidden, wide),
            ("ffn_gate", shape.feed_forward, shape.hidden),
            ("ffn_up", shape.feed_forward, shape.hidden),
            ("ffn_down", shape.hidden, shape.feed_forward),
        ):
            kind = _kind(which.body, part, layer)
            yield _matrix(random, f"blk.{layer}.{part}", kind, rows, columns)
        yield _ones(f"blk.{layer}.attn_norm", shape.hidden)
        yield _ones(f"blk.{layer}.ffn_norm", shape.hidden)
    yield _ones("output_norm", shape.hidden)


def _kind(body: str, part: str, layer: int) -> str:
    if body != _MIXED:
        return body
    return "q6_k" if part in {"attn_v", "ffn_down"} and layer % 2 == 0 else "q4_k"


def _matrix(
    random: np.random.Generator, name: str, kind: str, rows: int, columns: int
) -> TensorPlan:
    form = _TYPES[kind]
    length = rows * columns // form.weights * form.size_bytes
    data: Callable[[], NDArray[np.uint8]] = partial(_blocks, random, form, rows, columns)
    return TensorPlan(f"{name}.weight", form.number, (rows, columns), length, data)


def _ones(name: str, length: int) -> TensorPlan:
    data = np.ones(length, "<f4").view(np.uint8)
    size_bytes = length * _FLOAT32_BYTES
    return TensorPlan(f"{name}.weight", _FLOAT32_NUMBER, (length,), size_bytes, lambda: data)


def _blocks(random: np.random.Generator, form: _Type, rows: int, columns: int) -> NDArray[np.uint8]:
    count = rows * columns // form.weights
    raw = np.frombuffer(random.bytes(count * form.size_bytes), np.uint8).copy()
    blocks = raw.reshape(count, form.size_bytes)
    if (
        form is _TYPES["q4_k"]
    ):  # steps and floors between 32 and 47, as near to each other as in life
        blocks[:, 4:12] = blocks[:, 4:12] & 0x0F | 0xA0
    for at, size in form.scales:
        spread = random.uniform(0.8, 1.2, count) * size * columns**-0.5
        blocks[:, at : at + 2] = spread.astype("<f2").view(np.uint8).reshape(count, 2)
    return raw


def _pairs(which: Synthetic, shape: Shape) -> dict[str, Value]:
    tokens, merges = _vocabulary(shape.vocabulary)
    kinds = [_CONTROL_KIND] * len(_CONTROL) + [_NORMAL_KIND] * (len(tokens) - len(_CONTROL))
    return {
        "general.architecture": "llama",
        "general.name": which.name,
        "llama.block_count": shape.layers,
        "llama.context_length": shape.context_tokens,
        "llama.embedding_length": shape.hidden,
        "llama.feed_forward_length": shape.feed_forward,
        "llama.attention.head_count": shape.heads,
        "llama.attention.head_count_kv": shape.kv_heads,
        "llama.attention.key_length": shape.head_size,
        "llama.attention.value_length": shape.head_size,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.dimension_count": shape.head_size,
        "llama.rope.freq_base": shape.rope_base,
        "llama.vocab_size": shape.vocabulary,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "gpt-2",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": kinds,
        "tokenizer.ggml.merges": merges,
        "tokenizer.ggml.bos_token_id": 0,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.padding_token_id": 2,
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.chat_template": _TEMPLATE,
    }


def _vocabulary(size: int) -> tuple[list[str], list[str]]:
    """Return `size` tokens and the merges that make those of several bytes from left to right."""
    alphabet = _byte_alphabet()
    merges = list(islice(_merges(alphabet[ord(" ")]), size - len(_CONTROL) - len(alphabet)))
    return [*_CONTROL, *alphabet, *(merge.replace(" ", "") for merge in merges)], merges


def _merges(space: str) -> Iterator[str]:
    """Give merges for all words of one letter behind a space, then of two letters, and so on."""
    for length in range(1, 5):
        for word in map("".join, product(ascii_lowercase, repeat=length)):
            yield f"{space}{word[:-1]} {word[-1]}"
            if length > 1:
                yield f"{word[:-1]} {word[-1]}"


def _byte_alphabet() -> list[str]:
    """Return the printable character of each byte, as byte-level tokenizers have it."""
    plain = {*range(33, 127), *range(161, 173), *range(174, _LARGEST_BYTE + 1)}
    others = iter(range(_LARGEST_BYTE + 1, 2 * _LARGEST_BYTE))
    return [chr(byte if byte in plain else next(others)) for byte in range(_LARGEST_BYTE + 1)]
