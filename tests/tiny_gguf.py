"""Writes tiny GGUF files with random weights and a working tokenizer, for tests.

The weights are random blocks whose matrices have about unit gain, so nothing grows or dies on its
way through the layers; the text such a model writes is noise. Same arguments: same bytes.
"""

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests import tiny_families
from tests.tiny_families import Shape

__all__ = [
    "ALL_TYPES",
    "GgufBuilder",
    "Shape",
    "write_tiny_gguf",
]

ALL_TYPES = (
    *("F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q4_K", "Q5_K", "Q6_K"),
)
NUMBERS = {
    "F32": 0,
    "F16": 1,
    "Q4_0": 2,
    "Q4_1": 3,
    "Q5_0": 6,
    "Q5_1": 7,
    "Q8_0": 8,
    "Q4_K": 12,
    "Q5_K": 13,
    "Q6_K": 14,
    "BF16": 30,
}
CHAT_TEMPLATE = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
CONTROL_TOKENS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")

_ALIGNMENT = 32
_WORDS = (
    " the of and to in is it that was for on are with as his they at be this have from or had by"
    " hot but some what there we can out other were all your when up use word how said an each she"
    " which do their time if will way about many then them would write like so these her long make"
    " thing see him two has look more day could go come did my sound no most number who over know"
    " water than call first people may down side been now find any new work part take get place"
    " made live where after back little only round man year came show every good"
    " me give our under name very through just form much great think say help low line"
    " before turn cause same mean differ user system assistant"
)
_MERGE_COUNT = 253
_FLOAT_KIND, _STRING_KIND, _ARRAY_KIND, _BOOL_KIND, _UINT_KIND, _INT_KIND = 6, 8, 9, 7, 4, 5


def write_tiny_gguf(
    path: Path,
    *,
    architecture: str = "llama",
    types: Sequence[str] = ALL_TYPES,
    tied: bool = True,
    seed: int = 0,
    shape: Shape | None = None,
    pre: str = "smollm",
    biases: bool | None = None,
    metadata: Mapping[str, Any] | None = None,
    tensors: Mapping[str, NDArray[np.float32]] | None = None,
) -> Path:
    """Write a model and return `path`.

    Args:
        types: The matrices take these types in a random order, mixed in one file.
        tied: Without an output matrix of its own.
        shape: None takes the architecture's.
        biases: On q, k and v; None means that the architecture decides.
        metadata: Keys to add or, with the value None, to leave out.
        tensors: float32 tensors to add.
    """
    random = np.random.default_rng(seed)
    shape = shape or tiny_families.SHAPES.get(architecture, Shape())
    file = GgufBuilder()
    file.pairs.update(_model_pairs(architecture, shape))
    file.pairs.update(_tokenizer_pairs(pre))
    file.pairs.update(metadata or {})
    file.pairs = {key: value for key, value in file.pairs.items() if value is not None}
    vocabulary = len(file.pairs["tokenizer.ggml.tokens"])

    def matrix(name: str, rows: int, columns: int) -> None:
        kind = str(random.choice(list(types)))
        file.add(
            f"{name}.weight", kind, (rows, columns), random_blocks(random, kind, rows, columns)
        )

    def vector(name: str, length: int, middle: float) -> None:
        values = (middle + 0.1 * random.standard_normal(length)).astype("<f4")
        file.add(name, "F32", (length,), values.view(np.uint8))

    matrix("token_embd", vocabulary, shape.hidden)
    with_biases = architecture == "qwen2" if biases is None else biases
    for layer in range(shape.layers):
        for name, rows, columns in tiny_families.matrices(architecture, shape):
            matrix(f"blk.{layer}.{name}", rows, columns)
            if with_biases and name in ("attn_q", "attn_k", "attn_v"):
                vector(f"blk.{layer}.{name}.bias", rows, 0.0)
        for name, length in tiny_families.norms(architecture, shape):
            vector(f"blk.{layer}.{name}.weight", length, 1.0)
    vector("output_norm.weight", shape.hidden, 1.0)
    if not tied:
        matrix("output", vocabulary, shape.hidden)
    for name, values in (tensors or {}).items():
        file.add(name, "F32", values.shape, values.astype("<f4").reshape(-1).view(np.uint8))
    path.write_bytes(file.build())
    return path


@dataclass
class GgufBuilder:
    """Collects a GGUF file of version 3.

    Attributes:
        pairs: Metadata; str, bool, int, float, or a list of str or int.
        version: What the file says its version is.
    """

    pairs: dict[str, Any] = field(default_factory=dict)
    version: int = 3
    _tensors: list[tuple[str, str, tuple[int, ...], NDArray[np.uint8]]] = field(
        default_factory=list
    )

    def add(self, name: str, kind: str, shape: tuple[int, ...], raw: NDArray[np.uint8]) -> None:
        """Add a tensor; `shape` has its outermost dimension first."""
        self._tensors.append((name, kind, shape, raw))

    def build(self) -> bytes:
        """Return the file."""
        head = bytearray(
            struct.pack("<4sIQQ", b"GGUF", self.version, len(self._tensors), len(self.pairs))
        )
        for key, value in self.pairs.items():
            head += _text(key) + _value(value)
        offset = 0
        for name, kind, shape, raw in self._tensors:
            head += _text(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *shape[::-1])
            head += struct.pack("<IQ", NUMBERS[kind], offset)
            offset += _padded(raw.size)
        head += b"\0" * (-len(head) % _ALIGNMENT)
        body = (raw.tobytes() + b"\0" * (-raw.size % _ALIGNMENT) for *_, raw in self._tensors)
        return bytes(head) + b"".join(body)


def random_blocks(
    random: np.random.Generator, kind: str, rows: int, columns: int
) -> NDArray[np.uint8]:
    """Return a matrix's bytes; a product with input of unit variance has about unit variance."""
    unit = columns**-0.5
    if kind in ("F32", "F16", "BF16"):
        values = (random.standard_normal(rows * columns) * unit).astype("<f4")
        return _float_bytes(kind, values)
    weights, size, scales = _BLOCKS[kind]
    count = rows * columns // weights
    raw = random.integers(0, 256, (count, size), dtype=np.uint8)
    if kind in (
        "Q4_K",
        "Q5_K",
    ):  # 6-bit steps and floors between 32 and 47, as near to each other as in life
        raw[:, 4:12] = raw[:, 4:12] & 0x0F | 0xA0
    for at, scale in scales:
        spread = (random.uniform(0.8, 1.2, count) * scale * unit).astype("<f2")
        raw[:, at : at + 2] = spread.view(np.uint8).reshape(count, 2)
    return raw.reshape(-1)


# Type to weights and bytes of a block, and (position, size) of its float16 scales.
_BLOCKS: dict[str, tuple[int, int, tuple[tuple[int, float], ...]]] = {
    "Q4_0": (32, 18, ((0, 1 / 4.6),)),
    "Q4_1": (32, 20, ((0, 1 / 4.6), (2, -7.5 / 4.6))),
    "Q5_0": (32, 22, ((0, 1 / 9.2),)),
    "Q5_1": (32, 24, ((0, 1 / 9.2), (2, -15.5 / 9.2))),
    "Q8_0": (32, 34, ((0, 1 / 74),)),
    "Q4_K": (256, 144, ((0, 1 / 180), (2, 7.5 / 180))),
    "Q5_K": (256, 176, ((0, 1 / 360), (2, 15.5 / 360))),
    "Q6_K": (256, 210, ((208, 1 / (74 * 18.5)),)),
}


def byte_alphabet() -> list[str]:
    """Return the printable character of each byte, as byte-level tokenizers have it."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    return [chr(byte if byte in plain else next(others)) for byte in range(256)]


def tiny_merges() -> list[str]:
    """Return merges that build some common words from left to right."""
    alphabet = byte_alphabet()
    found: dict[str, None] = {}
    for word in _WORDS.split(" ")[1:]:
        pieces = [alphabet[byte] for byte in f" {word}".encode()]
        for length in range(1, len(pieces)):
            found[f"{''.join(pieces[:length])} {pieces[length]}"] = None
    return list(found)[:_MERGE_COUNT]


def _model_pairs(architecture: str, shape: Shape) -> dict[str, Any]:
    sizes = {
        "block_count": shape.layers,
        "context_length": shape.context_tokens,
        "embedding_length": shape.hidden,
        "feed_forward_length": shape.feed_forward,
        "attention.head_count": shape.heads,
        "attention.head_count_kv": shape.kv_heads,
        "attention.key_length": shape.head_size,
        "attention.value_length": shape.head_size,
        "attention.layer_norm_rms_epsilon": 1e-5,
        "rope.dimension_count": shape.head_size,
        "rope.freq_base": 10_000.0,
        **tiny_families.PAIRS.get(architecture, {}),
    }
    return {
        "general.architecture": architecture,
        "general.name": f"Tiny {architecture}",
        "general.license": "apache-2.0",
        **{f"{architecture}.{key}": value for key, value in sizes.items()},
    }


def _tokenizer_pairs(pre: str) -> dict[str, Any]:
    merges = tiny_merges()
    tokens = [*CONTROL_TOKENS, *byte_alphabet(), *(merge.replace(" ", "") for merge in merges)]
    kinds = [3] * len(CONTROL_TOKENS) + [1] * (len(tokens) - len(CONTROL_TOKENS))
    return {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": pre,
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": kinds,
        "tokenizer.ggml.merges": merges,
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.padding_token_id": 2,
        "tokenizer.ggml.unknown_token_id": 0,
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.chat_template": CHAT_TEMPLATE,
    }


def _float_bytes(kind: str, values: NDArray[np.float32]) -> NDArray[np.uint8]:
    if kind == "F16":
        return values.astype("<f2").view(np.uint8)
    if kind == "BF16":
        return (values.view("<u4") >> 16).astype("<u2").view(np.uint8)
    return values.view(np.uint8)


def _padded(size: int) -> int:
    return size + -size % _ALIGNMENT


def _text(text: str) -> bytes:
    body = text.encode()
    return struct.pack("<Q", len(body)) + body


def _value(value: Any) -> bytes:
    if isinstance(value, list):
        return struct.pack("<I", _ARRAY_KIND) + _array(value)
    kind, body = _scalar(value)
    return struct.pack("<I", kind) + body


def _array(values: list[Any]) -> bytes:
    pack: Callable[[Any], tuple[int, bytes]] = _scalar
    if values and type(values[0]) is int:
        pack = _signed
    items = [pack(value) for value in values]
    kind = items[0][0] if items else _STRING_KIND
    return struct.pack("<IQ", kind, len(items)) + b"".join(body for _, body in items)


def _scalar(value: Any) -> tuple[int, bytes]:
    if isinstance(value, bool):
        return _BOOL_KIND, struct.pack("<?", value)
    if isinstance(value, int):
        return _UINT_KIND, struct.pack("<I", value)
    if isinstance(value, float):
        return _FLOAT_KIND, struct.pack("<f", value)
    return _STRING_KIND, _text(value)


def _signed(value: int) -> tuple[int, bytes]:
    return _INT_KIND, struct.pack("<i", value)
