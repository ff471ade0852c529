"""Follows the models that are being added, whichever page is shown."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from app.models.add_job import AddJob, AddView
    from app.models.sources import Source

    Wanted = str | Sequence[Path] | Source

_LOOK_MS = 150
_KEPT = ("failed", "paused")


@dataclass(frozen=True, slots=True)
class Addition:
    """One model that is being added, or that waits for a decision.

    Attributes:
        key: Tells it from others as long as the window lives; a second try keeps it.
        title: What a person calls the model.
        wanted: What was asked for, to try again with; None where a pack is written.
    """

    key: int
    title: str
    wanted: "Wanted | None"
    job: "AddJob"
    view: "AddView"


class Jobs(QObject):
    """Looks at every addition a few times a second; GUI thread only.

    Signals:
        changed: Something is other than before; see `additions`.
        added: (model_id): one has ended well.
        written: (title): a pack is whole.
        settled: One has ended, in whichever way: the disk has changed.
    """

    changed = Signal()
    added = Signal(str)
    written = Signal(str)
    settled = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._additions: dict[int, Addition] = {}
        self._watched: set[int] = set()
        self._last_key = 0
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._look)

    @property
    def additions(self) -> tuple[Addition, ...]:
        """What goes on, and what failed or was paused and waits, the oldest first."""
        return tuple(self._additions.values())

    @property
    def running(self) -> tuple[Addition, ...]:
        """What goes on."""
        return tuple(each for each in self._additions.values() if not each.view.is_last)

    @property
    def busy_ids(self) -> frozenset[str]:
        """Ids of the models that are being added or wait."""
        return frozenset(each.view.model_id for each in self._additions.values())

    def follow(self, job: "AddJob", title: str, wanted: "Wanted | None", key: int = 0) -> None:
        """Follow `job` from now on, in the place of the addition `key` if there is one."""
        if key not in self._additions:
            self._last_key += 1
            key = self._last_key
        self._additions[key] = Addition(key, title, wanted, job, job.view())
        self._watched.add(key)
        self.changed.emit()
        self._timer.start()
        self._look()

    def forget(self, key: int) -> None:
        """Show no more of one that has ended."""
        self._watched.discard(key)
        if self._additions.pop(key, None) is not None:
            self.changed.emit()

    def close(self) -> None:
        """Look no more: nobody is there to be told."""
        self._watched.clear()
        self._timer.stop()

    def get(self, key: int) -> Addition | None:
        """Return one, or None where it has gone in the meantime."""
        return self._additions.get(key)

    def _look(self) -> None:
        looked = [self._additions[key] for key in sorted(self._watched)]
        ended = [(each, self._step(each)) for each in looked]
        if not self._watched:
            self._timer.stop()
        self.changed.emit()
        for addition, view in ended:
            if view is None:
                continue
            self.settled.emit()
            if view.stage == "done" and addition.wanted is None:
                self.written.emit(addition.title)
            elif view.stage == "done":
                self.added.emit(view.model_id)

    def _step(self, addition: Addition) -> "AddView | None":
        """Take the newest view; return it if it is the last one."""
        view = addition.job.view()
        if view.is_last:
            self._watched.discard(addition.key)
        if view.is_last and view.stage not in _KEPT:
            del self._additions[addition.key]
        else:
            self._additions[addition.key] = replace(addition, view=view)
        return view if view.is_last else None
