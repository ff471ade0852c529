"""A seccomp filter that refuses sockets to the process, its threads and its children.

What was installed cannot be taken back and survives execve(2). The program is classic BPF over
`struct seccomp_data`. socket(2) fails with EACCES, so that a library sees an ordinary refusal;
pipes and socketpair(2) go on working. Ways around it fail with EPERM: a ring of io_uring opens
sockets behind a filter's back, and a process of the same user could be traced, written to or robbed
of an open socket. A system call of a foreign ABI, whose numbers mean something else, ends the
process.
"""

import ctypes
import errno
import platform
import struct
from dataclasses import dataclass

from app.privacy import linux

_SET_MODE_FILTER = 1
_ALL_THREADS = 1  # SECCOMP_FILTER_FLAG_TSYNC

_RETURN_KILL_PROCESS = 0x80000000
_RETURN_ERRNO = 0x00050000
_RETURN_ALLOW = 0x7FFF0000

_UNIX_FAMILY = 1

# Offsets in struct seccomp_data; of the first argument the low half, on little-endian machines.
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16

_LOAD, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06

# Numbers from here on are x32's on x86_64, and nobody's elsewhere.
_FOREIGN_NUMBERS = 0x40000000


@dataclass(frozen=True, slots=True)
class _Machine:
    """System call numbers, and the kernel's AUDIT_ARCH constant."""

    architecture: int
    socket: int
    seccomp: int
    ptrace: int
    process_vm_readv: int
    process_vm_writev: int
    # The same number on every machine, as all that came after 2019.
    io_uring_setup: int = 425
    pidfd_getfd: int = 438

    @property
    def ways_around(self) -> tuple[int, ...]:
        return (
            self.io_uring_setup,
            self.pidfd_getfd,
            self.ptrace,
            self.process_vm_readv,
            self.process_vm_writev,
        )


_MACHINES = {
    "x86_64": _Machine(0xC000003E, 41, 317, 101, 310, 311),
    "aarch64": _Machine(0xC00000B7, 198, 277, 117, 270, 271),
}


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def install(*, keep_unix: bool) -> None:
    """Install the filter in every thread of this process.

    Args:
        keep_unix: Whether UNIX sockets still work; a name service may listen on one.

    Raises:
        OSError: The kernel refused, or this machine's numbers are not known.
    """
    machine = _MACHINES.get(platform.machine())
    if machine is None:
        raise OSError(errno.ENOSYS, "no filter for this machine")
    instructions = _instructions(machine, keep_unix=keep_unix)
    buffer = ctypes.create_string_buffer(b"".join(instructions))
    program = _Program(len(instructions), ctypes.cast(buffer, ctypes.c_void_p))
    linux.give_up_privileges()
    thread_id = linux.system_call(
        machine.seccomp,
        ctypes.c_uint(_SET_MODE_FILTER),
        ctypes.c_uint(_ALL_THREADS),
        ctypes.byref(program),
    )
    if thread_id:
        raise OSError(errno.EBUSY, "a thread has a filter of its own")


def _instructions(machine: _Machine, *, keep_unix: bool) -> list[bytes]:
    """Return the filter; a jump counts the instructions to leave out if true, and if false."""
    program = [
        _instruction(_LOAD, _ARCHITECTURE),
        _instruction(_IF_EQUAL, machine.architecture, 1, 0),
        _instruction(_RETURN, _RETURN_KILL_PROCESS),
        _instruction(_LOAD, _NUMBER),
        _instruction(_IF_AT_LEAST, _FOREIGN_NUMBERS, 0, 1),
        _instruction(_RETURN, _RETURN_KILL_PROCESS),
    ]
    for number in machine.ways_around:
        program += [
            _instruction(_IF_EQUAL, number, 0, 1),
            _instruction(_RETURN, _RETURN_ERRNO | errno.EPERM),
        ]
    program += [
        _instruction(_IF_EQUAL, machine.socket, 1, 0),
        _instruction(_RETURN, _RETURN_ALLOW),
    ]
    if keep_unix:
        program += [
            _instruction(_LOAD, _FIRST_ARGUMENT),
            _instruction(_IF_EQUAL, _UNIX_FAMILY, 0, 1),
            _instruction(_RETURN, _RETURN_ALLOW),
        ]
    program.append(_instruction(_RETURN, _RETURN_ERRNO | errno.EACCES))
    return program


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)
