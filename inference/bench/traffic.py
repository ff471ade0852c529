"""How many bytes of weights a token reads, from the graph of a model folder.

Only the list of its tensors is looked at. Read once for every token are all but those of which a
token looks up a row: the embedding, unless it serves as output as well, and the rotary tables.
"""

from collections.abc import Iterator
from pathlib import Path

from inference.errors import ModelDamaged

_GRAPH_FILE = "model.onnx"
_LOOKED_UP = ("embedding", "cosines", "sines")
_OUTPUT = "output."

# Fields of ONNX's messages.
_GRAPH, _INITIALIZER, _NAME, _EXTERNAL, _KEY, _VALUE = 7, 5, 8, 13, 1, 2
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_WIDTHS = {_FIXED64: 8, _FIXED32: 4}


def weight_bytes(folder: Path) -> int:
    """Return the bytes of weights that computing one token reads.

    Raises:
        ModelDamaged: The graph cannot be read.
    """
    try:
        sizes = dict(_external_sizes((folder / _GRAPH_FILE).read_bytes()))
    except (OSError, ValueError, IndexError, KeyError) as error:
        raise ModelDamaged(file=_GRAPH_FILE, reason="it cannot be read") from error
    has_output = any(name.startswith(_OUTPUT) for name in sizes)
    skipped = _LOOKED_UP if has_output else _LOOKED_UP[1:]
    return sum(size for name, size in sizes.items() if not name.startswith(skipped))


def _external_sizes(model: bytes) -> Iterator[tuple[str, int]]:
    for number, graph in _fields(model):
        if number != _GRAPH:
            continue
        for kind, tensor in _fields(graph):
            if kind == _INITIALIZER:
                yield from _external_size(tensor)


def _external_size(tensor: bytes) -> Iterator[tuple[str, int]]:
    name, length = "", 0
    for number, body in _fields(tensor):
        if number == _NAME:
            name = body.decode()
        elif number == _EXTERNAL:
            entry = dict(_fields(body))
            if entry[_KEY] == b"length":
                length = int(entry[_VALUE])
    if length:
        yield name, length


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Give the fields of a message that hold bytes."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        kind = tag & 7
        if kind == _BYTES:
            length, at = _varint(message, at)
            yield tag >> 3, message[at : at + length]
            at += length
        elif kind == _VARINT:
            _, at = _varint(message, at)
        else:
            at += _WIDTHS[kind]


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:  # noqa: PLR2004 - the bit that says that more follows
            return value, at
        shift += 7
