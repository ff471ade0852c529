"""`snug devices`: what this computer could run a model on, and what trials found out about it."""

import argparse
from typing import Any

from app.children import command
from app.cli.output import Output
from app.errors import DeviceUnknown
from app.models.device_values import DeviceReport
from app.models.devices import DeviceService
from app.models.installed import InstalledModel, InstalledModels
from app.paths import Paths
from app.settings import Settings
from inference import child
from inference.errors import ModelNotLoaded

_STAGES = {
    "register": "starting its driver",
    "load": "loading the model",
    "cache": "making room",
    "prefill": "reading",
    "first_token": "answering",
    "decode": "measuring",
}


def register(subparsers: Any) -> None:
    """Add the verb."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "devices",
        help="list what can run a model",
        description="List the devices of this computer, best first, and what is known of each.",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--test", action="store_true", help="try each device with a model and measure its speed"
    )
    parser.add_argument(
        "--retry", metavar="NAME", help="forget that a device failed, and try it again"
    )
    parser.add_argument("--model", metavar="ID", help="the model to try devices with")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, places: Paths, output: Output) -> int:
    """List the devices, after the trials that were asked for."""
    service = DeviceService(places, lambda verb: child.start(command(verb)))
    output.status("Looking for devices…")
    reports = service.reports()
    if options.retry or options.test:
        wanted = [_named(reports, options.retry)] if options.retry else list(reports)
        model = _model(places, options.model)
        tested = {id(each): _test(service, model, each, output) for each in wanted}
        reports = tuple(tested.get(id(each), each) for each in reports)
    output.clear_status()
    if output.as_json:
        output.result({"devices": [_as_json(report) for report in reports]})
        return 0
    for report in reports:
        output.line(_as_line(report))
    return 0


def _named(reports: tuple[DeviceReport, ...], name: str) -> DeviceReport:
    for report in reports:
        if report.target.name.casefold() == name.casefold():
            return report
    raise DeviceUnknown(device=name)


def _model(places: Paths, model_id: str | None) -> InstalledModel:
    installed = InstalledModels(places.models)
    if model_id:
        return installed.get(model_id)
    model = installed.default(Settings.load(places.settings))
    if model is None:
        raise ModelNotLoaded
    return model


def _test(
    service: DeviceService, model: InstalledModel, report: DeviceReport, output: Output
) -> DeviceReport:
    """Try a device, unless its plug-in cannot even be asked."""
    name = report.target.name
    if report.state == "failed" and not report.target.library and report.plugin:
        return report
    return service.test(
        model, report.target, lambda stage: output.status(f"{name}: {_STAGES.get(stage, stage)}…")
    )


def _as_json(report: DeviceReport) -> dict[str, Any]:
    target = report.target
    return {
        "kind": target.kind,
        "name": target.name,
        "vendor": target.vendor,
        "provider": target.provider,
        "plugin": report.plugin,
        "driver": target.driver,
        "memory_bytes": report.memory_bytes,
        "state": report.state,
        "reason": report.reason,
        "tokens_per_s": round(report.tokens_per_s, 2),
        "is_virtual": report.is_virtual,
        "is_software": report.is_software,
    }


def _as_line(report: DeviceReport) -> str:
    target = report.target
    speed = f", {report.tokens_per_s:.1f} tokens/s" if report.tokens_per_s else ""
    state = {
        "works": f"works{speed}",
        "untested": "not tried yet",
        "failed": f"failed: {report.reason}",
    }[report.state]
    driver = f" [{target.driver}]" if target.driver else ""
    return f"{target.kind.upper():4} {target.name}{driver}: {state}"
