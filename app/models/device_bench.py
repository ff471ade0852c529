"""How fast a model is on one device: a short prompt and a short answer, in a host of their own."""

from collections.abc import Callable
from contextlib import closing

from app.models.device_values import DeviceBench
from app.models.installed import InstalledModel
from inference.bench.report import BenchReport
from inference.bench.speed import Reload, run_bench
from inference.child import Child
from inference.client import EngineClient
from inference.errors import InferenceError
from inference.stream import Stream
from inference.types import DeviceTarget, Loaded

_PROMPT_TOKENS = 128
_ANSWER_TOKENS = 32


def measure(
    launch: Callable[[], Child],
    model: InstalledModel,
    target: DeviceTarget,
    on_status: Callable[[str], None],
) -> DeviceBench:
    """Measure `model` on `target`; blocks for ten seconds and more.

    Args:
        launch: Starts a host.
        model: What to measure with.
        target: Where.
        on_status: Called with what begins; what it raises ends the measurement.

    Raises:
        InferenceError: The model cannot be loaded there, or not be run.
    """
    with closing(EngineClient(launch)) as client:

        def load() -> Loaded:
            stream = Stream()
            client.load(model.folder, sink=stream.put, target=target)
            loaded = stream.wait()
            if not isinstance(loaded, Loaded) or loaded.device.provider != target.provider:
                raise InferenceError(kind="OtherDevice")
            return loaded

        load()
        is_processor = target.kind == "cpu"
        report = run_bench(
            client,
            on_status=on_status,
            rounds=1,
            new_tokens=_ANSWER_TOKENS,
            prompt_tokens=(_PROMPT_TOKENS,),
            reload=Reload(model.folder, load) if is_processor else None,
        )
    return _of(report)


def _of(report: BenchReport) -> DeviceBench:
    results = {result.name.partition("@")[0]: result for result in report.results}
    prefill, decode = results.get("prefill"), results.get("decode")
    return DeviceBench(
        prefill_tokens_per_s=prefill.tokens_per_s if prefill else 0.0,
        decode_tokens_per_s=decode.tokens_per_s if decode else 0.0,
        peak_bytes=report.peak_bytes,
        bandwidth_share=decode.bandwidth_share if decode else None,
    )
