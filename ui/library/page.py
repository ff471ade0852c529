"""The page on which a person chooses the library's folders, and searches in them."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.documents.values import Citation, LeftOut
from app.messages import describe_code
from ui.chat.fold_button import FoldButton
from ui.chat.sources import Sources
from ui.chat.wording import number
from ui.labels import text_label
from ui.library.folder_card import FolderCard
from ui.library.state import LibraryState
from ui.notices import translate_message
from ui.theme import Theme

_COLUMN_PX = 780
_MOST_FAILED = 100


class LibraryPage(QScrollArea):
    """Folders, how far they are, and passages that answer a search; GUI thread only.

    Signals:
        folder_added: (path: Path).
        folder_removed: (path: Path).
        pause_wanted: (is_paused: bool).
        searched: (question).
        passage_activated: Show a passage in its document; a `Citation`.
        left: Back to the chat.
    """

    folder_added = Signal(object)
    folder_removed = Signal(object)
    pause_wanted = Signal(bool)
    searched = Signal(str)
    passage_activated = Signal(object)
    left = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._cards: dict[Path, FolderCard] = {}
        self._results: Sources | None = None
        self._state = LibraryState()
        self._failed_shown = False
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(self.tr("Library"))
        self.setWidget(self._build())
        self.show_state(self._state)

    @property
    def state_text(self) -> str:
        """What is said about how far the library is."""
        return self._said.text()

    @property
    def failed_text(self) -> str:
        """What could not be read and why; empty while it is folded."""
        return self._failed.text() if not self._failed.isHidden() else ""

    @property
    def results(self) -> tuple[Citation, ...]:
        """The passages that are shown."""
        return self._results.citations if self._results is not None else ()

    def show_state(self, state: LibraryState) -> None:
        """Show how it is with the library now."""
        self._state = state
        for path in [path for path in self._cards if path not in state.folders]:
            card = self._cards.pop(path)
            card.hide()
            card.deleteLater()
        for path in state.folders:
            if path not in self._cards:
                self._add_card(path)
        has_folders = bool(state.folders)
        self._progress.setRange(0, max(1, state.files))
        self._progress.setValue(state.indexed + len(state.failed))
        self._progress.setVisible(has_folders and state.is_working)
        self._said.setText(self._sentence(state))
        self._pause.setVisible(has_folders)
        self._pause.setText(self.tr("Go on") if state.is_paused else self.tr("Pause"))
        self._search.setEnabled(state.indexed > 0)
        self._show_failed(state.failed)

    def show_results(self, passages: Sequence[Citation], note: str) -> None:
        """Show passages, the best first; `note` says how they were found, or that none was."""
        if self._results is not None:
            self._results.hide()
            self._results.deleteLater()
            self._results = None
        self._note.setText(note)
        self._note.setVisible(bool(note))
        if passages:
            self._results = Sources(self._theme, passages, quotes=True)
            self._results.activated.connect(self.passage_activated)
            self._found.addWidget(self._results)

    def focus_search(self) -> None:
        """Let a person write what to search for, or add the first folder."""
        if self._search.isEnabled():
            self._search.setFocus()
        else:
            self._add.setFocus()

    def choose_folder(self) -> None:
        """Ask for a folder."""
        dialog = QFileDialog(self, self.tr("Add a folder to the library"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(lambda name: self.folder_added.emit(Path(name)))
        dialog.open()

    def _sentence(self, state: LibraryState) -> str:
        if not state.folders:
            return self.tr("No folders yet.")
        done = self.tr("{} of {} files ready").format(number(state.indexed), number(state.files))
        if state.is_paused:
            return self.tr("{} · paused").format(done)
        if state.is_working:
            return self.tr("{} · working").format(done)
        return self.tr("{} · new and changed files are taken in by themselves").format(done)

    def _show_failed(self, failed: tuple[LeftOut, ...]) -> None:
        self._failed_fold.setVisible(bool(failed))
        text = self.tr("%Ln file(s) could not be read", "", len(failed))
        self._failed_fold.show_state(text, is_open=self._failed_shown)
        self._failed.setVisible(bool(failed) and self._failed_shown)
        lines = []
        for each in failed[:_MOST_FAILED]:
            facts: dict[str, str | int | float] = {"name": each.name, "detail": each.detail}
            facts |= {"reason": each.detail, "limit": each.detail, "count": each.count}
            lines.append(describe_code(each.code, facts, translate_message).message)
        self._failed.setText("\n".join(lines))

    def _toggle_failed(self) -> None:
        self._failed_shown = not self._failed_shown
        self._show_failed(self._state.failed)

    def _add_card(self, path: Path) -> None:
        card = FolderCard(self._theme, path)
        card.remove_requested.connect(lambda: self.folder_removed.emit(path))
        self._cards[path] = card
        self._folders.addWidget(card)

    def _build(self) -> QWidget:
        page = QWidget()
        page.setObjectName("page")
        content = QWidget()
        content.setMaximumWidth(_COLUMN_PX)
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 24, 0, 32)
        column.setSpacing(12)
        column.addWidget(text_label(self.tr("Library"), "heading"))
        about = self.tr(
            "Documents in these folders stay ready for questions. They are read on this computer,"
            " and what is kept of them is encrypted like your conversations."
        )
        column.addWidget(text_label(about, wrap=True))
        self._folders = QVBoxLayout()
        self._folders.setSpacing(8)
        column.addLayout(self._folders)
        column.addLayout(self._build_foot())
        self._progress = QProgressBar()
        self._progress.setTextVisible(False)
        self._progress.setAccessibleName(self.tr("Files that are ready"))
        column.addWidget(self._progress)
        self._said = text_label("", "muted", wrap=True)
        column.addWidget(self._said)
        self._failed_fold = FoldButton(self._theme)
        self._failed_fold.clicked.connect(self._toggle_failed)
        self._failed = text_label("", "small", wrap=True)
        self._failed.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        column.addWidget(self._failed_fold, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._failed)
        column.addSpacing(8)
        self._search = QLineEdit()
        self._search.setPlaceholderText(self.tr("Search in the library"))
        self._search.setAccessibleName(self.tr("Search in the library"))
        self._search.setClearButtonEnabled(True)
        self._search.returnPressed.connect(lambda: self.searched.emit(self._search.text().strip()))
        column.addWidget(self._search)
        self._note = text_label("", "muted", wrap=True)
        self._note.hide()
        column.addWidget(self._note)
        self._found = QVBoxLayout()
        column.addLayout(self._found)
        column.addStretch(1)
        outer = QHBoxLayout(page)
        outer.setContentsMargins(24, 0, 24, 0)
        outer.addStretch(1)
        outer.addWidget(content, 20)
        outer.addStretch(1)
        return page

    def _build_foot(self) -> QHBoxLayout:
        self._add = QPushButton(self.tr("Add a folder…"))
        self._add.setProperty("role", "primary")
        self._add.clicked.connect(self.choose_folder)
        self._pause = QPushButton(self.tr("Pause"))
        self._pause.clicked.connect(lambda: self.pause_wanted.emit(not self._state.is_paused))
        back = QPushButton(self.tr("Back to the chat"))
        back.clicked.connect(self.left)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._add)
        row.addWidget(self._pause)
        row.addStretch(1)
        row.addWidget(back)
        return row
