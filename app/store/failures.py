"""What the environment can do to the store, told apart from our own mistakes in one function."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from app.errors import (
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreReadOnly,
    WrongKey,
)

_NO_ROOM = frozenset({errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)})
_NOT_ALLOWED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


@contextmanager
def known_errors(
    path: Path,
    connection: apsw.Connection | None = None,
    *,
    passing: type[OSError] | tuple[()] = (),
) -> Iterator[None]:
    """Raise the environment's part of apsw's and the system's errors as `StoreError`.

    A wrong statement, a broken constraint or a misused thread is a bug and passes unchanged, and so
    does the one kind of `OSError` that the caller wants to see itself.
    """
    try:
        yield
    except passing:
        raise
    except apsw.Error as error:
        system_errno = connection.system_errno if connection is not None else 0
        known = _of_sqlite(error, system_errno, path)
        if known is None:
            raise
        raise known from error
    except OSError as error:
        raise _of_system(error.errno or 0, path) from error


def _of_sqlite(error: apsw.Error, system_errno: int, path: Path) -> StoreError | None:
    match error:
        case apsw.FullError():
            return StoreFull()
        case apsw.ReadOnlyError():
            return StoreReadOnly(folder=str(path.parent))
        case apsw.CantOpenError() | apsw.IOError():
            return _of_system(system_errno, path)
    by_kind = {
        apsw.BusyError: StoreBusy,
        apsw.LockedError: StoreBusy,
        apsw.CorruptError: StoreDamaged,
        apsw.NotADBError: WrongKey,
    }
    known = by_kind.get(type(error))
    return known() if known is not None else None


def _of_system(number: int, path: Path) -> StoreError:
    """Return the error for an errno; one that is unknown means a failing disk or a broken file."""
    if number in _NO_ROOM:
        return StoreFull()
    if number in _NOT_ALLOWED or not (_can_write(path.parent) and _can_write(path)):
        return StoreReadOnly(folder=str(path.parent))
    return StoreDamaged()


def _can_write(path: Path) -> bool:
    """Tell whether the system would allow it; what is not there is no reason against it."""
    is_effective = os.access in os.supports_effective_ids
    return not path.exists() or os.access(path, os.W_OK, effective_ids=is_effective)
