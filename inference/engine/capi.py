"""The objects of ONNX Runtime GenAI that the engine uses.

Every call releases the interpreter's lock. Objects of the runtime are owned by one Python object
each, which keeps alive what it was made from and destroys its own before that; the library is shut
down after the last of them.

Not safe for threads, like the API itself, with one exception: `Generator.terminate` may be called
while another thread computes on the same generator.
"""

import ctypes
import math
import weakref
from collections.abc import Mapping
from ctypes import byref, c_char, c_char_p, c_int32, c_int64, c_size_t, c_void_p
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from inference.engine.functions import IDS, RuntimeFailure, api

_FLOAT32: Final = 1
_TYPES: Final[dict[int, Any]] = {_FLOAT32: np.float32, 10: np.float16}


class Owned:
    """An object of the runtime, destroyed when nobody holds it any more.

    Attributes:
        pointer: What the functions of the API take.
    """

    def __init__(self, pointer: c_void_p, destroyer: str, *made_from: "Owned") -> None:
        self.pointer = pointer
        # The finalizer holds what it was made from, which therefore goes later.
        self._destroy = weakref.finalize(self, _destroy, destroyer, pointer, *made_from)

    def close(self) -> None:
        """Destroy it now; nothing else may be called after that."""
        self._destroy()


class Config(Owned):
    """What a model is loaded with."""

    def __init__(self, folder: Path) -> None:
        """Read a model folder's genai_config.json.

        Raises:
            RuntimeFailure: It cannot be read.
        """
        super().__init__(api().make("OgaCreateConfig", str(folder).encode()), "OgaDestroyConfig")

    def overlay(self, json_text: str) -> None:
        """Change values; `json_text` has the shape of the file."""
        api().call("OgaConfigOverlay", self.pointer, json_text.encode())

    def set_providers(self, provider: str, options: Mapping[str, str]) -> None:
        """Run on `provider` and the processor; on the processor alone where it is empty."""
        api().call("OgaConfigClearProviders", self.pointer)
        if provider:
            name = provider.encode()
            api().call("OgaConfigAppendProvider", self.pointer, name)
            for key, value in options.items():
                api().call(
                    "OgaConfigSetProviderOption", self.pointer, name, key.encode(), value.encode()
                )


class Model(Owned):
    """Weights in memory."""

    def __init__(self, config: Config) -> None:
        """Load the model; takes seconds.

        Raises:
            RuntimeFailure: It cannot be loaded.
        """
        super().__init__(
            api().make("OgaCreateModelFromConfig", config.pointer), "OgaDestroyModel", config
        )

    @property
    def device_type(self) -> str:
        """The runtime's name of the device that computes, such as CPU or WebGPU."""
        text = api().make("OgaModelGetDeviceType", self.pointer)
        try:
            return (ctypes.cast(text, c_char_p).value or b"").decode()
        finally:
            api().function("OgaDestroyString")(text)


class Generator(Owned):
    """A sequence of ids and its KV cache; greedy where it generates itself."""

    def __init__(self, model: Model, *, max_length: int, min_length: int = 0) -> None:
        """Take the memory for `max_length` tokens.

        Raises:
            RuntimeFailure: There is too little of it.
        """
        params = Owned(
            api().make("OgaCreateGeneratorParams", model.pointer),
            "OgaDestroyGeneratorParams",
            model,
        )
        for name, value in (("max_length", max_length), ("min_length", min_length)):
            api().call("OgaGeneratorParamsSetSearchNumber", params.pointer, name.encode(), value)
        api().call("OgaGeneratorParamsSetSearchBool", params.pointer, b"do_sample", False)
        super().__init__(
            api().make("OgaCreateGenerator", model.pointer, params.pointer),
            "OgaDestroyGenerator",
            model,
            params,
        )
        self._layout: _Layout | None = None
        self._max_length = max_length

    def append(self, ids: NDArray[np.int32]) -> None:
        """Compute int32[n] ids behind what is there.

        Raises:
            RuntimeFailure: It failed, or `terminate` ended it.
        """
        api().call("OgaGenerator_AppendTokens", self.pointer, ids.ctypes.data_as(IDS), ids.size)

    def rewind(self, length: int) -> None:
        """Forget what is after the first `length` ids."""
        api().call("OgaGenerator_RewindTo", self.pointer, length)

    def terminate(self, *, is_on: bool) -> None:
        """End what is computed now, and refuse more until this is switched off."""
        value = b"1" if is_on else b"0"
        api().call("OgaGenerator_SetRuntimeOption", self.pointer, b"terminate_session", value)

    def generate(self) -> None:
        """Append the likeliest token, without computing it."""
        api().call("OgaGenerator_GenerateNextToken", self.pointer)

    def next_token(self) -> int:
        """Return the token that `generate` appended."""
        ids, count = IDS(), c_size_t()
        api().call("OgaGenerator_GetNextTokens", self.pointer, byref(ids), byref(count))
        return int(ids[0])

    def last_logits(self) -> NDArray[np.float32]:
        """Return float32[vocabulary] of the last id; computes it where `generate` appended it."""
        tensor = Owned(api().make("OgaGenerator_GetLogits", self.pointer), "OgaDestroyTensor")
        if self._layout is None:
            self._layout = _Layout.of(tensor)  # the same each time, and asked for at each token
        return _rows(tensor, self._layout, 1)

    def logits(self, positions: int) -> NDArray[np.float32]:
        """Return float32[n, vocabulary], n at most `positions`, of the last ids appended."""
        return self._output("logits", positions)

    def kept(self, name: str, length: int) -> NDArray[np.float32]:
        """Return float32[heads, length, head_size] of the keys or values called `name`.

        They are the runtime's own memory: good until it computes again.
        """
        rows = self._output(name, None)
        per_head = self._max_length
        return rows.reshape(-1, per_head, rows.shape[-1])[:, :length]

    def _output(self, name: str, most: int | None) -> NDArray[np.float32]:
        made = api().make("OgaGenerator_GetOutput", self.pointer, name.encode())
        tensor = Owned(made, "OgaDestroyTensor")
        return _rows(tensor, _Layout.of(tensor), most)

    def set_logits(self, row: NDArray[np.float32]) -> None:
        """Say what `generate` chooses from, as float32[vocabulary]."""
        shape = (c_int64 * 3)(1, 1, row.size)
        tensor = Owned(
            api().make("OgaCreateTensorFromBuffer", row.ctypes.data, shape, len(shape), _FLOAT32),
            "OgaDestroyTensor",
        )
        api().call("OgaGenerator_SetLogits", self.pointer, tensor.pointer)
        tensor.close()


def _destroy(destroyer: str, pointer: c_void_p, *_made_from: Owned) -> None:
    api().function(destroyer)(pointer)


@dataclass(frozen=True, slots=True)
class _Layout:
    """How a tensor [.., columns] lies in memory, all that is before the columns as rows."""

    rows: int
    columns: int
    dtype: Any
    memory: Any

    @classmethod
    def of(cls, tensor: Owned) -> "_Layout":
        rank, kind = c_size_t(), c_int32()
        api().call("OgaTensorGetShapeRank", tensor.pointer, byref(rank))
        shape = (c_int64 * rank.value)()
        api().call("OgaTensorGetShape", tensor.pointer, shape, rank)
        api().call("OgaTensorGetType", tensor.pointer, byref(kind))
        if kind.value not in _TYPES:
            raise RuntimeFailure(f"an output of an unexpected type, {kind.value}")
        rows, columns, dtype = math.prod(shape[:-1]), shape[-1], np.dtype(_TYPES[kind.value])
        return cls(rows, columns, dtype, c_char * (rows * columns * dtype.itemsize))


def _rows(tensor: Owned, layout: _Layout, most: int | None) -> NDArray[np.float32]:
    """Return the last rows of a tensor, or all; they are its memory, not a copy."""
    data = c_void_p()
    api().call("OgaTensorGetData", tensor.pointer, byref(data))
    memory = layout.memory.from_address(data.value or 0)
    memory.owner = tensor  # the array holds the memory, and this its owner
    values = np.frombuffer(memory, layout.dtype).reshape(layout.rows, layout.columns)
    return values[-most if most else 0 :].astype(np.float32, copy=False)
