"""Which heading of the sidebar a conversation stands under: pure arithmetic on days."""

import time
from dataclasses import dataclass
from datetime import date, datetime, timedelta
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


_TODAY = DateGroup("today")
_YESTERDAY = DateGroup("yesterday")
_WEEK = DateGroup("week")
_MONTH = DateGroup("month")


class Calendar:
    """The headings as seen from one moment; made once for a whole list, because days are dear."""

    def __init__(self, now_s: float) -> None:
        """Take the time of looking, in seconds since 1970 UTC; days are local ones."""
        today = datetime.fromtimestamp(now_s).date()
        self._today_s = _begin_s(today)
        self._yesterday_s = _begin_s(today - timedelta(days=1))
        self._week_s = _begin_s(today - timedelta(days=_WEEK_DAYS))
        self._month_s = _begin_s(today - timedelta(days=_MONTH_DAYS))

    def group_of(self, updated_s: float) -> DateGroup:
        """Return the heading for a time in seconds since 1970 UTC.

        A time in the future, which a changed clock leaves behind, counts as today.
        """
        if updated_s >= self._today_s:
            return _TODAY
        if updated_s >= self._yesterday_s:
            return _YESTERDAY
        if updated_s >= self._week_s:
            return _WEEK
        if updated_s >= self._month_s:
            return _MONTH
        local = time.localtime(updated_s)
        return DateGroup("older", local.tm_year, local.tm_mon)


def _begin_s(day: date) -> float:
    return datetime(day.year, day.month, day.day).timestamp()
