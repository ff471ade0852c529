"""Which heading of the sidebar a conversation stands under: pure arithmetic on days."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

GroupKind = Literal["today", "yesterday", "week", "month", "older"]

_WEEK_DAYS = 7
_MONTH_DAYS = 30


@dataclass(frozen=True, slots=True)
class DateGroup:
    """A heading; `year` and `month` are set for `older` only."""

    kind: GroupKind
    year: int = 0
    month: int = 0


def group_of(updated_s: float, now_s: float) -> DateGroup:
    """Return the heading for a time; both are seconds since 1970 UTC, days are local ones.

    A time in the future, which a changed clock leaves behind, counts as today.
    """
    day = _local_day(updated_s)
    age_days = (_local_day(now_s) - day).days
    if age_days <= 0:
        return DateGroup("today")
    if age_days == 1:
        return DateGroup("yesterday")
    if age_days <= _WEEK_DAYS:
        return DateGroup("week")
    if age_days <= _MONTH_DAYS:
        return DateGroup("month")
    return DateGroup("older", day.year, day.month)


def _local_day(time_s: float) -> date:
    return datetime.fromtimestamp(time_s).astimezone().date()
