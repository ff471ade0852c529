"""The page on which models are managed: the first thing a person sees, and later one menu away."""

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QBoxLayout,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from ui.buttons import IconButton
from ui.chat.fold_button import FoldButton
from ui.labels import IconLabel, text_label
from ui.models.catalog_section import CatalogSection
from ui.models.download_panel import DownloadPanel
from ui.models.found_section import FoundSection
from ui.models.hub_section import HubSection
from ui.models.installed_section import InstalledSection, PausedSection
from ui.models.jobs import Jobs
from ui.models.lookup import Address, LookUpCard, address_of
from ui.models.shelf import Shelf
from ui.models.undo_bar import UndoBar
from ui.theme import Theme

_COLUMN_PX = 780
_SIDE_BY_SIDE_PX = 680


class ModelsPage(QWidget):
    """Sections of models, and at its foot what is being added; it decides nothing.

    Attributes:
        installed, paused, catalog, hub, found, look_up, downloads, undo: The parts, each with its
            own signals.

    Signals:
        files_wanted: (paths: list[Path]): add these.
        settings_wanted: Show where models are downloaded from.
        left: The person wants back to the chat.
    """

    files_wanted = Signal(list)
    settings_wanted = Signal()
    left = Signal()

    _search: QLineEdit

    def __init__(self, theme: Theme, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._jobs = jobs
        self._shelf = Shelf()
        self._is_all_shown = False
        self._has_read = False
        self.setObjectName("page")
        self.setAccessibleName(self.tr("Models"))
        self.installed = InstalledSection(theme)
        self.paused = PausedSection(theme)
        self.catalog = CatalogSection(theme)
        self.hub = HubSection(theme)
        self.found = FoundSection(theme)
        self.look_up = LookUpCard(theme)
        self.undo = UndoBar(theme)
        self.downloads = DownloadPanel(theme, jobs)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setWidget(self._build())
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._area, 1)
        column.addWidget(self._build_dock())
        jobs.changed.connect(self._show_jobs)
        QShortcut(QKeySequence.StandardKey.Find, self).activated.connect(self.focus_search)
        self.show_shelf(Shelf())

    @property
    def is_first(self) -> bool:
        """Whether the page welcomes: there is no model yet."""
        return not self._shelf.installed and not self._shelf.problems

    @property
    def typed_address(self) -> Address | None:
        """The repository that is typed into the search field, if it is one."""
        return address_of(self._search.text())

    def show_shelf(self, shelf: Shelf) -> None:
        """Show what is here and what can be had; without any model the page welcomes."""
        self._shelf = shelf
        self.installed.show_models(shelf.installed, shelf.problems)
        self.catalog.show_offers(shelf)
        self.hub.show_offers(shelf.hub)
        self._show_jobs()
        self._arrange()

    def choose_file(self) -> None:
        """Ask for a model file, or for the wheels that hold one."""
        dialog = QFileDialog(self, self.tr("Add a model"), "")
        dialog.setNameFilter(self.tr("Models (*.gguf *.whl *.snugpack)"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(
            lambda names: self.files_wanted.emit([Path(name) for name in names])
        )
        dialog.open()

    def choose_folder(self) -> None:
        """Ask for a folder that holds a model."""
        dialog = QFileDialog(self, self.tr("Add a model folder"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(lambda name: self.files_wanted.emit([Path(name)]))
        dialog.open()

    def focus_search(self) -> None:
        """Let a person write what to search for."""
        if not self._search.isHidden():
            self._search.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self._search.selectAll()

    def clear_search(self) -> None:
        """Show everything again."""
        self._search.clear()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the cards side by side where there is room."""
        super().resizeEvent(event)
        is_wide = event.size().width() >= _SIDE_BY_SIDE_PX
        sideways, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self.catalog.cards.setDirection(sideways if is_wide else down)

    def _arrange(self) -> None:
        """Show the parts that belong to a welcome, or to a manager."""
        is_first = self.is_first
        is_all = not is_first or self._is_all_shown
        self._heading.setText(self.tr("Welcome to Snug") if is_first else self.tr("Models"))
        for welcoming in (self._spark, self._explanation, self._more):
            welcoming.setVisible(is_first)
        for managing in (self._back, self._search):
            managing.setVisible(is_all and (managing is self._search or not is_first))
        self._settings.setVisible(is_all)
        self._folder.setVisible(is_all)
        self._more.show_state(self.tr("More ways to get a model"), is_open=is_all)
        self._filter(self._search.text() if is_all else "")
        if not is_all:
            for section in (self.hub, self.found, self.paused):
                section.hide()

    def _filter(self, text: str) -> None:
        address = self.typed_address
        self.look_up.offer(address)
        found = [
            section.search(text)
            for section in (self.installed, self.paused, self.catalog, self.hub, self.found)
        ]
        is_empty = bool(text.strip()) and address is None and not any(found)
        self._nothing.setVisible(is_empty)

    def _show_jobs(self) -> None:
        busy = self._jobs.busy_ids
        self.catalog.set_busy(busy)
        self.paused.show_downloads(
            tuple(
                (each.id, each.title, each.done_bytes, each.total_bytes)
                for each in self._shelf.unfinished
                if each.id not in busy and not each.is_running
            )
        )
        if self.is_first and not self._is_all_shown:
            self.paused.hide()

    def _toggle_more(self) -> None:
        self._is_all_shown = not self._is_all_shown
        self._arrange()

    def _build(self) -> QWidget:
        page = QWidget()
        page.setObjectName("page")
        content = QWidget()
        content.setMaximumWidth(_COLUMN_PX)
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 24, 0, 32)
        column.setSpacing(12)
        self._spark = IconLabel(self._theme, "spark", color="accent", size_px=40)
        column.addWidget(self._spark)
        column.addLayout(self._build_head())
        explanation = self.tr(
            "Snug answers with a language model that runs on this computer, so nothing you type"
            " or drop leaves it. Choose a model: it is fetched once, only now, and works offline"
            " from then on."
        )
        self._explanation = text_label(explanation, wrap=True)
        column.addWidget(self._explanation)
        self._search = QLineEdit()
        self._search.setAccessibleName(self.tr("Search models"))
        self._search.setPlaceholderText(self.tr("Search models, or type a hub's owner/name"))
        self._search.setClearButtonEnabled(True)
        self._search.textChanged.connect(self._filter)
        self._search.returnPressed.connect(self.look_up.ask)
        column.addWidget(self._search)
        column.addWidget(self.look_up)
        self._nothing = text_label(self.tr("No model fits what you search for."), "muted")
        self._nothing.hide()
        column.addWidget(self._nothing)
        column.addWidget(self.installed)
        column.addWidget(self.paused)
        column.addWidget(self.catalog)
        column.addLayout(self._build_foot())
        self._more = FoldButton(self._theme)
        self._more.clicked.connect(self._toggle_more)
        column.addWidget(self._more, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.found)
        column.addWidget(self.hub)
        column.addStretch(1)
        return _centered(content, page)

    def _build_head(self) -> QHBoxLayout:
        self._heading = text_label(role="heading")
        self._settings = IconButton(self._theme, "tune", self.tr("Downloads…"))
        self._settings.clicked.connect(self.settings_wanted)
        self._back = QPushButton(self.tr("Back to the chat"))
        self._back.clicked.connect(self.left)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._heading)
        row.addStretch(1)
        row.addWidget(self._settings)
        row.addWidget(self._back)
        return row

    def _build_foot(self) -> QHBoxLayout:
        self._file = QPushButton(self.tr("Add a file…"))
        self._file.clicked.connect(self.choose_file)
        self._folder = QPushButton(self.tr("Add a folder…"))
        self._folder.clicked.connect(self.choose_folder)
        hint = self.tr("A .gguf file you already have, .whl files or a pack; or drop them here.")
        row = QHBoxLayout()
        row.setContentsMargins(0, 6, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._file)
        row.addWidget(self._folder)
        row.addSpacing(4)
        row.addWidget(text_label(hint, "muted", wrap=True), 1)
        return row

    def _build_dock(self) -> QWidget:
        dock = QWidget()
        dock.setMaximumWidth(_COLUMN_PX)
        column = QVBoxLayout(dock)
        column.setContentsMargins(0, 0, 0, 12)
        column.setSpacing(8)
        column.addWidget(self.undo)
        column.addWidget(self.downloads)
        return _centered(dock, QWidget())


def _centered(content: QWidget, page: QWidget) -> QWidget:
    outer = QHBoxLayout(page)
    outer.setContentsMargins(24, 0, 24, 0)
    outer.addStretch(1)
    outer.addWidget(content, 20)
    outer.addStretch(1)
    return page
