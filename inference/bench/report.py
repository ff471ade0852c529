"""What a measurement of speed found."""

from dataclasses import dataclass

from inference.types import DeviceChoice


@dataclass(frozen=True, slots=True)
class BenchResult:
    """One measurement, such as decode@128.

    Attributes:
        bare_tokens_per_s: The runtime's own loop on the same model in the same host.
        ratio: Ours by bare; the median of the rounds' own ratios, as all ratios here.
        llama_cpp_tokens_per_s: The same file in llama.cpp; None where it was not asked for.
        ratio_llama_cpp: Ours by llama.cpp.
        bandwidth_share: Bytes that a second's tokens read, by those that the machine can read; None
            for prompts, whose tokens share the reading.
    """

    name: str
    tokens_per_s: float
    bare_tokens_per_s: float
    ratio: float
    llama_cpp_tokens_per_s: float | None = None
    ratio_llama_cpp: float | None = None
    bandwidth_share: float | None = None


@dataclass(frozen=True, slots=True)
class LoadResult:
    """Loading with the files in memory, median; the first load is in `BenchReport.load_s`.

    Attributes:
        ratio_llama_cpp: Our seconds by llama.cpp's: below 1 is faster.
    """

    load_s: float
    llama_cpp_load_s: float | None = None
    ratio_llama_cpp: float | None = None


@dataclass(frozen=True, slots=True)
class BenchReport:
    """What a machine does with a model.

    Attributes:
        load_s: The load before the measurement.
        ttft_s: From the request to its first text, with the shortest prompt and nothing cached.
        peak_bytes: The host's largest resident memory before any bare loop ran.
        load: Further loads, where there were any.
        weight_bytes: Weights that a token reads.
        kv_token_bytes: What every token before it adds to that.
        read_bytes_per_s: What the machine reads with one thread, and with as many as the model
            has; the larger one is the bound.
    """

    device: DeviceChoice
    threads: int
    versions: dict[str, str]
    load_s: float
    ttft_s: float
    peak_bytes: int
    results: tuple[BenchResult, ...]
    load: LoadResult | None = None
    weight_bytes: int = 0
    kv_token_bytes: int = 0
    read_bytes_per_s: tuple[float, float] = (0.0, 0.0)
