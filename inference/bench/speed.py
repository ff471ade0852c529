"""Speed of prompts and answers through the path the window uses, beside others on the same machine.

Beside us, in turn: the runtime's own bare loop in the same host, and where it is asked for the same
file in llama.cpp. They take turns in every round, so that a machine that is busy for a moment slows
all; what is reported are medians, and the median of the rounds' own ratios.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from inference.bench.asking import Asker, Timed
from inference.bench.bandwidth import read_bandwidth
from inference.bench.peer import LlamaCpp, PeerRun
from inference.bench.report import BenchReport, BenchResult, LoadResult
from inference.bench.traffic import weight_bytes
from inference.client import EngineClient
from inference.stream import Stream
from inference.types import BareMeasured, ChatMessage, Loaded

PREFILL_TOKENS = (128, 512, 2048)
DECODE_TOKENS = (128, 2048)

_QUICK_TOKENS = 128
_QUICK_NEW_TOKENS = 32


@dataclass(frozen=True, slots=True)
class Reload:
    """How to load the model again, and where it lies.

    Attributes:
        load: Loads it in the client and returns what the host said; blocks.
    """

    folder: Path
    load: Callable[[], Loaded]


@dataclass(frozen=True, slots=True)
class _Round:
    ours: Timed
    bare: BareMeasured
    peer: PeerRun | None


def run_bench(
    client: EngineClient,
    *,
    on_status: Callable[[str], None] = lambda _text: None,
    rounds: int = 3,
    new_tokens: int = 64,
    prompt_tokens: Sequence[int] = PREFILL_TOKENS,
    reload: Reload | None = None,
    peer: LlamaCpp | None = None,
) -> BenchReport:
    """Measure the model that is loaded, or about to be; blocks for a minute or more.

    Args:
        client: Nothing else may use it meanwhile.
        on_status: Told what is going on.
        rounds: How often each size is measured.
        new_tokens: Length of each answer.
        prompt_tokens: The sizes; those that do not fit are left out.
        reload: For loads with warm files and the share of the machine's bandwidth; None leaves
            them out.
        peer: The same file in llama.cpp, with the same threads.

    Raises:
        InferenceError: The model cannot be loaded or run.
    """
    asker = Asker(client)
    first = asker.fit()
    sizes = [size for size in prompt_tokens if size + 2 * new_tokens < first.context_tokens]
    load = _measure_loads(reload, peer, rounds, on_status) if reload else None
    peak_bytes = 0
    for size in sizes:
        on_status(f"warm-up, {size} tokens")
        peak_bytes = _ours(asker, size, new_tokens).finished.peak_bytes
    found: dict[int, list[_Round]] = {size: [] for size in sizes}
    bandwidths: list[tuple[float, float]] = []
    for number in range(rounds):
        for size in sizes:
            on_status(f"round {number + 1} of {rounds}, {size} tokens")
            found[size].append(_round(asker, size, new_tokens, peer))
        if reload is not None:
            on_status("memory bandwidth")
            bandwidths.append((read_bandwidth(1), read_bandwidth(first.threads)))
    traffic = _Traffic.of(reload, first, bandwidths)
    results = [_prefill(size, found[size]) for size in sizes]
    results += [
        _decode(size, found[size], new_tokens, traffic) for size in DECODE_TOKENS if size in found
    ]
    shortest = next(iter(found.values()), [])
    return BenchReport(
        device=first.device,
        threads=first.threads,
        versions=first.versions | ({"llama-cpp-python": peer.version} if peer else {}),
        load_s=first.load_s,
        ttft_s=median(each.ours.first_s for each in shortest) if shortest else 0.0,
        peak_bytes=peak_bytes,
        results=tuple(results),
        load=load,
        weight_bytes=traffic.weight_bytes,
        kv_token_bytes=traffic.kv_token_bytes,
        read_bytes_per_s=traffic.read_bytes_per_s,
    )


def quick(
    client: EngineClient, *, on_status: Callable[[str], None] = lambda _text: None
) -> BenchReport:
    """Measure one short prompt and answer: about ten seconds with a model of a gigabyte.

    Raises:
        InferenceError: The model cannot be loaded or run.
    """
    return run_bench(
        client,
        on_status=on_status,
        rounds=1,
        new_tokens=_QUICK_NEW_TOKENS,
        prompt_tokens=(_QUICK_TOKENS,),
    )


@dataclass(frozen=True, slots=True)
class _Traffic:
    """What a token reads, and what the machine can read."""

    weight_bytes: int = 0
    kv_token_bytes: int = 0
    read_bytes_per_s: tuple[float, float] = (0.0, 0.0)

    @classmethod
    def of(
        cls, reload: Reload | None, loaded: Loaded, bandwidths: list[tuple[float, float]]
    ) -> "_Traffic":
        if reload is None or not bandwidths:
            return cls()
        one, all_ = zip(*bandwidths, strict=True)
        read = (median(one), median(all_))
        return cls(weight_bytes(reload.folder), loaded.kv_token_bytes, read)

    def share(self, tokens_per_s: float, past_tokens: int) -> float | None:
        """Return how much of the bandwidth such a speed behind so many tokens takes."""
        limit = max(self.read_bytes_per_s)
        read_bytes = self.weight_bytes + self.kv_token_bytes * past_tokens
        return read_bytes * tokens_per_s / limit if limit else None


def _measure_loads(
    reload: Reload, peer: LlamaCpp | None, rounds: int, on_status: Callable[[str], None]
) -> LoadResult:
    ours, others = [], []
    for number in range(rounds):
        on_status(f"load {number + 1} of {rounds}")
        ours.append(reload.load().load_s)
        if peer is not None:
            others.append(peer.load())
    if not others:
        return LoadResult(median(ours))
    ratio = median(our / other for our, other in zip(ours, others, strict=True))
    return LoadResult(median(ours), median(others), ratio)


def _round(asker: Asker, size: int, new_tokens: int, peer: LlamaCpp | None) -> _Round:
    ours = _ours(asker, size, new_tokens)
    read_tokens = ours.finished.prompt_tokens
    stream = Stream()
    asker.client.bare_run(read_tokens, new_tokens, sink=stream.put)
    bare = stream.wait()
    assert isinstance(bare, BareMeasured)  # noqa: S101 - how every bare run ends
    return _Round(ours, bare, peer.run(read_tokens, new_tokens) if peer else None)


def _ours(asker: Asker, size: int, new_tokens: int) -> Timed:
    message = ChatMessage("user", asker.text(size))
    with asker.session() as session_id:
        return asker.ask(session_id, (message,), new_tokens=new_tokens)


def _prefill(size: int, rounds: list[_Round]) -> BenchResult:
    tokens = rounds[0].ours.finished.prompt_tokens
    ours = [each.ours.finished.prefill_s for each in rounds]
    bare = [each.bare.prefill_s for each in rounds]
    others = [each.peer.prefill_s for each in rounds if each.peer]
    return _result(f"prefill@{size}", tokens, ours, bare, others)


def _decode(size: int, rounds: list[_Round], new_tokens: int, traffic: _Traffic) -> BenchResult:
    tokens = new_tokens - 1
    ours = [each.ours.decode_s for each in rounds]
    bare = [each.bare.decode_s for each in rounds]
    others = [each.peer.decode_s for each in rounds if each.peer]
    share = traffic.share(tokens / median(ours), size + new_tokens // 2)
    return _result(f"decode@{size}", tokens, ours, bare, others, share=share)


def _result(
    name: str,
    tokens: int,
    ours: list[float],
    bare: list[float],
    others: list[float],
    *,
    share: float | None = None,
) -> BenchResult:
    """Make a result of the seconds of each round."""
    return BenchResult(
        name=name,
        tokens_per_s=tokens / median(ours),
        bare_tokens_per_s=tokens / median(bare),
        ratio=_ratio(bare, ours),
        llama_cpp_tokens_per_s=tokens / median(others) if others else None,
        ratio_llama_cpp=_ratio(others, ours) if others else None,
        bandwidth_share=share,
    )


def _ratio(others: list[float], ours: list[float]) -> float:
    return median(other / our for other, our in zip(others, ours, strict=True))
