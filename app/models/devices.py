"""Which device runs a model: found, tried once in a process of its own, and remembered."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from app.children import Verb
from app.models import device_bench
from app.models.device_trust import DeviceTrust, Entry
from app.models.device_values import Decision, DeviceBench, DeviceReport
from app.models.installed import InstalledModel
from app.paths import Paths
from inference import devices, plugins, probe, threads, trial
from inference.child import Child
from inference.devices import DeviceFound
from inference.errors import Cancelled, InferenceError
from inference.plugins import Plugin
from inference.probe import Discovery
from inference.trial import TryDevice, Verdict
from inference.types import DeviceTarget

_Status = Callable[[str], None]


class DeviceService:
    """Knows this computer's devices; any thread but the GUI's, for every method may block.

    Args:
        launch: Starts one of Snug's own child processes.
        installed: Says which plug-ins there are.
        limits_s: Seconds that each stage of a trial may take.
        probe_limit_s: Seconds that listing the devices may take.
        measure_s: Seconds for which a trial measures the speed.
    """

    def __init__(
        self,
        paths: Paths,
        launch: Callable[[Verb], Child],
        *,
        installed: Callable[[], Sequence[Plugin]] = plugins.installed,
        limits_s: Mapping[trial.Step, float] = trial.LIMITS_S,
        probe_limit_s: float = probe.LIMIT_S,
        measure_s: float = trial.MEASURE_S,
    ) -> None:
        self._launch = launch
        self._installed = installed
        self._limits_s = limits_s
        self._probe_limit_s = probe_limit_s
        self._measure_s = measure_s
        self._trust = DeviceTrust(paths.devices)
        # One trial at a time: two would measure each other.
        self._trying = threading.RLock()
        self._discovery: Discovery | None = None
        self._processors: dict[str, Verdict] = {}
        self._children: list[Child] = []
        self._is_closed = False

    def reports(self) -> tuple[DeviceReport, ...]:
        """Look for the devices and return them, best first, and plug-ins that failed at the end."""
        found = self._look()
        reports = [self._report(each) for each in found.devices]
        return (*reports, *(_failed_plugin(*each) for each in found.failures.items()))

    def decide(self, model: InstalledModel, wish: str) -> Decision:
        """Return the device that `model` shall run on, trying those that nobody knows yet.

        At once where there is only the processor; else up to some minutes for the first time.

        Args:
            model: What shall run.
            wish: A `DeviceWish`, or the exact name of a device.
        """
        processor = devices.processor_target()
        if wish in ("cpu", processor.name):
            return Decision(processor)
        with self._trying:
            found = self._discovery or self._look()
            candidates = [each for each in found.devices if _fits(each, wish)]
            reasons: list[str] = []
            for each in candidates:
                try:
                    verdict = self._verdict(model, each)
                except (InferenceError, OSError):
                    return Decision(processor)  # the load will say what is wrong with the model
                if verdict.reason:
                    reasons.append(_cannot(each.target, verdict.reason))
                elif wish == "auto" and verdict.tokens_per_s < self._processor_speed(model):
                    reasons.append(f"it answers faster than the {each.target.kind.upper()} here")
                else:
                    return Decision(each.target, "; ".join(reasons))
            if not reasons:
                reasons = _reasons_without(found, wish)
        return Decision(processor, "; ".join(dict.fromkeys(reasons)))

    def retry(self, target: DeviceTarget) -> None:
        """Forget what is known of a device; the next `decide` tries it."""
        self._trust.forget(target.provider, target.name)

    def distrust(self, model: InstalledModel, target: DeviceTarget, reason: str) -> None:
        """Note that a device failed in earnest, with a clause about it that says how."""
        for each in (self._discovery or self._look()).devices:
            if each.target == target:
                self._trust.note(replace(_entry(model.id, each), reason=reason))

    def test(self, model: InstalledModel, target: DeviceTarget, on_status: _Status) -> DeviceReport:
        """Try a device with a model, whatever is known, and measure its speed.

        Args:
            model: What to try it with.
            target: One of those that `reports` named.
            on_status: Called with each stage that begins, an `inference.trial.Step`.

        Raises:
            InferenceError: The model itself cannot be run.
            OSError: No process can be started.
        """
        with self._trying:
            known = (self._discovery or self._look()).devices
            found = next((each for each in known if each.target == target), DeviceFound(target))
            if target.provider == devices.CPU_PROVIDER:
                self._processors.pop(model.id, None)
                self._processor(model, on_status)
            else:
                self._try(model, found, on_status)
            return self._report(found, model.id)

    def measure(
        self, model: InstalledModel, target: DeviceTarget, on_status: _Status
    ) -> DeviceBench:
        """Measure how fast a model reads and writes on a device; see `device_bench.measure`."""
        with self._trying:
            return device_bench.measure(partial(self._start, "host"), model, target, on_status)

    def close(self) -> None:
        """End what runs; it says nothing of the device that it was about."""
        self._is_closed = True
        for each in tuple(self._children):
            each.kill()

    def _start(self, verb: Verb) -> Child:
        self._children = [each for each in self._children if each.exit_code() is None]
        self._children.append(child := self._launch(verb))
        if self._is_closed:
            child.kill()
        return child

    def _look(self) -> Discovery:
        self._discovery = probe.find(
            partial(self._start, "probe"), self._installed, limit_s=self._probe_limit_s
        )
        return self._discovery

    def _report(self, found: DeviceFound, model_id: str = "") -> DeviceReport:
        """Return what is known of a device: with one model, or the latest with any."""
        report = DeviceReport(
            found.target,
            is_virtual=found.target.is_virtual,
            is_software=found.is_software,
            memory_bytes=found.memory_bytes,
            plugin=found.plugin,
        )
        wanted = _entry(model_id, found)
        entries = [
            each
            for each in self._trust.entries()
            if each.key == replace(wanted, model_id=model_id or each.model_id).key
        ]
        if entries:
            last = entries[-1]
            return replace(
                report,
                state="failed" if last.reason else "works",
                reason=last.reason,
                tokens_per_s=last.tokens_per_s,
            )
        is_processor = found.target.provider == devices.CPU_PROVIDER
        return replace(report, state="works") if is_processor else report

    def _verdict(self, model: InstalledModel, found: DeviceFound) -> Entry:
        """Return what is known of a device with a model, after a trial where nothing is."""
        known = self._trust.find(_entry(model.id, found))
        return known or self._try(model, found)

    def _try(
        self, model: InstalledModel, found: DeviceFound, on_status: _Status = lambda _step: None
    ) -> Entry:
        expected = self._processor(model).places
        verdict = self._run(TryDevice(str(model.folder), found.target, expected), on_status)
        entry = replace(
            _entry(model.id, found), reason=verdict.reason, tokens_per_s=verdict.tokens_per_s
        )
        self._trust.note(entry)
        return entry

    def _processor(self, model: InstalledModel, on_status: _Status = lambda _step: None) -> Verdict:
        """Return what the processor computes with the model, which is what others must compute."""
        if model.id not in self._processors:
            target = devices.processor_target()
            verdict = self._run(TryDevice(str(model.folder), target), on_status)
            if verdict.reason:
                raise InferenceError(kind="ProcessorFailed")
            self._processors[model.id] = verdict
            entry = _entry(model.id, DeviceFound(target))
            self._trust.note(replace(entry, tokens_per_s=verdict.tokens_per_s))
        return self._processors[model.id]

    def _processor_speed(self, model: InstalledModel) -> float:
        known = self._trust.find(_entry(model.id, DeviceFound(devices.processor_target())))
        return known.tokens_per_s if known else self._processor(model).tokens_per_s

    def _run(self, task: TryDevice, on_status: _Status) -> Verdict:
        task = replace(
            task,
            threads=threads.model_threads(),
            decode_s=self._measure_s,
        )
        launch = partial(self._start, "trial")
        verdict = trial.run(launch, task, on_stage=on_status, limits_s=self._limits_s)
        if self._is_closed:
            raise Cancelled
        return verdict


def _entry(model_id: str, found: DeviceFound) -> Entry:
    target = found.target
    parts = filter(None, (found.plugin, plugins.runtime_version()))
    return Entry(target.provider, " with ".join(parts), target.driver, target.name, model_id)


def _fits(found: DeviceFound, wish: str) -> bool:
    """Say whether a wish may end at a device; what is not real only by its name or a switch."""
    target = found.target
    if target.provider == devices.CPU_PROVIDER:
        return False
    if wish == target.name:
        return True
    switch = devices.allows_virtual if target.is_virtual else devices.allows_software
    is_allowed = found.is_real or switch()
    return is_allowed and target.kind != "cpu" and wish in ("auto", target.kind)


def _cannot(target: DeviceTarget, reason: str) -> str:
    return f"the {target.kind.upper()} cannot be used: {reason}"


def _reasons_without(found: Discovery, wish: str) -> list[str]:
    """Return why there was no device to try."""
    failed = [f"the plug-in {name} {what}" for name, what in found.failures.items()]
    if failed or wish == "auto":
        return failed
    return [devices.unmet(wish) or f"there is no device named {wish}"]


def _failed_plugin(name: str, what: str) -> DeviceReport:
    target = DeviceTarget("gpu", name.partition(" ")[0], name)
    return DeviceReport(target, state="failed", reason=f"its plug-in {what}", plugin=name)
