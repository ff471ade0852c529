"""Frames: frozen dataclasses as JSON over a pipe.

JSON and not pickle, because a frame may come from a process that parses untrusted files, and a
decoder that trusts nothing: every field is checked against the annotation of the class it claims to
be, so a broken or hostile peer ends in one `BadFrame` and never in an attribute error far away.
"""

import json
import types
from collections.abc import Iterable
from dataclasses import asdict, fields, is_dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from inference.errors import BadFrame


class Codec:
    """Turns values of a closed set of frame classes into bytes and back.

    Fields may be str, int, float, bool, None, Literal, unions of these, dataclasses of them,
    `tuple[X, ...]` and `dict[str, X]`.
    """

    def __init__(self, classes: Iterable[type]) -> None:
        self._classes = {cls.__name__: cls for cls in classes}

    def encode(self, value: object) -> bytes:
        """Return one frame as UTF-8 JSON.

        Lone surrogates, which text from a file name can hold, become question marks.
        """
        if type(value).__name__ not in self._classes or not is_dataclass(value):
            raise TypeError(f"not a frame of this pipe: {type(value).__name__}")
        body = json.dumps({"type": type(value).__name__, **asdict(value)}, ensure_ascii=False)  # type: ignore[arg-type]
        return body.encode("utf-8", "replace")

    def decode(self, frame: bytes) -> Any:
        """Return the value in `frame`.

        Raises:
            BadFrame: It is not one of this pipe's frames, or a field has the wrong type.
        """
        try:
            body = json.loads(frame)
        except (ValueError, RecursionError) as error:
            raise BadFrame(reason="not JSON") from error
        if not isinstance(body, dict):
            raise BadFrame(reason="not an object")
        cls = self._classes.get(str(body.pop("type", "")))
        if cls is None:
            raise BadFrame(reason="unknown type")
        return _build(cls, body)


_HINTS: dict[type, dict[str, Any]] = {}


def _build(cls: type, body: dict[str, Any]) -> Any:
    if cls not in _HINTS:
        _HINTS[cls] = get_type_hints(cls)
    known = {field.name for field in fields(cls)}
    if unknown := body.keys() - known:
        raise BadFrame(reason=f"{cls.__name__}: unknown field {min(unknown)}")
    values = {
        name: _check(_HINTS[cls][name], item, f"{cls.__name__}.{name}")
        for name, item in body.items()
    }
    try:
        return cls(**values)
    except (TypeError, ValueError) as error:  # a field is missing, or the class refuses the value
        raise BadFrame(reason=f"{cls.__name__}: {type(error).__name__}") from error


def _check(hint: Any, item: Any, where: str) -> Any:
    origin = get_origin(hint)
    if origin is tuple:
        return _check_tuple(get_args(hint), item, where)
    if origin is dict:
        if not isinstance(item, dict):
            raise BadFrame(reason=where)
        return {key: _check(get_args(hint)[1], value, where) for key, value in item.items()}
    if origin in (Union, types.UnionType):
        return _check_union(get_args(hint), item, where)
    if origin is Literal:
        if item not in get_args(hint):
            raise BadFrame(reason=where)
        return item
    return _check_plain(hint, item, where)


def _check_tuple(args: tuple[Any, ...], item: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(item, list):
        raise BadFrame(reason=where)
    if len(args) == 2 and args[1] is Ellipsis:  # noqa: PLR2004 - tuple[X, ...]
        return tuple(_check(args[0], value, where) for value in item)
    if len(args) != len(item):
        raise BadFrame(reason=where)
    return tuple(_check(hint, value, where) for hint, value in zip(args, item, strict=True))


def _check_union(args: tuple[Any, ...], item: Any, where: str) -> Any:
    for hint in args:
        try:
            return _check(hint, item, where)
        except BadFrame:
            continue
    raise BadFrame(reason=where)


def _check_plain(hint: Any, item: Any, where: str) -> Any:
    if is_dataclass(hint) and isinstance(hint, type) and isinstance(item, dict):
        return _build(hint, item)
    if hint is type(None) and item is None:
        return None
    if hint is float and isinstance(item, int) and not isinstance(item, bool):
        return float(item)
    if isinstance(hint, type) and type(item) is hint:
        return item
    raise BadFrame(reason=where)
