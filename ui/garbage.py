"""Lets Python's garbage collector run on the GUI thread only.

A widget that is part of a reference cycle is destroyed by the collector, and the collector runs on
whatever thread happens to allocate: the chat's, the models', a reader's. Qt objects must not be
destroyed there, so the automatic runs are turned off and a timer of the window makes them.
"""

import gc

from PySide6.QtCore import QObject, QTimer

_INTERVAL_MS = 1000


class GuiGarbage(QObject):
    """Collects once a second what is due; GUI thread only."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.collect_due)
        self._timer.start(_INTERVAL_MS)

    def settle(self) -> None:
        """Take what is there after the start as permanent, so that no run looks at it again.

        Without a run before it: that would stop the window for tens of milliseconds.
        """
        gc.freeze()

    def collect_due(self) -> None:
        """Collect the oldest generation that Python itself would collect now."""
        counts, limits = gc.get_count(), gc.get_threshold()
        for generation in (2, 1, 0):
            if counts[generation] > limits[generation]:
                gc.collect(generation)
                return

    def close(self) -> None:
        """Give the collector back to Python."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()
