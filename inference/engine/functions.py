"""The functions of ONNX Runtime GenAI's C API that the engine uses, each declared once."""

import ctypes
import weakref
from collections.abc import Callable, Sequence
from ctypes import (
    POINTER,
    byref,
    c_bool,
    c_char_p,
    c_double,
    c_int32,
    c_int64,
    c_size_t,
    c_void_p,
)
from functools import cache
from typing import Any, Final

from inference.engine import library

_OBJECT = POINTER(c_void_p)
IDS = POINTER(c_int32)

# Functions that return nothing or an error; the others are declared one by one.
_CHECKED: Final[dict[str, Sequence[Any]]] = {
    "OgaConfigAppendProvider": (c_void_p, c_char_p),
    "OgaConfigClearProviders": (c_void_p,),
    "OgaConfigOverlay": (c_void_p, c_char_p),
    "OgaConfigSetProviderOption": (c_void_p, c_char_p, c_char_p, c_char_p),
    "OgaCreateConfig": (c_char_p, _OBJECT),
    "OgaCreateGenerator": (c_void_p, c_void_p, _OBJECT),
    "OgaCreateGeneratorParams": (c_void_p, _OBJECT),
    "OgaCreateModelFromConfig": (c_void_p, _OBJECT),
    "OgaCreateTensorFromBuffer": (c_void_p, POINTER(c_int64), c_size_t, c_int32, _OBJECT),
    "OgaGeneratorParamsSetSearchBool": (c_void_p, c_char_p, c_bool),
    "OgaGeneratorParamsSetSearchNumber": (c_void_p, c_char_p, c_double),
    "OgaGenerator_AppendTokens": (c_void_p, IDS, c_size_t),
    "OgaGenerator_GenerateNextToken": (c_void_p,),
    "OgaGenerator_GetLogits": (c_void_p, _OBJECT),
    "OgaGenerator_GetNextTokens": (c_void_p, POINTER(IDS), POINTER(c_size_t)),
    "OgaGenerator_GetOutput": (c_void_p, c_char_p, _OBJECT),
    "OgaGenerator_RewindTo": (c_void_p, c_size_t),
    "OgaGenerator_SetLogits": (c_void_p, c_void_p),
    "OgaGenerator_SetRuntimeOption": (c_void_p, c_char_p, c_char_p),
    "OgaModelGetDeviceType": (c_void_p, POINTER(c_void_p)),
    "OgaTensorGetData": (c_void_p, POINTER(c_void_p)),
    "OgaTensorGetShape": (c_void_p, POINTER(c_int64), c_size_t),
    "OgaTensorGetShapeRank": (c_void_p, POINTER(c_size_t)),
    "OgaTensorGetType": (c_void_p, POINTER(c_int32)),
}
_DESTROYERS: Final = (
    "OgaDestroyConfig",
    "OgaDestroyGenerator",
    "OgaDestroyGeneratorParams",
    "OgaDestroyModel",
    "OgaDestroyString",
    "OgaDestroyTensor",
)
_TELEMETRY: Final = "OgaSetTelemetryEnabled"  # not in 0.13


class RuntimeFailure(Exception):
    """What the runtime said when it refused; the text may hold paths, so it goes no further."""


class Api:
    """The loaded library and its functions, each declared once."""

    def __init__(self, native: ctypes.CDLL) -> None:
        self._functions: dict[str, Any] = {}
        self._native = native
        self._error: Any = self._declare("OgaResultGetError", (c_void_p,), c_char_p)
        self._drop_result: Any = self._declare("OgaDestroyResult", (c_void_p,), None)
        for name, arguments in _CHECKED.items():
            self._declare(name, arguments, c_void_p)
        for name in _DESTROYERS:
            self._declare(name, (c_void_p,), None)
        # Before any other object, so that it runs after all of them have gone.
        weakref.finalize(self, self._declare("OgaShutdown", (), None))
        if hasattr(native, _TELEMETRY):
            self._declare(_TELEMETRY, (c_bool,), None)(False)

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function that may fail.

        Raises:
            RuntimeFailure: It failed.
        """
        result = self._functions[name](*arguments)
        if result:
            text = (self._error(result) or b"").decode("utf-8", "replace")
            self._drop_result(result)
            raise RuntimeFailure(text)

    def make(self, name: str, *arguments: Any) -> c_void_p:
        """Call a function whose last argument is the new object, and return that.

        Raises:
            RuntimeFailure: It failed.
        """
        made = c_void_p()
        self.call(name, *arguments, byref(made))
        return made

    def function(self, name: str) -> Callable[..., Any]:
        """Return a function that cannot fail."""
        found: Callable[..., Any] = self._functions[name]
        return found

    def _declare(self, name: str, arguments: Sequence[Any], returns: Any) -> Any:
        function = getattr(self._native, name)
        function.argtypes = list(arguments)
        function.restype = returns
        self._functions[name] = function
        return function


@cache
def api() -> Api:
    """Return the library, loaded when it is first asked for.

    Raises:
        InferenceError: It is not installed.
    """
    return Api(library.load())
