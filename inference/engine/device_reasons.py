"""Why a device cannot run a model, from what the runtime said about it.

The runtime's text itself goes no further: it holds paths, and helps nobody who reads it.
"""

# Parts of a text, all of them lowercase and needed, to one clause about the device. First fit.
_REASONS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("compile-only",), "it is a virtual device, which runs nothing"),
    (("webgpu adapter",), "its driver is missing or lacks what WebGPU needs"),
    (("compiler", "loading failed"), "its driver lacks the compiler for models"),
    (("devices matched",), "it is no longer there"),
    (("not supported in this build",), "its plug-in finds no device that it supports"),
    (("not been built with",), "this runtime has no provider for it"),
    (("not compatible with",), "the model was prepared for another device"),
    (("interface not available",), "its libraries are missing"),
    (("failed to load", "provider"), "its provider cannot be loaded"),
    (("failed to load library",), "its libraries are missing"),
    (("failed to register",), "its plug-in cannot be loaded"),
)
_OTHERWISE = "its driver refused the model"


def reason(text: str) -> str:
    """Return the clause for a text of the runtime."""
    lowered = text.lower()
    for parts, clause in _REASONS:
        if all(part in lowered for part in parts):
            return clause
    return _OTHERWISE


def concerns_device(text: str) -> bool:
    """Return whether a text of the runtime is about a device and not about the model."""
    return reason(text) != _OTHERWISE
