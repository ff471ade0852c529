"""The few lines of protobuf's wire format that an ONNX file needs."""

import struct


def varint(number: int) -> bytes:
    """Return `number` in groups of seven bits; a negative one as its 64-bit two's complement."""
    number &= (1 << 64) - 1
    out = bytearray()
    while rest := number >> 7:
        out.append(number & 0x7F | 0x80)
        number = rest
    out.append(number)
    return bytes(out)


def integer(field: int, number: int) -> bytes:
    """Return an integer field."""
    return varint(field << 3) + varint(number)


def real(field: int, number: float) -> bytes:
    """Return a 32-bit floating-point field."""
    return varint(field << 3 | 5) + struct.pack("<f", number)


def message(field: int, *parts: bytes) -> bytes:
    """Return a field that holds another message, or bytes."""
    return varint(field << 3 | 2) + varint(sum(map(len, parts))) + b"".join(parts)


def text(field: int, string: str) -> bytes:
    """Return a string field."""
    return message(field, string.encode())
