"""`snug models compare`: models or devices on the same prompts and the same text."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from app import messages
from app.children import command
from app.cli.engine import add_load_options
from app.cli.output import Output
from app.documents.intake import Intake
from app.messages import readable_bytes
from app.models.comparing import Comparison
from app.models.comparing_values import (
    ANSWER_TOKENS,
    ComparisonReport,
    Contender,
    Measured,
    Trial,
)
from app.models.comparing_words import OFFICE_PROMPTS, names, sentences
from app.models.devices import DeviceService
from app.models.installed import InstalledModels
from app.models.task import Task
from app.paths import Paths
from app.settings import Settings
from inference import child
from inference.scoring_frames import MOST_TOKENS
from inference.types import Finished

Run = Callable[[argparse.Namespace, Paths, Output], int]

_FIGURE_WIDTH = 22
_NOTHING = "–"
_DIGITS = 4


def register(action: Callable[[str, Run, str], argparse.ArgumentParser]) -> None:
    """Add the verb."""
    parser = action("compare", run, "measure models or devices on the same prompts and text")
    parser.add_argument(
        "contenders",
        nargs="+",
        type=_contender,
        metavar="ID[@DEVICE]",
        help="an installed model, and where to run it: auto, cpu, gpu, npu or a device's name",
    )
    parser.add_argument(
        "--prompt",
        action="append",
        metavar="TEXT",
        help="ask this; may be given more than once (default: three prompts of an office)",
    )
    parser.add_argument(
        "--document",
        type=Path,
        metavar="FILE",
        help="measure how well each model foresees the beginning of this document",
    )
    parser.add_argument(
        "--answer-tokens",
        type=_count,
        default=ANSWER_TOKENS,
        metavar="N",
        help=f"the longest answer (default: {ANSWER_TOKENS})",
    )
    parser.add_argument(
        "--text-tokens",
        type=_count,
        default=MOST_TOKENS,
        metavar="N",
        help=f"how much of the document the first model reads (default: {MOST_TOKENS})",
    )
    add_load_options(parser)


def run(options: argparse.Namespace, places: Paths, output: Output) -> int:
    """Compare, and print what came of it; an interrupted comparison prints what it has."""
    installed = InstalledModels(places.models)
    settings = Settings.load(places.settings)
    for each in options.contenders:
        installed.get(each.model_id)  # before a document is read for it
    trial = Trial(
        prompts=tuple(options.prompt or OFFICE_PROMPTS),
        text=_read(options.document, output),
        context_tokens=options.context,
        answer_tokens=options.answer_tokens,
        text_tokens=options.text_tokens,
        accepts_memory=options.force,
    )
    devices = DeviceService(places, lambda verb: child.start(command(verb)))
    comparison = Comparison(
        lambda: child.start(command("host")), installed, lambda: settings, decide=devices.decide
    )
    latest: list[ComparisonReport] = []

    def show(report: ComparisonReport) -> None:
        latest[:] = [report]
        output.status(_status(report))

    try:
        comparison.run(options.contenders, trial, task=Task(), on_update=show)
    finally:
        devices.close()
        output.clear_status()
        if latest:
            _print(latest[0], output)
    return 1 if any(each.error is not None for each in latest[0].measured) else 0


def _contender(text: str) -> Contender:
    model_id, _, device = text.partition("@")
    if not model_id:
        raise ValueError
    return Contender(model_id, device or "auto")


def _count(text: str) -> int:
    number = int(text)
    if number < 2:  # noqa: PLR2004 - a speed is between two tokens, and a token is foreseen by one
        raise ValueError
    return number


def _read(document: Path | None, output: Output) -> str:
    if document is None:
        return ""
    output.status(f"Reading {document.name}…")
    read = Intake(
        lambda: child.start(command("document")), lambda: child.start(command("ocr"))
    ).read(document)
    return "\n\n".join(page.text for page in read.pages)


def _status(report: ComparisonReport) -> str:
    for name, each in zip(names(report.measured), report.measured, strict=True):
        if each.stage == "answering":
            begun = max(1, len(each.answers))
            return f"{name}: answer {begun} of {len(report.prompts)}"
        if each.stage == "scoring":
            return f"{name}: reading the document, {each.scored_share:.0%}"
        if each.stage in ("device", "loading"):
            return f"{name}: loading"
    return ""


def _print(report: ComparisonReport, output: Output) -> None:
    if output.as_json:
        output.result(_as_json(report))
        return
    named = list(zip(names(report.measured), report.measured, strict=True))
    _print_table(named, output)
    for name, each in named:
        if each.error is not None:
            notice = messages.describe(each.error)
            output.line(f"{name}: {notice.message} {notice.action}")
    _print_answers(report, [name for name, _ in named], output)
    if found := sentences(report):
        output.line()
        for sentence in found:
            output.line(sentence)


def _print_table(named: Sequence[tuple[str, Measured]], output: Output) -> None:
    width = max(_FIGURE_WIDTH, *(len(name) + 2 for name, _ in named))
    output.line(f"{'':<26}" + "".join(f"{name:>{width}}" for name, _ in named))
    rows: list[tuple[str, Callable[[Measured], str]]] = [
        ("quantization", lambda each: each.quantization or _NOTHING),
        ("on disk", lambda each: readable_bytes(each.disk_bytes)),
        ("device", lambda each: each.device.kind if each.device else _NOTHING),
        ("load, s", lambda each: _number(each.load_s, 2)),
        (
            "peak memory",
            lambda each: readable_bytes(each.peak_bytes) if each.peak_bytes else _NOTHING,
        ),
        ("reading, tokens/s", lambda each: _number(each.prefill_tokens_per_s, 0)),
        ("first token, s", lambda each: _number(each.ttft_s, 2)),
        ("writing, tokens/s", lambda each: _number(each.decode_tokens_per_s, 1)),
        ("writing, characters/s", lambda each: _number(each.characters_per_s, 0)),
        ("answers, tokens", lambda each: str(each.answer_tokens or _NOTHING)),
        ("text, bits per byte", lambda each: _scored(each, "bits_per_byte", 4)),
        ("text, perplexity", lambda each: _scored(each, "perplexity", 2)),
        ("text, tokens scored", lambda each: _scored(each, "scored_tokens", 0)),
    ]
    for title, figure in rows:
        cells = [figure(each) for _, each in named]
        if any(cell != _NOTHING for cell in cells):
            output.line(f"{title:<26}" + "".join(f"{cell:>{width}}" for cell in cells))


def _print_answers(report: ComparisonReport, named: Sequence[str], output: Output) -> None:
    for at, prompt in enumerate(report.prompts):
        said = [
            (name, each.answers[at])
            for name, each in zip(named, report.measured, strict=True)
            if len(each.answers) > at
        ]
        if not said:
            continue
        output.line(f"\n> {prompt}")
        texts = {answered.text.strip() for _, answered in said}
        if len(said) > 1 and len(texts) == 1:
            output.line(f"  [all the same]\n{_indented(said[0][1].text)}")
            continue
        for name, answered in said:
            output.line(f"  [{name}{_end(answered.finished)}]\n{_indented(answered.text)}")


def _end(finished: Finished | None) -> str:
    if finished is None:
        return ", not finished"
    cut = ", cut off" if finished.reason == "length" else ""
    return f", {finished.generated_tokens} tokens{cut}"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.strip().splitlines())


def _number(value: float, digits: int) -> str:
    return f"{value:,.{digits}f}" if value > 0 else _NOTHING


def _scored(each: Measured, figure: str, digits: int) -> str:
    return _NOTHING if each.scored is None else _number(getattr(each.scored, figure), digits)


def _as_json(report: ComparisonReport) -> dict[str, Any]:
    return {
        "context_tokens": report.context_tokens,
        "prompts": list(report.prompts),
        "contenders": [_measured_as_json(each) for each in report.measured],
        "differences": list(sentences(report)),
    }


def _measured_as_json(each: Measured) -> dict[str, Any]:
    plain = asdict(replace(each, error=None, scored=None, answers=()))
    for name in ("contender", "scored", "answers", "scored_share"):
        del plain[name]
    scored = each.scored
    return plain | {
        "id": each.contender.model_id,
        "wish": each.contender.device,
        "load_s": round(each.load_s, _DIGITS),
        "error": each.error.code if each.error is not None else "",
        "ttft_s": round(each.ttft_s, _DIGITS),
        "prefill_tokens_per_s": round(each.prefill_tokens_per_s, _DIGITS),
        "decode_tokens_per_s": round(each.decode_tokens_per_s, _DIGITS),
        "characters_per_s": round(each.characters_per_s, _DIGITS),
        "answer_tokens": each.answer_tokens,
        "answers": [
            {
                "text": answered.text,
                "thought": answered.thought,
                "finish_reason": answered.finished.reason if answered.finished else "",
                "tokens": answered.finished.generated_tokens if answered.finished else 0,
            }
            for answered in each.answers
        ],
        "text": None
        if scored is None
        else {
            "nll": scored.nll,
            "tokens": scored.scored_tokens,
            "bytes": scored.scored_bytes,
            "characters_read": scored.read_characters,
            "perplexity": round(scored.perplexity, _DIGITS),
            "bits_per_byte": round(scored.bits_per_byte, _DIGITS),
        },
    }
