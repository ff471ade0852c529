"""Whether a catalog model runs well on this machine, said before anything is fetched."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from app.models.catalog import CatalogEntry
from app.models.room import SPARE_BYTES, free_bytes

Verdict = Literal["fits", "tight", "too_big"]
Limit = Literal["memory", "disk", ""]

# A conversation of some pages; a longer one takes more memory as it grows.
_CONTEXT_TOKENS = 4096
# The runtime repacks weights while it loads them; beside them stands the host itself.
_LOADING_SHARE = 1.25
_RUNTIME_BYTES = 300_000_000
# What the operating system and the other programs of an office keep for themselves.
_SHARE_FOR_US = 0.75


@dataclass(frozen=True, slots=True)
class Machine:
    """What this machine has: `memory_free_bytes` can be had without swapping."""

    memory_total_bytes: int
    memory_free_bytes: int
    disk_free_bytes: int


@dataclass(frozen=True, slots=True)
class Fit:
    """A verdict with the numbers it rests on.

    Attributes:
        verdict: `tight` runs when other programs are closed; `too_big` does not run well at all.
        limit: What is short; empty where nothing is.
        memory_needed_bytes: Weights, a conversation of some pages, and the runtime.
        disk_needed_bytes: While it is being added; less stays.
    """

    verdict: Verdict
    limit: Limit
    memory_needed_bytes: int
    disk_needed_bytes: int
    machine: Machine


def look(folder: Path) -> Machine:
    """Return what is there now; `folder` is where models are kept."""
    import psutil  # noqa: PLC0415 - the window must not wait for it at its start

    memory = psutil.virtual_memory()
    return Machine(memory.total, memory.available, free_bytes(folder))


def memory_needed_bytes(disk_bytes: int, *, kv_token_bytes: int, context_tokens: int) -> int:
    """Return what the host takes at most with a model and one conversation that fills its window.

    Args:
        disk_bytes: Size of the model's folder.
        kv_token_bytes: Memory that one token of context takes.
        context_tokens: The context window.
    """
    return int(disk_bytes * _LOADING_SHARE) + _RUNTIME_BYTES + kv_token_bytes * context_tokens


def judge(entry: CatalogEntry, machine: Machine) -> Fit:
    """Return how well `entry` fits `machine`."""
    memory_bytes = memory_needed_bytes(
        entry.disk_bytes,
        kv_token_bytes=entry.kv_bytes_per_token,
        context_tokens=min(entry.context_tokens, _CONTEXT_TOKENS),
    )
    disk_bytes = entry.file_bytes + entry.disk_bytes + SPARE_BYTES
    verdict: Verdict = "fits"
    limit: Limit = ""
    if memory_bytes > machine.memory_total_bytes * _SHARE_FOR_US:
        verdict, limit = "too_big", "memory"
    elif disk_bytes > machine.disk_free_bytes:
        verdict, limit = "too_big", "disk"
    elif memory_bytes > machine.memory_free_bytes:
        verdict, limit = "tight", "memory"
    return Fit(verdict, limit, memory_bytes, disk_bytes, machine)
