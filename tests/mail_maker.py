"""Makes small e-mail messages, as programs of mail send them."""

import base64
from collections.abc import Sequence

HEAD = (
    "From: =?utf-8?q?J=C3=BCrgen_M?= <j@example.org>\n"
    "To: Ann <ann@example.org>, =?iso-8859-7?q?=CC=E1=F1=DF=E1?= <m@example.org>\n"
    "Date: Tue, 3 Mar 2026 14:05:00 +0100\n"
    "Subject: =?utf-8?b?R3LDvMOfZQ==?=\n"
    "MIME-Version: 1.0\n"
)
_BORDER = "=_border"


def mail(part: bytes, head: str = HEAD) -> bytes:
    """Return a message whose body is `part`."""
    return head.encode("latin-1") + part


def part(kind: str, content: str | bytes, *headers: str) -> bytes:
    """Return a part of a message with its own headers; `kind` is its content type.

    Bytes are sent as base64, text as it is.
    """
    is_text = isinstance(content, str)
    data = content.encode() if isinstance(content, str) else base64.encodebytes(content)
    encoding = "8bit" if is_text else "base64"
    lines = [f"Content-Type: {kind}", f"Content-Transfer-Encoding: {encoding}", *headers]
    return "\n".join(lines).encode("latin-1") + b"\n\n" + data


def multipart(kind: str, parts: Sequence[bytes], depth: int = 0) -> bytes:
    """Return several parts as one; parts inside of parts need another `depth`."""
    border = f"{_BORDER}{depth}"
    head = f'Content-Type: multipart/{kind}; boundary="{border}"\n\n'.encode()
    return (
        head
        + b"".join(f"\n--{border}\n".encode() + each for each in parts)
        + (f"\n--{border}--\n".encode())
    )


def attached(name: str) -> str:
    """Return the header of an attachment."""
    return f'Content-Disposition: attachment; filename="{name}"'
