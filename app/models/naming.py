"""Ids of models that people bring: short, readable, and a good folder name on every system."""

import re
from collections.abc import Container

_LONGEST = 48
_UNSAFE = re.compile(r"[^a-z0-9._-]+")
_DEVICE_NAMES = frozenset(
    ("con", "prn", "aux", "nul", *(f"{kind}{n}" for kind in ("com", "lpt") for n in range(10)))
)


def id_from(name: str) -> str:
    """Return an id made of `name`: lower-case letters, digits, `.`, `_` and `-`."""
    plain = _UNSAFE.sub("-", name.lower())[:_LONGEST].strip(".-_")
    if not plain or is_device_name(plain):
        return f"model-{plain}".rstrip("-")
    return plain


def unique(model_id: str, taken: Container[str]) -> str:
    """Return `model_id`, or the first of `model_id-2`, `model_id-3` … that is not taken."""
    candidate, count = model_id, 1
    while candidate in taken:
        count += 1
        candidate = f"{model_id}-{count}"
    return candidate


def is_device_name(name: str) -> bool:
    """Whether Windows keeps a name for a device, whatever follows a dot."""
    return name.split(".", 1)[0].strip().lower() in _DEVICE_NAMES
