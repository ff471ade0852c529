"""System calls of Linux that Python has no function for, by ctypes: no package, no root."""

import ctypes
import errno
import os

_SET_NO_NEW_PRIVILEGES = 38


def system_call(number: int, *arguments: object) -> int:
    """Make a system call; the arguments are ctypes values.

    Raises:
        OSError: The kernel refused.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    result = int(libc.syscall(ctypes.c_long(number), *arguments))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def give_up_privileges() -> None:
    """Promise that neither this process nor its children gain any; walls ask for it first.

    Raises:
        OSError: The kernel refused.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_SET_NO_NEW_PRIVILEGES, *map(ctypes.c_ulong, (1, 0, 0, 0))):
        code = ctypes.get_errno() or errno.ENOSYS
        raise OSError(code, os.strerror(code))
