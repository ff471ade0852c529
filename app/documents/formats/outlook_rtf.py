"""Unpacks the rich text of Outlook's messages, as [MS-OXRTFCP] describes it."""

import struct

from app.documents.formats.format import Budget, Damaged

_HEADER = struct.Struct("<4I")
_PACKED, _PLAIN = 0x75465A4C, 0x414C454D
_WINDOW_BYTES = 4096
_SHORTEST_MATCH = 2
_START = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern "
    b"\\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0"
    b"\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)


def unpack(packed: bytes, budget: Budget) -> bytes:
    """Return the RTF in `packed`.

    Raises:
        Damaged: It is not packed in this way.
        TooMuch: It unpacks to more than the budget has left.
    """
    if len(packed) < _HEADER.size:
        raise Damaged
    _, size_bytes, kind, _ = _HEADER.unpack_from(packed)
    body = packed[_HEADER.size :]
    # A byte of input gives 17 at most, so a size that lies promises nothing.
    budget.take_bytes(min(size_bytes, 17 * len(body)))
    if kind == _PLAIN:
        return body[:size_bytes]
    if kind != _PACKED:
        raise Damaged
    return _unpacked(body, size_bytes)


def _unpacked(body: bytes, size_bytes: int) -> bytes:
    window = bytearray(_WINDOW_BYTES)
    window[: len(_START)] = _START
    write = len(_START)
    text = bytearray()
    at = 0
    while at < len(body) and len(text) < size_bytes:
        flags = body[at]
        at += 1
        for bit in range(8):
            if not flags >> bit & 1:
                found = body[at : at + 1]
                at += 1
            else:
                pair = int.from_bytes(body[at : at + 2], "big")
                at += 2
                offset, length = pair >> 4, (pair & 0xF) + _SHORTEST_MATCH
                if offset == write % _WINDOW_BYTES:
                    return bytes(text)
                found = _copied(window, offset, length, write)
            for byte in found:
                window[write % _WINDOW_BYTES] = byte
                write += 1
            text += found
            if at >= len(body):
                break
    return bytes(text[:size_bytes])


def _copied(window: bytearray, offset: int, length: int, write: int) -> bytes:
    """Return `length` bytes from `offset` on; a match may run into what it writes itself."""
    copied = bytearray()
    distance = (write - offset) % _WINDOW_BYTES
    for index in range(length):
        place = index - distance
        is_new = 0 <= place < len(copied) and distance <= index
        copied.append(copied[place] if is_new else window[(offset + index) % _WINDOW_BYTES])
    return bytes(copied)
