"""How far a comparison is."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.models.comparing_values import ComparisonReport, Measured

_ENDED = ("done", "failed")


def share(report: "ComparisonReport") -> float:
    """Return how much is done, from 0 to 1; a load, an answer and the document count alike."""
    steps = len(report.prompts) + 2
    done = sum(_steps_done(each, steps) for each in report.measured)
    return done / (steps * len(report.measured))


def _steps_done(measured: "Measured", steps: int) -> float:
    if measured.stage in _ENDED:
        return steps
    answered = sum(each.finished is not None for each in measured.answers)
    return float(measured.device is not None) + answered + measured.scored_share
