"""Hands out a file's tensors by name, and knows which of them nobody asked for.

A tensor left over means that the file holds something the graph does not compute: experts, vision,
an adapter, a new variant of a known family. Its answers would be wrong, so the file is refused.
"""

import numpy as np

from inference.errors import ModelUnsupported
from inference.gguf.blocks import FLOAT_TYPES, LAYOUTS, Floats, as_float32
from inference.gguf.cursor import shown
from inference.gguf.packer import matrix_bytes
from inference.gguf.reader import GgufFile, Tensor


class Weights:
    """The tensors of one file, each of which must be claimed."""

    def __init__(self, file: GgufFile) -> None:
        self.file = file
        self._claimed: set[str] = set()
        for tensor in file.tensors.values():
            if tensor.type.name not in LAYOUTS and tensor.type.name not in FLOAT_TYPES:
                raise ModelUnsupported(what=f"tensor type {tensor.type.name}")

    def __contains__(self, name: object) -> bool:
        return name in self.file.tensors

    def claim(self, name: str, shape: tuple[int, ...]) -> Tensor:
        """Return the tensor called `name`.

        Raises:
            ModelDamaged: It is missing or has another shape.
        """
        tensor = self.file.tensors.get(name)
        if tensor is None:
            raise self.file.metadata.damaged(f"tensor {name} is missing")
        if tensor.shape != shape:
            raise self.file.metadata.damaged(f"tensor {name} has an unexpected shape")
        self._claimed.add(name)
        return tensor

    def vector(self, name: str, length: int) -> Floats:
        """Claim a vector and return it as float32[length].

        Raises:
            ModelDamaged: As `claim`, or it holds what is no number.
            ModelUnsupported: It is stored in blocks.
        """
        tensor = self.claim(name, (length,))
        if tensor.type.name not in FLOAT_TYPES:
            raise ModelUnsupported(what=f"tensor {name} of type {tensor.type.name}")
        raw = matrix_bytes(self.file, tensor).reshape(-1)
        vector = as_float32(tensor.type.name, raw)
        if not np.isfinite(vector).all():
            raise self.file.metadata.damaged(f"tensor {name} holds what is no number")
        return vector

    def check_all_claimed(self) -> None:
        """Refuse the file where a tensor is left over.

        Raises:
            ModelUnsupported: Named after the first such tensor.
        """
        for name in self.file.tensors:
            if name not in self._claimed:
                raise ModelUnsupported(what=f"tensor {shown(name)}")
