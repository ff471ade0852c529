"""The sizes of a decoder, read from a file's metadata and checked."""

from dataclasses import dataclass
from typing import Self

from inference.errors import ModelUnsupported
from inference.gguf.metadata import Metadata

_MOST_LAYERS = 1024
_MOST_HEADS = 4096
_LARGEST_HEAD = 1024
_LARGEST_SIZE = 1 << 24


@dataclass(frozen=True, slots=True)
class Dimensions:
    """What every family of this kind has.

    Attributes:
        head_size: Of queries, keys and values alike.
        rotary_size: How many of a head's numbers are rotated.
        rope_base: Theta of the rotary embedding.
        rope_divisor: Positions are divided by this (linear scaling); 1 for none.
        window_tokens: How many keys a token sees, itself included; 0 for all.
        trained_tokens: The context window the model was trained for.
    """

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_size: int
    rotary_size: int
    feed_forward: int
    epsilon: float
    rope_base: float
    rope_divisor: float
    window_tokens: int
    trained_tokens: int

    @classmethod
    def read(cls, metadata: Metadata, architecture: str) -> Self:
        """Read the sizes of `architecture`.

        Raises:
            ModelDamaged: A size is missing or cannot be.
            ModelUnsupported: The file asks for something that is not done.
        """

        def size(key: str, default: int | None = None) -> int:
            return _size(metadata, f"{architecture}.{key}", default)

        heads, hidden = size("attention.head_count"), size("embedding_length")
        head_size = size("attention.key_length", max(1, hidden // heads))
        dimensions = cls(
            layers=size("block_count"),
            hidden=hidden,
            heads=heads,
            kv_heads=size("attention.head_count_kv", heads),
            head_size=head_size,
            rotary_size=size("rope.dimension_count", head_size),
            feed_forward=size("feed_forward_length"),
            epsilon=metadata.number(f"{architecture}.attention.layer_norm_rms_epsilon"),
            rope_base=metadata.number(f"{architecture}.rope.freq_base", 10_000.0),
            rope_divisor=_rope_divisor(metadata, architecture),
            window_tokens=metadata.integer(f"{architecture}.attention.sliding_window", 0),
            trained_tokens=size("context_length"),
        )
        if size("attention.value_length", head_size) != head_size:
            raise ModelUnsupported(what="values of another size than keys")
        dimensions._check(metadata)
        return dimensions

    def _check(self, metadata: Metadata) -> None:
        possible = (
            self.layers <= _MOST_LAYERS
            and self.heads <= _MOST_HEADS
            and self.head_size <= _LARGEST_HEAD
            and self.heads % self.kv_heads == 0
            and self.head_size % 2 == 0
            and self.rotary_size % 2 == 0
            and self.rotary_size <= self.head_size
            and 0 < self.epsilon < 1
            and self.rope_base > 1
            and self.rope_divisor > 0
            and 0 <= self.window_tokens <= _LARGEST_SIZE
        )
        if not possible:
            raise metadata.damaged("its sizes contradict each other")


def _size(metadata: Metadata, key: str, default: int | None) -> int:
    if metadata.is_array(key):
        raise ModelUnsupported(what=f"{key} that differs by layer")
    value = metadata.integer(key, default)
    if not 0 < value <= _LARGEST_SIZE:
        raise metadata.damaged(f"{key} is absurd")
    return value


def _rope_divisor(metadata: Metadata, architecture: str) -> float:
    prefix = f"{architecture}.rope"
    if metadata.text(f"{prefix}.scaling.type", "linear") != "linear":
        return 1.0
    # Old files have another key for it; 0 stands for none.
    old = metadata.number(f"{prefix}.scale_linear", 1.0)
    return metadata.number(f"{prefix}.scaling.factor", old) or 1.0
