"""The pill in the header: which model answers, and how to choose another."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QActionGroup, QGuiApplication
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from app.messages import readable_bytes
from ui.models.model_card import catalog_text
from ui.models.shelf import Shelf
from ui.theme import Theme

if TYPE_CHECKING:
    from app.models.runner_view import RunnerView

_LONGEST_CHARACTERS = 28


class ModelPicker(QToolButton):
    """Shows the model in use; its menu lists what is installed and what can be had.

    Signals:
        chosen: (model_id): load this one.
        wanted: (entry_id): get this one from the catalog.
        file_wanted: Add a model from a file.
    """

    chosen = Signal(str)
    wanted = Signal(str)
    file_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._shelf = Shelf()
        self._model_id = ""
        self._device = ""
        self.setProperty("role", "pill")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        reading = QGuiApplication.layoutDirection()
        # The arrow stands after the name: an icon in the direction that is not the reader's.
        self.setLayoutDirection(
            Qt.LayoutDirection.RightToLeft
            if reading == Qt.LayoutDirection.LeftToRight
            else Qt.LayoutDirection.LeftToRight
        )
        self.setIconSize(QSize(16, 16))
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu = QMenu(self)
        self._menu.setLayoutDirection(reading)
        self._menu.aboutToShow.connect(self._fill)
        self.setMenu(self._menu)
        theme.changed.connect(self._tint)
        self._tint()
        self._show_text(self.tr("No model"))

    def show_shelf(self, shelf: Shelf) -> None:
        """Take what is installed and what can be had."""
        self._shelf = shelf

    def show_view(self, view: "RunnerView") -> None:
        """Show the model in use and where it runs."""
        self._model_id = view.model_id
        self._device = view.device.name if view.device is not None else ""
        self._show_text(view.title or self.tr("No model"))

    def _show_text(self, text: str) -> None:
        shown = text
        if len(text) > _LONGEST_CHARACTERS:
            shown = text[: _LONGEST_CHARACTERS - 1].rstrip() + "…"
        self.setText(shown)
        self.setToolTip(text)
        self.setAccessibleName(self.tr("Model: {}").format(text))

    def _fill(self) -> None:
        self._menu.clear()
        group = QActionGroup(self._menu)
        for model in self._shelf.installed:
            is_used = model.id == self._model_id
            title = catalog_text(model.title)
            if is_used and self._device:
                title = self.tr("{model} on {device}").format(model=title, device=self._device)
            action = self._menu.addAction(title)
            action.setCheckable(True)
            action.setChecked(is_used)
            group.addAction(action)
            action.triggered.connect(lambda _, model_id=model.id: self.chosen.emit(model_id))
        if self._shelf.installed:
            self._menu.addSeparator()
        for entry in (offer.entry for offer in self._shelf.offers):
            offer = self.tr("Get the {title} model ({size})…").format(
                title=catalog_text(entry.title).lower(), size=readable_bytes(entry.fetch_bytes)
            )
            action = self._menu.addAction(self._theme.icon("download", "muted"), offer)
            action.triggered.connect(lambda _, entry_id=entry.id: self.wanted.emit(entry_id))
        action = self._menu.addAction(self._theme.icon("plus", "muted"), self.tr("Add a file…"))
        action.triggered.connect(self.file_wanted)

    def _tint(self) -> None:
        self.setIcon(self._theme.icon("down", "muted", 16))
