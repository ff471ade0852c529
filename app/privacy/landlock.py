"""Landlock: shuts the process into a few files that it may read.

Nothing else can be opened, listed, written or run, and no TCP port reached. What is open already
stays open. Needs no root. How much holds depends on the kernel: each version of Landlock knows more
rights, and only those that it knows can be asked for.
"""

import ctypes
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from app.privacy import linux

# The same numbers on every machine.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION = 1
_PATH_BENEATH = 1

_READ_FILE, _READ_FOLDER = 1 << 2, 1 << 3
_FIRST_FILE_RIGHTS = 13
# What the versions after the first added to the file rights: refer, truncate, device control.
_ADDED_FILE_RIGHTS = {2: 1, 3: 1, 5: 1}
_ALL_OF_TCP = 0b11  # to bind and to connect
_ALL_SCOPES = 0b11  # abstract UNIX sockets and signals of processes outside
_VERSION_WITH_TCP, _VERSION_WITH_SCOPES = 4, 6


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("file_rights", ctypes.c_uint64),
        ("network_rights", ctypes.c_uint64),
        ("scopes", ctypes.c_uint64),
    )


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("rights", ctypes.c_uint64), ("descriptor", ctypes.c_int32))


def version() -> int:
    """Return this kernel's version of Landlock, 0 where there is none or it is switched off."""
    size, flags = ctypes.c_size_t(0), ctypes.c_uint32(_ASK_VERSION)
    try:
        return linux.system_call(_CREATE_RULESET, None, size, flags)
    except OSError:
        return 0


def restrict(*, file: Path, folders: Iterable[Path]) -> None:
    """Allow reading one file and what lies in the folders; call only where `version` is above 0.

    Raises:
        OSError: `file` is not there, or the kernel refused.
    """
    rules, size_bytes = _ruleset(version())
    descriptor = linux.system_call(
        _CREATE_RULESET, ctypes.byref(rules), ctypes.c_size_t(size_bytes), ctypes.c_uint32(0)
    )
    try:
        _allow(descriptor, file, _READ_FILE)
        for folder in folders:
            if folder.is_dir():
                _allow(descriptor, folder, _READ_FILE | _READ_FOLDER)
        linux.give_up_privileges()
        linux.system_call(_RESTRICT_SELF, ctypes.c_int(descriptor), ctypes.c_uint32(0))
    finally:
        os.close(descriptor)


def _ruleset(known: int) -> tuple[_Ruleset, int]:
    """Return everything that version `known` can refuse, and the size of what it knows."""
    count = _FIRST_FILE_RIGHTS + sum(
        added for since, added in _ADDED_FILE_RIGHTS.items() if known >= since
    )
    rules = _Ruleset(file_rights=(1 << count) - 1)
    if known < _VERSION_WITH_TCP:
        return rules, _Ruleset.network_rights.offset
    rules.network_rights = _ALL_OF_TCP
    if known < _VERSION_WITH_SCOPES:
        return rules, _Ruleset.scopes.offset
    rules.scopes = _ALL_SCOPES
    return rules, ctypes.sizeof(_Ruleset)


def _allow(ruleset: int, path: Path, rights: int) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        # A right on a folder holds for everything in it.
        if not rights & _READ_FOLDER and stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise IsADirectoryError(str(path))
        rule = _PathBeneath(rights, descriptor)
        linux.system_call(
            _ADD_RULE,
            ctypes.c_int(ruleset),
            ctypes.c_int(_PATH_BENEATH),
            ctypes.byref(rule),
            ctypes.c_uint32(0),
        )
    finally:
        os.close(descriptor)
