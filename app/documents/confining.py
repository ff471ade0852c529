"""Shuts a document process in: so much memory, and one file that it may read."""

from pathlib import Path

from app.privacy import walls

try:
    import resource
except ImportError:  # Windows has no such limit; the parent watches the memory there
    resource = None  # type: ignore[assignment]


def confine(only: Path, address_bytes: int) -> None:
    """Close the walls round this process, for good; whatever it needs has to be imported by then.

    Args:
        only: The file that may be read.
        address_bytes: Its address space from here on, where the system can limit it.

    Raises:
        OSError: There is no such file.
        PolicyError: The kernel knows a wall and refuses to build it.
    """
    if resource is not None:
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        soft = address_bytes if hard == resource.RLIM_INFINITY else min(address_bytes, hard)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    walls.only_file(only)
