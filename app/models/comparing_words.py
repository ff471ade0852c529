"""What a comparison asks by itself, and what it comes to in plain sentences.

The command line prints these texts, the window translates them.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

from app.messages import QT_TRANSLATE_NOOP, readable_bytes
from app.models.comparing_values import ComparisonReport, Measured

CONTEXT = "compare"

OFFICE_PROMPTS = (
    QT_TRANSLATE_NOOP(
        "compare",
        "Write a short, polite reply to a customer whose delivery is three days late.",
    ),
    QT_TRANSLATE_NOOP(
        "compare",
        "Summarize in one sentence: The board met on 4 March. It approved the budget of 1.2 million"
        " euros, put off the move to the new office until October, and asked the sales team for a"
        " new plan by the end of April.",
    ),
    QT_TRANSLATE_NOOP(
        "compare", "List three risks of moving customer data to a new system, one line each."
    ),
)

_FASTER = QT_TRANSLATE_NOOP("compare", "{better} writes {ratio}× as fast.")
_ALIKE_FAST = QT_TRANSLATE_NOOP("compare", "Both write about as fast.")
_SOONER = QT_TRANSLATE_NOOP("compare", "{better} begins its answer {ratio}× as soon.")
_SMALLER = QT_TRANSLATE_NOOP("compare", "{better} takes {bytes} less memory.")
_BETTER = QT_TRANSLATE_NOOP("compare", "{better} reads your text better by {percent} %.")
_ALIKE_GOOD = QT_TRANSLATE_NOOP("compare", "Both read your text about as well.")
_OTHER_PASSAGE = QT_TRANSLATE_NOOP(
    "compare", "They did not read the same part of your text, so that says nothing."
)
_SAME_ANSWERS = QT_TRANSLATE_NOOP("compare", "All answers are the same, word for word.")
_OTHER_ANSWERS = QT_TRANSLATE_NOOP("compare", "{count} of {total} answers differ.")

_Say = Callable[[str], str]

# Below these, two runs of one model differ as much.
_SPEED_NOISE = 1.1
_MEMORY_NOISE = 1.03
_TEXT_NOISE = 1.005


def names(measured: Sequence[Measured]) -> tuple[str, ...]:
    """Return what to call each contender: by its device too, where the model is the same."""
    titles = [each.title for each in measured]
    return tuple(
        f"{each.title} ({_device(each)})" if titles.count(each.title) > 1 else each.title
        for each in measured
    )


def sentences(report: ComparisonReport, translate: _Say = str) -> tuple[str, ...]:
    """Return what differs between the first two, as far as both are known.

    Speeds are compared in characters and texts in bits a byte, because tokens of two vocabularies
    are not of one length.
    """
    named = list(zip(names(report.measured), report.measured, strict=True))
    found: list[str] = []
    for left, right in pairwise(named[:2]):
        for say in (_about_speed, _about_memory, _about_text, _about_answers):
            found += say(left, right, translate)
    return tuple(found)


_Named = tuple[str, Measured]


def _about_speed(left: _Named, right: _Named, translate: _Say) -> list[str]:
    found = []
    speeds = (left[1].characters_per_s, right[1].characters_per_s)
    if min(speeds) > 0:
        ratio = max(speeds) / min(speeds)
        better = left[0] if speeds[0] > speeds[1] else right[0]
        fast = translate(_FASTER).format(better=better, ratio=_ratio(ratio))
        found.append(fast if ratio >= _SPEED_NOISE else translate(_ALIKE_FAST))
    times_s = (left[1].ttft_s, right[1].ttft_s)
    if min(times_s) > 0 and (ratio := max(times_s) / min(times_s)) >= _SPEED_NOISE:
        better = left[0] if times_s[0] < times_s[1] else right[0]
        found.append(translate(_SOONER).format(better=better, ratio=_ratio(ratio)))
    return found


def _about_memory(left: _Named, right: _Named, translate: _Say) -> list[str]:
    peaks = (left[1].peak_bytes, right[1].peak_bytes)
    if min(peaks) <= 0 or max(peaks) / min(peaks) < _MEMORY_NOISE:
        return []
    better = left[0] if peaks[0] < peaks[1] else right[0]
    less = readable_bytes(max(peaks) - min(peaks))
    return [translate(_SMALLER).format(better=better, bytes=less)]


def _about_text(left: _Named, right: _Named, translate: _Say) -> list[str]:
    scores = (left[1].scored, right[1].scored)
    if scores[0] is None or scores[1] is None:
        return []
    if scores[0].read_characters != scores[1].read_characters:
        return [translate(_OTHER_PASSAGE)]
    bits = (scores[0].bits_per_byte, scores[1].bits_per_byte)
    if min(bits) <= 0 or max(bits) / min(bits) < _TEXT_NOISE:
        return [translate(_ALIKE_GOOD)]
    better = left[0] if bits[0] < bits[1] else right[0]
    percent = 100 * (1 - min(bits) / max(bits))
    shown = f"{percent:.0f}" if percent >= 2 else f"{percent:.1f}"  # noqa: PLR2004 - two digits say enough
    return [translate(_BETTER).format(better=better, percent=shown)]


def _about_answers(left: _Named, right: _Named, translate: _Say) -> list[str]:
    pairs = [
        (mine.text, theirs.text)
        for mine, theirs in zip(left[1].answers, right[1].answers, strict=False)
        if mine.finished is not None and theirs.finished is not None
    ]
    if not pairs:
        return []
    count = sum(mine != theirs for mine, theirs in pairs)
    if not count:
        return [translate(_SAME_ANSWERS)]
    return [translate(_OTHER_ANSWERS).format(count=count, total=len(pairs))]


def _device(measured: Measured) -> str:
    return measured.device.name if measured.device is not None else measured.contender.device


def _ratio(ratio: float) -> str:
    return f"{ratio:.1f}" if ratio < 9.95 else f"{ratio:.0f}"  # noqa: PLR2004 - two digits say enough
