"""Brings up the loopback of a new network namespace and becomes the command that follows.

    unshare --net python packaging/without_network.py COMMAND …

Linux only; needs no tool to be installed. A namespace starts with its loopback down, and what
talks to itself would fail there. The rights that bring it up are given back, so that a person who
may not write somewhere still may not.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct
import sys

_GET_FLAGS, _SET_FLAGS = 0x8913, 0x8914
_UP = 1
_AMBIENT, _CLEAR_ALL = 47, 4  # of prctl(2)
_REQUEST = "16sH22x"  # struct ifreq: the interface's name and its flags


def main() -> None:
    """Bring up the loopback, then run the command in place of this process."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        answer = fcntl.ioctl(handle, _GET_FLAGS, struct.pack(_REQUEST, b"lo", 0))
        _, flags = struct.unpack(_REQUEST, answer)
        fcntl.ioctl(handle, _SET_FLAGS, struct.pack(_REQUEST, b"lo", flags | _UP))
    ctypes.CDLL(None).prctl(_AMBIENT, *map(ctypes.c_ulong, (_CLEAR_ALL, 0, 0, 0)))
    os.execvp(sys.argv[1], sys.argv[1:])  # noqa: S606 - that is what it is for


if __name__ == "__main__":
    main()
