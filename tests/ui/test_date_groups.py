from datetime import datetime

import pytest

from ui.date_groups import Calendar, DateGroup

NOW = datetime(2026, 3, 10, 9, 30)


@pytest.mark.parametrize(
    ("time", "group"),
    [
        ("2026-03-10T00:00", DateGroup("today")),
        ("2026-03-10T23:59", DateGroup("today")),
        ("2027-01-01T00:00", DateGroup("today")),
        ("2026-03-09T23:59", DateGroup("yesterday")),
        ("2026-03-08T12:00", DateGroup("week")),
        ("2026-03-03T00:00", DateGroup("week")),
        ("2026-03-02T23:59", DateGroup("month")),
        ("2026-02-08T00:00", DateGroup("month")),
        ("2026-02-07T23:59", DateGroup("older", 2026, 2)),
        ("2025-12-31T23:59", DateGroup("older", 2025, 12)),
    ],
)
def test_a_conversation_stands_under_its_day(time: str, group: DateGroup) -> None:
    assert Calendar(NOW.timestamp()).group_of(datetime.fromisoformat(time).timestamp()) == group
