"""The door to the network: every connection and look-up that is not local is refused and logged.

An audit hook sees what Python code does; installed first thing in every process, it catches our own
slips and those of Python libraries. It cannot see native code, nor the look-up of a name that is
handed straight to connect(), which the interpreter makes before it asks: for those the children
have `app.privacy.walls`. A hook cannot be taken back, so there is no switch here. What a person did
ask for runs in a process of its own: pip, which `record` enters before it starts, and the download
process, whose hook has a door from the beginning, and `permit` enters each host in the log before
it is asked.
"""

import errno
import ipaddress
import os
import socket
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.errors import PolicyError
from app.privacy.attempts import AttemptLog, NetworkAttempt, read_attempts
from app.privacy.door import Door
from inference.errors import Fact

# Children find the log by this; their own data folder is none of their business.
LOG_VARIABLE = "SNUG_NETWORK_LOG"

_WHAT = {
    "socket.connect": "connect",
    "socket.sendto": "send",
    "socket.sendmsg": "send",
    "socket.bind": "listen",
    "socket.getaddrinfo": "look-up",
    "socket.gethostbyname": "look-up",
    "socket.gethostbyaddr": "look-up",
    "socket.getnameinfo": "look-up",
}
_UNIX = getattr(socket, "AF_UNIX", None)
_INTERNET = (socket.AF_INET, socket.AF_INET6)
_TARGET_CHARACTERS = 253  # the longest name that a host can have


class ConnectionRefused(PolicyError, PermissionError):
    """A connection that Snug does not allow; libraries see an ordinary PermissionError.

    Facts: `what`, the host's name.
    """

    def __init__(self, **facts: Fact) -> None:
        super().__init__(**facts)
        self.errno = errno.EACCES
        self.strerror = os.strerror(errno.EACCES)

    def __str__(self) -> str:
        return f"Snug allows no network here: {self.facts.get('what', '')}"


@dataclass(slots=True)
class _State:
    log: AttemptLog | None = None
    is_watching: bool = False
    door: Door | None = None


_state = _State()


def watch(log: Path | None, *, process: str = "snug", has_door: bool = False) -> None:
    """Refuse everything that is not local, from now on and in the whole process.

    May be called again: the hook is installed once, and the latest `log` that is given is used.

    Args:
        log: Where attempts are kept; children that are started from here on keep them there too.
        process: What this process is for, as the log names it.
        has_door: Whether `permit` may let hosts through; counts in the first call only.
    """
    if log is not None:
        os.environ[LOG_VARIABLE] = str(log)
        _state.log = AttemptLog(log, process=process)
    if not _state.is_watching:
        _state.is_watching = True
        if has_door:
            _state.door = Door()
            # The hook sees what is looked up, and not what is found.
            socket.getaddrinfo = _state.door.remembering(socket.getaddrinfo)  # type: ignore[assignment]
        sys.addaudithook(_hook)


def inherited_log() -> Path | None:
    """Return the log of the process that started this one."""
    value = os.environ.get(LOG_VARIABLE)
    return Path(value) if value else None


def record(purpose: str, target: str, allowed: bool) -> None:
    """Enter an attempt in the log; does nothing where no log is kept or it cannot be written."""
    if _state.log is not None:
        _state.log.append(purpose, target[:_TARGET_CHARACTERS], allowed)


def permit(host: str, purpose: str) -> None:
    """Let this process reach `host` from now on, and enter that in the log first.

    Raises:
        PolicyError: This process has no door.
    """
    if _state.door is None:
        raise PolicyError(what=host)
    if not _state.door.lets_through("connect", host):
        record(purpose, host, True)
        _state.door.open(host)


def read_log(path: Path) -> list[NetworkAttempt]:
    """Return the attempts in the log and in the one before it, oldest first."""
    return read_attempts(path)


def _hook(
    event: str,
    arguments: tuple[Any, ...],
    # Bound here, because the hook outlives the module's names when the interpreter ends.
    watched: frozenset[str] = frozenset(_WHAT),
) -> None:
    if event in watched:
        _judge(event, arguments)


def _judge(event: str, arguments: tuple[Any, ...]) -> None:
    what = _WHAT[event]
    if what == "look-up":
        host = arguments[0]
    else:
        if arguments[1] is None:  # sendmsg on a connected socket: its connect has been judged
            return
        family = arguments[0].family
        if family == _UNIX:
            return
        host = arguments[1] if family in _INTERNET else f"family {int(family)}"
    if isinstance(host, tuple):
        host = host[0] if host else ""
    if isinstance(host, bytes | bytearray):
        host = host.decode("ascii", "replace")
    if is_local(host, is_listening=what == "listen"):
        return
    if _state.door is not None and _state.door.lets_through(what, str(host)):
        return
    record(what, str(host), False)
    raise ConnectionRefused(what=str(host)[:_TARGET_CHARACTERS])


def is_local(host: object, *, is_listening: bool = False) -> bool:
    """Tell whether a host is this machine by itself.

    No host means this machine to a look-up and to a connection, but every network that it is on
    to a socket that listens.
    """
    if host is None or host == "":
        return not is_listening
    if not isinstance(host, str):
        return False
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)
