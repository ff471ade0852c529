"""Asks the hub for what a person named, lets them choose a variant, and keeps their token."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl, Signal

from app.messages import describe
from app.models.sources import HubSource
from ui.models.downloads_dialog import DownloadsDialog
from ui.models.lookup import Address
from ui.models.page import ModelsPage
from ui.models.shelf import ModelShelves
from ui.models.token_dialog import TokenDialog
from ui.models.tools import Tools
from ui.models.variant_choice import read_choice
from ui.models.variant_dialog import Choice, VariantDialog
from ui.notices import translate_message

if TYPE_CHECKING:
    from app.models.fit import Machine
    from app.models.hub.values import RemoteModel, Variant

_TOKEN_CODES = ("gated_model", "token_refused")


class LookUps(QObject):
    """One question at a time; GUI thread only.

    Signals:
        wanted: (source: HubSource): fetch this.
        failed: (error).
    """

    wanted = Signal(object)
    failed = Signal(object)

    def __init__(
        self,
        service: ModelShelves,
        page: ModelsPage,
        look_at_machine: "Callable[[], Machine]",
        tools: Tools,
    ) -> None:
        super().__init__(tools.window)
        self._service = service
        self._page = page
        self._look_at_machine = look_at_machine
        self._theme = tools.theme
        self._tasks = tools.tasks
        self._settings = tools.settings
        self._window = tools.window
        self.variants: VariantDialog | None = None
        self.token: TokenDialog | None = None
        self.downloads: DownloadsDialog | None = None
        page.look_up.wanted.connect(self.look_up)
        page.hub.wanted.connect(self.look_up)
        page.settings_wanted.connect(self.show_downloads)

    def look_up(self, address: Address) -> None:
        """Ask the hub what it holds."""
        service, card = self._service, self._page.look_up
        card.show_asking(address, is_asking=True)
        self._page.hub.set_busy(is_busy=True)

        def failed(error: Exception) -> None:
            self._end(address)
            notice = describe(error, translate_message)
            card.show_failure(f"{notice.message} {notice.action}")
            if notice.code in _TOKEN_CODES:
                self.ask_token(lambda: self.look_up(address))

        def found(remote: "RemoteModel") -> None:
            read = partial(read_choice, service, remote, address.folder, self._look_at_machine)
            self._tasks.start(read, choose, failed, self)

        def choose(choice: Choice) -> None:
            self._end(address)
            self._choose(choice)

        self._tasks.run(service.look_up(address.repository, address.revision), found, failed, self)

    def ask_token(self, then: Callable[[], None] = lambda: None) -> None:
        """Ask for a token, keep it, and do what needed it."""
        if self.token is not None:
            return
        self._tasks.start(
            self._service.hub_endpoint,
            lambda endpoint: self._show_token(endpoint, then),
            self.failed.emit,
            self,
        )

    def show_downloads(self) -> None:
        """Show where models are downloaded from."""
        dialog = self.downloads = DownloadsDialog(
            self._settings.value,
            parent=self._window,
        )
        dialog.saved.connect(lambda changes: self._settings.change(**changes))
        dialog.token_wanted.connect(lambda: self.ask_token(partial(self._say_kept, dialog)))
        dialog.token_forgotten.connect(partial(self._forget_token, dialog))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _end(self, address: Address) -> None:
        self._page.look_up.show_asking(address, is_asking=False)
        self._page.look_up.offer(self._page.typed_address)
        self._page.hub.set_busy(is_busy=False)

    def _choose(self, choice: Choice) -> None:
        dialog = self.variants = VariantDialog(self._theme, choice, self._window)
        dialog.fetch_wanted.connect(partial(self._fetch, choice.remote))
        dialog.token_wanted.connect(
            lambda: self.ask_token(lambda: dialog.set_has_token(has_token=True))
        )
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _fetch(self, remote: "RemoteModel", variant: "Variant") -> None:
        self._page.clear_search()
        self.wanted.emit(HubSource(remote.repository, remote.commit, variant.name))

    def _show_token(self, endpoint: str, then: Callable[[], None]) -> None:
        host = QUrl(endpoint).host() or endpoint
        dialog = self.token = TokenDialog(host, self._window)

        def kept(_: None) -> None:
            dialog.accept()
            then()

        def failed(error: Exception) -> None:
            notice = describe(error, translate_message)
            dialog.show_failure(f"{notice.message} {notice.action}")

        def keep(token: str) -> None:
            save = partial(self._service.tokens.save, endpoint, token)
            self._tasks.start(save, kept, failed, dialog)

        dialog.entered.connect(keep)
        dialog.finished.connect(self._forget_dialog)
        dialog.open()

    def _forget_dialog(self) -> None:
        if self.token is not None:
            self.token.deleteLater()
            self.token = None

    def _say_kept(self, dialog: DownloadsDialog) -> None:
        dialog.say(self.tr("The token is in the keyring."))

    def _forget_token(self, dialog: DownloadsDialog) -> None:
        service = self._service

        def forget() -> None:
            service.tokens.forget(service.hub_endpoint())

        text = self.tr("There is no token in the keyring any more.")
        self._tasks.start(forget, lambda _: dialog.say(text), self.failed.emit, dialog)
