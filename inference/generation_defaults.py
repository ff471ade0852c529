"""How a model's own files say that its answers want to be drawn."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from inference.types import Sampling

FILE_NAME = "generation_config.json"
_RUNTIME_NAME = "genai_config.json"
_NAMES: Final = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")
_WHOLE: Final = frozenset({"top_k"})
# A runtime's converter writes these where nobody said anything.
_UNSAID: Final = {"temperature": 1.0, "top_p": 1.0, "top_k": 50, "repetition_penalty": 1.0}


def read(folder: Path) -> Sampling:
    """Return Snug's own defaults, with what the model's files say in their place.

    A value that cannot be meant is passed over, and so is a file that cannot be read.
    """
    sampling = Sampling()
    search = _object(_object(_read(folder / _RUNTIME_NAME)).get("search"))
    if search.get("do_sample") is not True:
        search = {name: value for name, value in search.items() if _UNSAID.get(name) != value}
    own = _object(_read(folder / FILE_NAME))
    sampling = _with(_with(sampling, search), own)
    # Only a model's own file says it on purpose; to a runtime it is a default.
    return replace(sampling, temperature=0.0) if own.get("do_sample") is False else sampling


def _with(sampling: Sampling, said: Mapping[str, Any]) -> Sampling:
    for name in _NAMES:
        value = said.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        if name in _WHOLE and not float(value).is_integer():
            continue
        known: dict[str, Any] = {name: int(value) if name in _WHOLE else float(value)}
        try:
            sampling = replace(sampling, **known)
        except ValueError:
            continue
    return sampling


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _read(file: Path) -> object:
    try:
        return json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
