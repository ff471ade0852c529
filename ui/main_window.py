"""The window: puts the parts in their places and tells each what the others did."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QKeySequence,
    QPaintEvent,
    QResizeEvent,
    QShortcut,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QVBoxLayout,
    QWidget,
)

from app.chat.values import Message
from app.errors import KeyNeeded, WrongKey
from inference.types import DeviceChoice
from ui import window_place
from ui.answer_settings.controller import AnswerSettingsDesk
from ui.chat.page import ChatPage
from ui.conversations import Conversations
from ui.desk import Desk
from ui.devices.controller import Devices
from ui.documents.desk import DocumentDesk, OpenRenderer
from ui.header import ANSWERS_KEYS, DOCUMENTS_KEYS, Header
from ui.library.controller import LibraryController, LibraryDesk
from ui.library.page import LibraryPage
from ui.models.compare_opener import Comparisons
from ui.models.controller import Models, Runner
from ui.models.dropping import ModelDrop
from ui.models.jobs import Jobs
from ui.models.page import ModelsPage
from ui.models.picker import ModelPicker
from ui.models.shelf import ModelShelves, model_in_use
from ui.notices import NoticeBar, Remedy
from ui.pages import Pages
from ui.rename_dialog import RenameDialog
from ui.settings.key_controller import KeyDesk, Keys
from ui.settings.preferences import Preferences
from ui.sidebar import Sidebar
from ui.sidebar_fold import SidebarFold
from ui.status_bar import StatusBar

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.chat.service import ChatService
    from app.models.fit import Machine
    from ui.devices.desk import DeviceDesk
    from ui.models.compare_desk import CompareDesk


class MainWindow(QWidget):
    """Everything a person sees of Snug.

    It touches neither disk nor model until `start`, so that it can be painted first.

    Signals:
        painted: The window has been painted for the first time.
    """

    painted = Signal()

    def __init__(
        self,
        *,
        chat: "ChatService",
        models: ModelShelves,
        runner: Runner,
        look_at_machine: "Callable[[], Machine]",
        devices: "Callable[[], DeviceDesk]",
        keys: KeyDesk,
        desk: Desk,
        open_pages: OpenRenderer,
        pasted: "Path",
        library: LibraryDesk | None = None,
        comparing: "Callable[[], CompareDesk] | None" = None,
    ) -> None:
        super().__init__()
        theme, tasks = desk.theme, desk.tasks
        self._settings = desk.settings
        self._theme = theme
        self._key_desk = keys
        self._is_painted = False
        self._dress()
        self._notices = NoticeBar(theme)
        self._sidebar = Sidebar(theme)
        self._page = ChatPage(chat, theme, tasks, desk.pump, pasted=pasted)
        desk.closing.callback(self._page.close_intake)
        jobs = self._jobs = Jobs(self)
        self._models_page = ModelsPage(theme, jobs)
        self._picker = ModelPicker(theme)
        self._header = Header(theme, self._picker)
        self._status = StatusBar(theme)
        self._conversations = Conversations(chat, self._sidebar, self._notices, tasks, parent=self)
        self._models = Models(
            models,
            runner,
            look_at_machine,
            picker=self._picker,
            page=self._models_page,
            jobs=jobs,
            status=self._status,
            notices=self._notices,
            theme=theme,
            tasks=tasks,
            settings=desk.settings,
            window=self,
        )
        if comparing is not None:
            comparisons = Comparisons(comparing, theme, tasks, self)
            self._models.manager.details.compare_wanted.connect(comparisons.open)
        self._keys = Keys(keys, chat.conversations, tasks, self)
        self._answers = AnswerSettingsDesk(
            chat, lambda: runner.default_sampling, theme, tasks, self
        )
        find_model = partial(model_in_use, models, runner)
        device_desk = Devices(devices, find_model, theme, tasks, self)
        self._preferences = Preferences(desk.settings, theme, device_desk, runner, self)
        self._library_page = LibraryPage(theme)
        self._library: LibraryController | None = None
        if library is not None:
            self._library = LibraryController(library, self._library_page, tasks, self)
        self._pages = Pages(self._header, self._page, self._models_page, self._library_page)
        self._documents = DocumentDesk(
            chat,
            open_pages,
            page=self._page,
            beside=self._pages,
            settings=desk.settings,
            theme=theme,
            tasks=tasks,
            parent=self,
        )
        is_wished = desk.settings.value.is_sidebar_visible
        self._fold = SidebarFold(self._sidebar, self._header, is_wished=is_wished)
        self._lay_out()
        self._connect()
        self._add_shortcuts()
        self._offer_remedies()
        window_place.restore(self, desk.settings)
        self._fold.fit(self.width())
        self._page.composer.setFocus()

    def start(self) -> None:
        """Open the store and load the model; both on other threads."""
        self._conversations.refresh()
        self._models.start(self._settings.value.device)
        if self._library is not None:
            self._library.start()

    def come_to_front(self) -> None:
        """Show the window above others, as far as the system allows it."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def show_error(self, error: Exception) -> None:
        """Say what went wrong; a missing key is asked for instead."""
        if isinstance(error, KeyNeeded | WrongKey) and self._keys.can_ask():
            self._keys.ask()
        else:
            self._notices.show_error(error)

    def _dress(self) -> None:
        self.setObjectName("main")
        self.setWindowTitle(self.tr("Snug"))
        self.setWindowIcon(self._theme.icon("spark", "accent", 64))

    def _lay_out(self) -> None:
        notice_row = QHBoxLayout()
        notice_row.setContentsMargins(24, 0, 24, 0)
        notice_row.addWidget(self._notices)
        right = QVBoxLayout()
        right.setSpacing(0)
        right.addWidget(self._header)
        right.addLayout(notice_row)
        right.addWidget(self._documents.splitter, 1)
        right.addWidget(self._status)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._sidebar)
        row.addLayout(right, 1)

    def _connect(self) -> None:
        self._page.conversation_changed.connect(self._on_conversation_changed)
        self._page.turn_finished.connect(self._on_turn_finished)
        self._page.context_changed.connect(self._status.show_context)
        self._page.notice.connect(self.show_error)
        self._page.said.connect(self._notices.show_info)
        self._documents.failed.connect(self.show_error)
        self._header.documents_requested.connect(self._documents.documents.toggle)
        self._pages.currentChanged.connect(
            lambda: self._documents.allow(self._pages.has_documents_beside)
        )
        self._connect_library()
        self._sidebar.new_chat_requested.connect(self._new_chat)
        self._sidebar.conversation_chosen.connect(self._open)
        self._sidebar.settings_requested.connect(self._preferences.show_menu)
        self._fold.wished.connect(lambda one: self._settings.change(is_sidebar_visible=one))
        self._header.answers_requested.connect(self._show_answers)
        self._header.rename_requested.connect(self._rename)
        self._header.delete_requested.connect(self._delete)
        self._conversations.title_changed.connect(self._pages.show_title)
        self._pages.titled.connect(self._show_title)
        self._conversations.left.connect(self._new_chat)
        self._conversations.restored.connect(lambda one: self._open(one, ""))
        self._conversations.failed.connect(self.show_error)
        self._conversations.listed.connect(self._show_key_kind)
        self._models.needed.connect(self._pages.show_models)
        self._models.ready.connect(self._pages.show_chat)
        self._models.device_changed.connect(self._on_device_changed)
        self._models.selected.connect(lambda one: self._settings.change(model_id=one))
        self._models.failed.connect(self.show_error)
        ModelDrop(self, self._page).dropped.connect(self._add_files)
        whole_page = ModelDrop(self._models_page, takes_all=True)
        whole_page.dropped.connect(self._models.manager.add)
        self._models_page.left.connect(self._pages.show_chat)
        self._status.models_requested.connect(self._pages.show_models)
        self._picker.wanted.connect(self._get_model)
        self._picker.file_wanted.connect(self._models_page.choose_file)
        self._connect_settings()
        self._keys.opened.connect(self._conversations.refresh)
        self._keys.declined.connect(self._on_locked)
        self._keys.failed.connect(self.show_error)
        self._settings.failed.connect(self.show_error)

    def _connect_library(self) -> None:
        self._documents.library_requested.connect(self._show_library)
        self._preferences.library_requested.connect(self._show_library)
        self._library_page.left.connect(self._pages.show_chat)
        self._library_page.passage_activated.connect(self._documents.documents.show_citation)
        if self._library is not None:
            self._preferences.has_library = True
            self._documents.panel.offer_library()
            self._documents.documents.find_file = self._library.path_of
            self._library.failed.connect(self.show_error)
            self._library.offered.connect(self._page.offer_library)

    def _show_library(self) -> None:
        if self._library is None:
            return
        self._pages.show_library()
        self._library_page.focus_search()

    def _connect_settings(self) -> None:
        self._answers.changed.connect(self._page.use_settings)
        self._answers.failed.connect(self.show_error)
        self._preferences.models_requested.connect(self._pages.show_models)
        self._preferences.downloads_requested.connect(self._models.manager.look_ups.show_downloads)
        self._preferences.wish_chosen.connect(self._models.run_on)
        self._status.devices_requested.connect(self._preferences.show_devices)

    def _add_shortcuts(self) -> None:
        shortcuts: tuple[tuple[str, Callable[[], object]], ...] = (
            ("Ctrl+N", self._new_chat),
            ("Ctrl+K", self._search),
            ("Ctrl+B", self._fold.toggle),
            (ANSWERS_KEYS, self._show_answers),
            (DOCUMENTS_KEYS, self._documents.documents.toggle),
            ("Ctrl+Shift+L", self._show_library),
            ("F6", self._documents.documents.switch_focus),
            ("Ctrl+Q", self.close),
        )
        for keys, run in shortcuts:
            QShortcut(QKeySequence(keys), self).activated.connect(run)

    def _offer_remedies(self) -> None:
        show_models = Remedy(self.tr("Show models"), self._pages.show_models)
        for code in ("model_not_loaded", "model_missing", "model_damaged", "model_unsupported"):
            self._notices.offer(code, show_models)
        self._notices.offer("model_unknown", show_models)
        again = Remedy(self.tr("Try again"), self._conversations.refresh)
        for code in ("wrong_key", "keyring_locked", "key_exposed"):
            self._notices.offer(code, again)

    def _open(self, conversation_id: str, message_id: str) -> None:
        self._pages.show_chat()
        self._conversations.set_open(conversation_id)
        self._page.show_conversation(conversation_id, message_id)

    def _new_chat(self) -> None:
        self._pages.show_chat()
        self._conversations.set_open("")
        self._page.show_conversation(None)

    def _show_title(self, title: str) -> None:
        shown = self.tr("{} · Snug").format(title) if title else self.tr("Snug")
        self.setWindowTitle(shown)

    def _show_answers(self) -> None:
        self._pages.show_chat()
        self._answers.open(self._page.conversation_id)

    def _on_device_changed(self, device: DeviceChoice | None) -> None:
        self._preferences.show_device(device)
        if device is not None:
            self._page.warm()

    def _on_conversation_changed(self, conversation_id: str) -> None:
        self._conversations.set_open(conversation_id)
        self._conversations.refresh()

    def _on_turn_finished(self, message: Message) -> None:
        if message.metrics is not None:
            self._status.show_speed(message.metrics.tokens_per_s)
        self._conversations.refresh()

    def _on_locked(self) -> None:
        unlock = Remedy(self.tr("Unlock…"), self._keys.ask)
        text = self.tr("Without a key Snug neither shows nor keeps any conversation.")
        self._notices.show_info(text, unlock)

    def _get_model(self, entry_id: str) -> None:
        self._pages.show_models()
        self._models.manager.add(entry_id)

    def _add_files(self, files: "list[Path]") -> None:
        self._pages.show_models()
        self._models.manager.add(files)

    def _show_key_kind(self) -> None:
        self._sidebar.show_key_kind(self._key_desk.kind)

    def _rename(self) -> None:
        conversation_id = self._conversations.open_id
        rename = partial(self._conversations.rename, conversation_id)
        RenameDialog(self._conversations.title, rename, self).open()

    def _delete(self) -> None:
        self._conversations.delete(self._conversations.open_id, self._conversations.title)

    def _search(self) -> None:
        self._fold.show(is_visible=True)
        self._sidebar.focus_search()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Say when the first paint has happened."""
        super().paintEvent(event)
        if not self._is_painted:
            self._is_painted = True
            self.painted.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold the sidebar away where it would take the chat's room, and bring it back."""
        super().resizeEvent(event)
        self._fold.fit(event.size().width())
        self._documents.fit()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Keep where the window was; what is being written is kept by the services."""
        window_place.keep(self, self._settings)
        self._jobs.close()
        self._preferences.close()
        self._documents.close()
        super().closeEvent(event)
