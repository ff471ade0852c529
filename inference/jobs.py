"""What the host works on: at most one request of each urgency, and which may begin beside which."""

from dataclasses import dataclass
from typing import Protocol

from inference.types import Command, DropSession, Prefill, Stepwise
from inference.urgency import Urgency, is_exclusive, session_of, urgency


class Work(Protocol):
    """A request in steps."""

    def step(self) -> bool:
        """Do a chunk or a token; return whether it is over, its last event sent."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """A request that has begun."""

    command: Stepwise
    work: Work

    @property
    def urgency(self) -> Urgency:
        """When its turn is."""
        return urgency(self.command)


class Jobs:
    """The requests that have begun; the worker's thread only."""

    def __init__(self) -> None:
        self._jobs: dict[Urgency, Job] = {}

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def put(self, job: Job) -> None:
        """Add a request whose urgency is free."""
        self._jobs[job.urgency] = job

    def remove(self, job: Job) -> None:
        """Take out one that is over."""
        del self._jobs[job.urgency]

    def next(self, cancelled: set[int]) -> Job | None:
        """Return whose turn it is: what ends now is done at once, then the most urgent."""
        for job in self._jobs.values():
            if job.command.request_id in cancelled:
                return job
        return min(self._jobs.values(), key=lambda job: job.urgency, default=None)

    def giving_way_to(self, command: Command) -> Job | None:
        """Return the work ahead that `command` ends: it was a guess, and now somebody knows."""
        ahead = self._jobs.get(Urgency.AHEAD)
        if ahead is None:
            return None
        is_in_the_way = (
            is_exclusive(command)
            or isinstance(command, Prefill)
            or session_of(command) == session_of(ahead.command)
        )
        return ahead if is_in_the_way else None

    def may_begin(self, command: Command) -> bool:
        """Say whether nothing that runs must end before `command`.

        Two requests never share a session: its cache is one sequence, and each would undo what the
        other has computed.
        """
        if is_exclusive(command):
            return not self._jobs
        session_id = session_of(command)
        if any(session_of(job.command) == session_id for job in self._jobs.values()):
            return False
        return isinstance(command, DropSession) or urgency(command) not in self._jobs


def must_wait_for(command: Command, earlier: Command) -> bool:
    """Say whether `command` may not overtake `earlier`, which came before it and waits."""
    return (
        is_exclusive(command)
        or is_exclusive(earlier)
        or urgency(command) == urgency(earlier)
        or session_of(command) == session_of(earlier)
    )
