"""Folds the sidebar away where the window is narrow, and keeps what a person wishes."""

from PySide6.QtCore import QObject, Signal

from ui.header import Header
from ui.sidebar import Sidebar

NARROW_PX = 900


class SidebarFold(QObject):
    """Shows and hides the sidebar; a wish counts only where there is room to choose.

    Signals:
        wished: (is_visible): a person chose this for windows that are wide enough.
    """

    wished = Signal(bool)

    def __init__(self, sidebar: Sidebar, header: Header, *, is_wished: bool) -> None:
        super().__init__(sidebar)
        self._sidebar = sidebar
        self._header = header
        self._is_wished = is_wished
        self._is_narrow = False
        sidebar.hide_requested.connect(lambda: self.wish(is_visible=False))
        header.sidebar_requested.connect(lambda: self.wish(is_visible=True))
        self.show(is_visible=is_wished)

    def fit(self, width_px: int) -> None:
        """Take the window's width; crossing the limit folds the sidebar away or brings it back."""
        is_narrow = width_px < NARROW_PX
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            self.show(is_visible=self._is_wished and not is_narrow)

    def wish(self, *, is_visible: bool) -> None:
        """Do what a person asks for, and remember it where the window is wide."""
        self.show(is_visible=is_visible)
        if not self._is_narrow:
            self._is_wished = is_visible
            self.wished.emit(is_visible)

    def toggle(self) -> None:
        """Show a hidden sidebar, hide a shown one."""
        self.wish(is_visible=self._sidebar.isHidden())

    def show(self, *, is_visible: bool) -> None:
        """Show or hide it for now."""
        self._sidebar.setVisible(is_visible)
        self._header.show_sidebar_button(not is_visible)
