"""What `snug bench` found, as tables for people."""

from typing import Any

from app.cli.output import Output
from app.messages import readable_bytes

_GIGA = 1e9
_TITLES = {
    "follow_up_short_s": "follow-up of 24 tokens after 64",
    "follow_up_long_s": "follow-up of 24 tokens after the long history",
    "cold_s": "the long history with nothing cached",
    "document_cold_s": "question about a document, nothing read ahead",
    "document_ahead_s": "question about a document, read ahead",
    "idle_first_s": "chat turn, idle",
    "busy_first_s": "chat turn beside a batch",
    "added_s": "added by the batch",
    "ratio_long": "long by short history",
    "ratio_cold": "follow-up by the history anew",
    "ratio_ahead": "read ahead by not",
    "busy_share": "engine busy while work waited",
    "long_tokens": "tokens of the long history",
    "document_tokens": "tokens of the document",
}


def show(facts: dict[str, Any], output: Output) -> None:
    """Print every suite that ran, from the facts that JSON would hold."""
    device = facts["device"]
    output.line(
        f"{facts['model']} on {device['kind'].upper()} ({device['name']}), "
        f"{facts['threads']} threads"
    )
    if device["reason"]:
        output.line(f"because {device['reason']}")
    output.line(", ".join(f"{name} {version}" for name, version in facts["versions"].items()))
    if "results" in facts:
        _show_speed(facts, output)
    for suite in ("sessions", "lanes"):
        if suite in facts:
            _show_values(facts[suite], output)
    if "drafts" in facts:
        _show_drafts(facts["drafts"], output)
    if "devices" in facts:
        _show_devices(facts["devices"], output)


def _show_speed(facts: dict[str, Any], output: Output) -> None:
    peak = readable_bytes(facts["peak_bytes"])
    output.line(f"load {facts['load_s']:.2f} s, first token {facts['ttft_s']:.2f} s, peak {peak}")
    if load := facts["load"]:
        text = f"load with warm files {load['load_s']:.2f} s"
        if load["ratio_llama_cpp"]:
            text += f", llama.cpp {load['llama_cpp_load_s']:.2f} s, x{load['ratio_llama_cpp']:.2f}"
        output.line(text)
    one, many = facts["read_bytes_per_s"]
    if many:
        weights = readable_bytes(facts["weight_bytes"])
        output.line(
            f"a token reads {weights}; the machine reads {one / _GIGA:.1f} GB/s with one thread, "
            f"{many / _GIGA:.1f} GB/s with {facts['threads']}"
        )
    output.line(
        f"{'':14} {'tokens/s':>10} {'bare loop':>10} {'ratio':>7} {'llama.cpp':>10} {'ratio':>7} "
        f"{'bandwidth':>10}"
    )
    for result in facts["results"]:
        output.line(
            f"{result['name']:14} {result['tokens_per_s']:10.1f} "
            f"{result['bare_tokens_per_s']:10.1f} {result['ratio']:7.3f} "
            f"{_number(result['llama_cpp_tokens_per_s'], '10.1f')} "
            f"{_number(result['ratio_llama_cpp'], '7.3f')} "
            f"{_number(result['bandwidth_share'], '10.0%')}"
        )


def _show_values(values: dict[str, Any], output: Output) -> None:
    output.line()
    for name, value in values.items():
        unit = " s" if name.endswith("_s") else ""
        text = f"{value:.3f}{unit}" if isinstance(value, float) else str(value)
        output.line(f"{_TITLES[name]:46} {text:>10}")


def _show_drafts(results: list[dict[str, Any]], output: Output) -> None:
    output.line()
    output.line(f"{'drafts':14} {'plain':>10} {'ratio':>7} {'drafted':>8} {'came true':>10}")
    for result in results:
        output.line(
            f"{result['name']:14} {result['plain_tokens_per_s']:10.1f} {result['ratio']:7.3f} "
            f"{result['drafted_tokens']:8} {result['accepted_tokens']:10}"
        )


def _show_devices(reports: list[dict[str, Any]], output: Output) -> None:
    output.line()
    for report in reports:
        target = report["target"]
        state = "virtual" if report["is_virtual"] else report["state"]
        speed = f"{report['tokens_per_s']:.1f} tokens/s" if report["tokens_per_s"] else ""
        output.line(
            f"{target['kind'].upper():4} {target['name']:40} {state:9} {speed or report['reason']}"
        )


def _number(value: float | None, form: str) -> str:
    if value is None:
        return " " * int(form.split(".", 1)[0])
    return format(value, form)
