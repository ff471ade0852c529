"""The Tab key among messages that come and go as widgets."""

from collections.abc import Mapping

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget

from ui.chat.message_widget import MessageWidget


class FocusChain:
    """Lets the Tab key go from the top down, in whatever order the widgets were made."""

    def __init__(self, view: QWidget) -> None:
        self._view = view
        self._chained_rows: list[int] = []

    def follow(self, live: Mapping[int, MessageWidget]) -> None:
        """Chain the widgets of these rows anew where they are other rows than before."""
        rows = sorted(live)
        if rows == self._chained_rows:
            return
        self._chained_rows = rows
        before = self._view
        for row in rows:
            for widget in live[row].focus_chain():
                QWidget.setTabOrder(before, widget)
                before = widget

    def forget(self) -> None:
        """Chain them anew the next time: a row has got other controls."""
        self._chained_rows = []


def beyond_px(viewport: QWidget, widget: QWidget | None) -> int:
    """Return how far to scroll down, or up where negative, to bring a widget into sight."""
    if widget is None or not viewport.isAncestorOf(widget):
        return 0
    top_px = widget.mapTo(viewport, QPoint(0, 0)).y()
    bottom_px = top_px + min(widget.height(), viewport.height())
    return top_px if top_px < 0 else max(0, bottom_px - viewport.height())
