"""What an ONNX file names beside itself: files with weights, and domains of operators.

A tiny reader of protobuf's wire format (protobuf.dev, "Encoding") that walks only the messages in
which such a name can stand (`onnx.proto` of ONNX 1.23). The file is mapped and weights in it are
passed over, so neither its size nor what it says of itself decides how much memory is taken. It is
stricter than the runtime's parser: where two readers could differ, the file is refused.
"""

import mmap
import re
from dataclasses import dataclass, field
from pathlib import Path

from inference.errors import ModelDamaged, ModelMissing, ModelUnsupported
from inference.gguf.cursor import shown

KNOWN_DOMAINS = frozenset(
    (
        "",
        "ai.onnx",
        "ai.onnx.ml",
        "com.microsoft",
        "com.microsoft.nchwc",
        "com.ms.internal.nhwc",
    )
)
"""Domains of operators that ONNX Runtime has itself; every other one needs a library."""

_LARGEST_BYTES = 1 << 31  # protobuf has no larger messages
_MOST_FIELDS = 1_000_000
_MOST_NODES = 100_000
_MOST_WAITING = 200_000
_MOST_FILES = 256
_MOST_DOMAINS = 64
_MOST_ENTRIES = 8
_MOST_DIMENSIONS = 64
_DEEPEST = 32
_LONGEST_TEXT_BYTES = 4096
_MOST_VARINT_BYTES = 10
_FIRST_TAG, _TAGS_END = 1 << 3, 1 << 32
_MORE = 0x80
_VARINT, _EIGHT_BYTES, _LENGTH, _FOUR_BYTES = 0, 1, 2, 5

_MESSAGES: dict[str, dict[int, str]] = {
    "model": {7: "graph", 25: "function"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "function": {7: "node", 11: "attribute"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
    "tensor": {13: "entry"},
    "entry": {},
}
_TEXTS: dict[str, dict[int, str]] = {
    "function": {10: "domain"},
    "node": {4: "operator", 7: "domain"},
    "entry": {1: "key", 2: "value"},
}
_DIMENSIONS, _ELEMENT_TYPE = 1, 2
_BITS = {
    **dict.fromkeys((1, 6, 12), 32),
    **dict.fromkeys((2, 3, 9, 17, 18, 19, 20, 24), 8),
    **dict.fromkeys((4, 5, 10, 16), 16),
    **dict.fromkeys((7, 11, 13, 14), 64),
    15: 128,
    **dict.fromkeys((21, 22, 23), 4),
    **dict.fromkeys((25, 26), 2),
}
_ENTRY_KEYS = ("location", "offset", "length", "checksum")
_NUMBER = re.compile(r"[0-9]{1,18}")
_COMPILED = "EPContext"


@dataclass(frozen=True, slots=True)
class GraphFacts:
    """What an ONNX file names.

    Attributes:
        external_bytes: Files with weights by the name in the ONNX file, which is not checked yet;
            each must have at least so many bytes.
        nodes: How many operators it has, in subgraphs and functions too.
    """

    external_bytes: dict[str, int]
    nodes: int


def read(path: Path) -> GraphFacts:
    """Return what an ONNX file names; milliseconds for a language model, at most a few seconds.

    Raises:
        ModelMissing: It cannot be opened.
        ModelDamaged: It is no ONNX file, or what it says of itself cannot be true.
        ModelUnsupported: It needs a library of its own, or was compiled for one device.
    """
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as body:
            return _Walk(body, path.name).facts()
    except ValueError as error:
        raise ModelDamaged(file=path.name, reason="it is empty") from error
    except OSError as error:
        raise ModelMissing(model=path.name) from error


@dataclass
class _Message:
    """What was found so far in one message, which ends at `end`."""

    kind: str
    end: int
    depth: int
    texts: dict[str, str] = field(default_factory=dict)
    dimensions: list[int] = field(default_factory=list)
    element_type: int = 0
    entries: list[dict[str, str]] = field(default_factory=list)


class _Walk:
    """One pass over a file, with a list of messages yet to be looked into and no recursion."""

    def __init__(self, body: mmap.mmap | bytes, file_name: str) -> None:
        self._body = body
        self._file_name = file_name
        self._at = 0
        self._fields = 0
        self._nodes = 0
        self._domains: dict[str, str] = {}
        self._own_domains: set[str] = set()
        self._external: dict[str, int] = {}
        self._waiting: list[tuple[str, int, int, int]] = []

    def facts(self) -> GraphFacts:
        if len(self._body) >= _LARGEST_BYTES:
            raise self._damaged("it is too large")
        self._scan("model", 0, len(self._body), 0)
        if not any(kind == "graph" for kind, *_ in self._waiting):
            raise self._damaged("there is no graph in it")
        while self._waiting:
            self._scan(*self._waiting.pop())
        for domain, operator in self._domains.items():
            if domain not in KNOWN_DOMAINS | self._own_domains:
                raise ModelUnsupported(what=f"operator {shown(operator)} of {shown(domain)}")
        return GraphFacts(self._external, self._nodes)

    def _scan(self, kind: str, start: int, end: int, depth: int) -> _Message:
        """Read the fields of one message; the messages in it are put on the list."""
        if depth > _DEEPEST:
            raise self._damaged("it is nested too deeply")
        message, below, texts = _Message(kind, end, depth), _MESSAGES[kind], _TEXTS.get(kind, {})
        self._at = start
        while self._at < end:
            number, wire = self._tag(end)
            if wire != _LENGTH:
                self._number(message, number, wire)
                continue
            begin = self._skip(self._varint(end), end)
            if number in below:
                self._found(message, below[number], begin)
            elif number in texts:
                message.texts[texts[number]] = self._text(begin)
            elif kind == "tensor" and number == _DIMENSIONS:
                self._dimensions(message, begin)
        self._finish(message)
        return message

    def _found(self, message: _Message, kind: str, begin: int) -> None:
        end = self._at
        if kind == "entry":
            if len(message.entries) == _MOST_ENTRIES:
                raise self._damaged("weights outside it have too many keys")
            message.entries.append(self._scan(kind, begin, end, message.depth + 1).texts)
            self._at = end
            return
        self._nodes += kind == "node"
        if self._nodes > _MOST_NODES or len(self._waiting) == _MOST_WAITING:
            raise self._damaged("it has too many operators")
        self._waiting.append((kind, begin, end, message.depth + 1))

    def _number(self, message: _Message, number: int, wire: int) -> None:
        if wire == _VARINT:
            value = self._varint(message.end)
            if message.kind == "tensor" and number == _DIMENSIONS:
                self._add_dimension(message, value)
            elif message.kind == "tensor" and number == _ELEMENT_TYPE:
                message.element_type = value
        elif wire in (_EIGHT_BYTES, _FOUR_BYTES):
            self._skip(8 if wire == _EIGHT_BYTES else 4, message.end)
        else:
            raise self._damaged("it has a field of an unknown kind")

    def _finish(self, message: _Message) -> None:
        if message.kind == "node":
            operator = message.texts.get("operator", "")
            if operator == _COMPILED:
                raise ModelUnsupported(what="a graph that was compiled for one device")
            self._domains.setdefault(message.texts.get("domain", ""), operator)
            if len(self._domains) > _MOST_DOMAINS:
                raise self._damaged("its operators are of too many domains")
        elif message.kind == "function":
            self._own_domains.add(message.texts.get("domain", ""))
        elif message.kind == "tensor" and message.entries:
            self._outside(message)

    def _outside(self, tensor: _Message) -> None:
        """Note where the weights of a tensor are that are not in this file."""
        said: dict[str, str] = {}
        for entry in tensor.entries:
            key = entry.get("key", "")
            if key not in _ENTRY_KEYS or key in said:
                raise self._damaged(f"weights have an unknown or doubled key: {shown(key)}")
            said[key] = entry.get("value", "")
        location = said.get("location", "")
        offset, length = (self._count(said.get(key, "0")) for key in ("offset", "length"))
        end = offset + max(length, self._length_bytes(tensor))
        self._external[location] = max(end, self._external.get(location, 0))
        if len(self._external) > _MOST_FILES:
            raise self._damaged("its weights are in too many files")

    def _length_bytes(self, tensor: _Message) -> int:
        """Return how many bytes the weights of a tensor take."""
        bits = _BITS.get(tensor.element_type)
        if bits is None:
            raise self._damaged("weights outside it have an unknown type")
        for dimension in tensor.dimensions:
            bits *= dimension
            if bits >> 63:
                raise self._damaged("weights outside it have an impossible shape")
        return -(-bits // 8)

    def _count(self, text: str) -> int:
        if not _NUMBER.fullmatch(text):
            raise self._damaged("weights outside it have an impossible place")
        return int(text)

    def _tag(self, end: int) -> tuple[int, int]:
        self._fields += 1
        if self._fields > _MOST_FIELDS:
            raise self._damaged("it has too many fields")
        tag = self._varint(end)
        if not _FIRST_TAG <= tag < _TAGS_END:
            raise self._damaged("it has a field without a number")
        return tag >> 3, tag & 7

    def _varint(self, end: int) -> int:
        value = shift = 0
        for at in range(self._at, min(end, self._at + _MOST_VARINT_BYTES)):
            byte = self._body[at]
            value |= (byte & 0x7F) << shift
            if byte < _MORE:
                self._at = at + 1
                return value & (1 << 64) - 1
            shift += 7
        raise self._damaged("a number in it does not end")

    def _skip(self, length: int, end: int) -> int:
        """Move past `length` bytes and return where they begin."""
        start = self._at
        if length > end - start:
            raise self._damaged("it ends too early")
        self._at = start + length
        return start

    def _text(self, start: int) -> str:
        if self._at - start > _LONGEST_TEXT_BYTES:
            raise self._damaged("a name in it is too long")
        try:
            return self._body[start : self._at].decode()
        except UnicodeDecodeError as error:
            raise self._damaged("a name in it is not UTF-8") from error

    def _dimensions(self, message: _Message, begin: int) -> None:
        """Read the dimensions that stand one after the other up to where the reader is."""
        end, self._at = self._at, begin
        while self._at < end:
            self._add_dimension(message, self._varint(end))

    def _add_dimension(self, message: _Message, dimension: int) -> None:
        if len(message.dimensions) == _MOST_DIMENSIONS:
            raise self._damaged("a tensor in it has too many dimensions")
        message.dimensions.append(dimension)

    def _damaged(self, reason: str) -> ModelDamaged:
        return ModelDamaged(file=self._file_name, reason=reason)
