"""Whether a model runs well on this machine and how fast, said before anything is fetched.

The speed is that of the processor, which writes an answer as fast as it reads the weights: a token
reads each of them once, and what stands in the cache of the conversation as well. A speed that was
measured with the model itself is always taken before the expected one.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from app.models.bandwidth import Bandwidth
from app.models.catalog import CatalogEntry
from app.models.hub.values import Variant
from app.models.hub_catalog import HubEntry
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
# The part of the memory's bandwidth that writing reaches: measured on models of 0.1 to 1.5 billion
# weights with one and two threads, beside the bandwidth itself.
_LEAST_SHARE, _MOST_SHARE = 0.60, 0.80
# What a step takes apart from reading, with some 30 layers: this bounds the small models.
_LEAST_STEP_S, _MOST_STEP_S = 0.002, 0.004
# Where a model has a table for its input alone, a token reads one row of it.
_LEAST_READ_SHARE = 0.86
_SPEED_TOKENS = 512
# Of a model that nobody described; those that are keep a byte a token for each 3,600 to 50,000
# bytes of weights.
_KV_SHARE = 1 / 15_000


@dataclass(frozen=True, slots=True)
class Machine:
    """What this machine has.

    Attributes:
        memory_free_bytes: Can be had without swapping.
        bandwidth_bytes_per_s: What it reads from memory in a second; 0 where nobody measured it.
    """

    memory_total_bytes: int
    memory_free_bytes: int
    disk_free_bytes: int
    bandwidth_bytes_per_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Speed:
    """Tokens a second that a model writes, between two bounds; both are one where it is measured.

    Attributes:
        is_measured: With the model itself on this machine, not reckoned from the bandwidth.
    """

    least: float
    most: float
    is_measured: bool = False


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
    speed: Speed | None = None

    @property
    def tokens_per_s(self) -> float | None:
        """The middle of the speed's bounds; None where it is not known."""
        return (self.speed.least + self.speed.most) / 2 if self.speed else None


@dataclass(frozen=True, slots=True)
class Needs:
    """What a model takes, as far as it is known.

    Attributes:
        weights_bytes: The folder that is loaded.
        disk_bytes: While it is being added.
        context_tokens: Of the conversation that the memory is reckoned for.
        kv_bytes_per_token: Memory that one token of context takes; 0 where nobody said.
    """

    weights_bytes: int
    disk_bytes: int
    context_tokens: int = _CONTEXT_TOKENS
    kv_bytes_per_token: int = 0


def look(folder: Path, bandwidth: Bandwidth | None = None) -> Machine:
    """Return what is there now; not on the GUI thread.

    Args:
        folder: Where models are kept.
        bandwidth: Knows how fast memory is read, or measures it once; None leaves that out.
    """
    import psutil  # noqa: PLC0415 - the window must not wait for it at its start

    memory = psutil.virtual_memory()
    bytes_per_s = bandwidth.bytes_per_s() if bandwidth else 0.0
    return Machine(memory.total, memory.available, free_bytes(folder), bytes_per_s)


def memory_needed_bytes(disk_bytes: int, *, kv_token_bytes: int, context_tokens: int) -> int:
    """Return what the host takes at most with a model and one conversation that fills its window.

    Args:
        disk_bytes: Size of the model's folder.
        kv_token_bytes: Memory that one token of context takes.
        context_tokens: The context window.
    """
    return int(disk_bytes * _LOADING_SHARE) + _RUNTIME_BYTES + kv_token_bytes * context_tokens


def judge(entry: CatalogEntry, machine: Machine, measured_tokens_per_s: float = 0.0) -> Fit:
    """Return how well a model of the catalog fits `machine`; arguments as `judge_needs`."""
    needs = Needs(
        weights_bytes=entry.disk_bytes,
        disk_bytes=entry.file_bytes + entry.disk_bytes,
        context_tokens=min(entry.context_tokens, _CONTEXT_TOKENS),
        kv_bytes_per_token=entry.kv_bytes_per_token,
    )
    return judge_needs(needs, machine, measured_tokens_per_s)


def judge_hub(
    entry: HubEntry,
    machine: Machine,
    context_tokens: int = _CONTEXT_TOKENS,
    measured_tokens_per_s: float = 0.0,
) -> Fit:
    """Return how well a model of a hub fits `machine`, by about what its weights take.

    The hub says exactly, once it is asked: then `judge_needs` with its numbers.
    """
    needs = Needs(
        weights_bytes=entry.about_bytes,
        disk_bytes=entry.about_bytes,
        context_tokens=min(entry.context_tokens, context_tokens),
        kv_bytes_per_token=entry.kv_bytes_per_token,
    )
    return judge_needs(needs, machine, measured_tokens_per_s)


def judge_variant(variant: Variant, machine: Machine, *, kv_bytes_per_token: int = 0) -> Fit:
    """Return how well a variant fits `machine`, by the sizes that the hub said."""
    # A GGUF file and what is made of it lie beside each other for a while.
    copies = 2 if variant.kind == "gguf" else 1
    needs = Needs(
        weights_bytes=variant.bytes,
        disk_bytes=copies * variant.bytes,
        kv_bytes_per_token=kv_bytes_per_token,
    )
    return judge_needs(needs, machine)


def judge_needs(needs: Needs, machine: Machine, measured_tokens_per_s: float = 0.0) -> Fit:
    """Return how well a model with these needs fits `machine`.

    Args:
        needs: Of the model.
        machine: See `look`.
        measured_tokens_per_s: How fast it wrote here; 0 where it never did.
    """
    kv_token_bytes = needs.kv_bytes_per_token or int(needs.weights_bytes * _KV_SHARE)
    memory_bytes = memory_needed_bytes(
        needs.weights_bytes, kv_token_bytes=kv_token_bytes, context_tokens=needs.context_tokens
    )
    disk_bytes = needs.disk_bytes + SPARE_BYTES
    verdict: Verdict = "fits"
    limit: Limit = ""
    if memory_bytes > machine.memory_total_bytes * _SHARE_FOR_US:
        verdict, limit = "too_big", "memory"
    elif disk_bytes > machine.disk_free_bytes:
        verdict, limit = "too_big", "disk"
    elif memory_bytes > machine.memory_free_bytes:
        verdict, limit = "tight", "memory"
    if measured_tokens_per_s > 0:
        speed: Speed | None = Speed(measured_tokens_per_s, measured_tokens_per_s, is_measured=True)
    elif (verdict, limit) == ("too_big", "memory"):
        speed = None  # it would swap, and that has no speed worth a number
    else:
        speed = _expected(
            needs.weights_bytes, kv_token_bytes * _SPEED_TOKENS, machine.bandwidth_bytes_per_s
        )
    return Fit(verdict, limit, memory_bytes, disk_bytes, machine, speed)


def _expected(weights_bytes: int, kv_bytes: int, bytes_per_s: float) -> Speed | None:
    """Return the bounds of the speed of writing, behind a page of conversation."""
    if bytes_per_s <= 0:
        return None
    longest_s = (weights_bytes + kv_bytes) / (bytes_per_s * _LEAST_SHARE) + _MOST_STEP_S
    read_bytes = weights_bytes * _LEAST_READ_SHARE + kv_bytes
    shortest_s = read_bytes / (bytes_per_s * _MOST_SHARE) + _LEAST_STEP_S
    return Speed(1 / longest_s, 1 / shortest_s)
