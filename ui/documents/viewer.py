"""Shows one document: its pages as they look, or its text, with what an answer rests on marked."""

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.documents.document import ReadDocument
from ui.documents.find_bar import FindBar
from ui.documents.page_view import PageView
from ui.documents.renders import PageRenders, Size
from ui.documents.searching import Hit, search
from ui.documents.text_view import TextView
from ui.documents.thumbnails import Thumbnails
from ui.documents.view_bar import ViewBar
from ui.labels import text_label
from ui.theme import Theme

Why = Literal["", "no_look", "no_file", "changed", "locked", "failed"]


@dataclass(frozen=True, slots=True)
class Passage:
    """What is to be marked: a page, its sentences, and of a sheet the range of cells."""

    page: int
    marks: tuple[str, ...] = ()
    cells: str = ""


class DocumentViewer(QWidget):
    """A document with its tools; GUI thread only. Owns the pictures of the document it shows.

    Signals:
        left: Back to the list of documents.
    """

    left = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("viewer")
        self._document: ReadDocument | None = None
        self._renders: PageRenders | None = None
        self._passage: Passage | None = None
        self._hits: tuple[Hit, ...] = ()
        self._hit = -1
        self.bar = ViewBar(theme)
        self.find_bar = FindBar(theme)
        self.pages = PageView(theme)
        self.thumbnails = Thumbnails(theme)
        self.thumbnails.hide()
        self.text = TextView(theme)
        self._note = text_label("", "muted", wrap=True)
        self._note.setContentsMargins(12, 0, 12, 6)
        self._note.hide()
        self._stack = QStackedWidget()
        self._lay_out()
        self._connect()
        self._add_shortcuts()

    @property
    def page(self) -> int:
        """The page that is looked at."""
        return self.pages.page if self.shows_look else self.text.page

    @property
    def shows_look(self) -> bool:
        """Whether pages are shown as they look, and not as text."""
        return self._stack.currentIndex() == 0

    @property
    def note(self) -> str:
        """What is said about how the document is shown; empty where there is nothing to say."""
        return self._note.text() if not self._note.isHidden() else ""

    def show_text(self, document: ReadDocument, why: Why, passage: Passage | None) -> None:
        """Show a document as text; `why` says what keeps it from being shown as it looks."""
        self._take(document, passage)
        is_sheets = document.report.unit == "sheet"
        self.text.show_pages(document.pages, is_sheets=is_sheets)
        self._stack.setCurrentIndex(1)
        self.bar.offer_look(is_offered=False)
        self.thumbnails.hide()
        self._say(self._reason(why))
        self._go_to_passage()

    def show_look(
        self, document: ReadDocument, renders: PageRenders, passage: Passage | None
    ) -> None:
        """Show a document as it looks, once its pages can be drawn; until then as text.

        The renders are closed together with the document.
        """
        self._take(document, passage)
        self._renders = renders
        self._stack.setCurrentIndex(0)
        self.bar.offer_look(is_offered=True)
        self._say("")
        renders.opened.connect(self._on_opened)
        renders.failed.connect(self._on_failed)

    def show_passage(self, passage: Passage | None) -> None:
        """Mark something else in the document that is shown."""
        self._passage = passage
        self._end_search()
        self._go_to_passage()

    def close_document(self) -> None:
        """Show nothing, and end what draws its pages."""
        self.pages.clear()
        self.thumbnails.clear()
        self._end_search()
        if self._renders is not None:
            self._renders.close()
            self._renders.deleteLater()
        self._renders = None
        self._document = None
        self._passage = None

    def focus_pages(self) -> None:
        """Let the keys go to the pages."""
        if self.shows_look:
            self.pages.setFocus()
        else:
            self.text.setFocus()

    def _take(self, document: ReadDocument, passage: Passage | None) -> None:
        self.close_document()
        self._document = document
        self._passage = passage
        self.bar.show_document(document.name, document.report.unit, len(document.pages))

    def _on_opened(self, sizes: tuple[Size, ...]) -> None:
        renders, document = self._renders, self._document
        if renders is None or document is None:
            return
        self.pages.setAccessibleName(self.tr("Pages of {}").format(document.name))
        self.pages.show_pages(renders, sizes)
        self.thumbnails.show_pages(renders, sizes)
        self.bar.show_zoom(self.pages.zoom)
        self._go_to_passage()
        self._describe_page(self.pages.page)

    def _on_failed(self, _error: Exception) -> None:
        document, passage = self._document, self._passage
        if document is not None and not self.pages.count:
            self.show_text(document, "failed", passage)

    def _go_to_passage(self) -> None:
        passage = self._passage
        self._say_found("")
        if passage is None:
            self.pages.unmark()
        elif self.shows_look:
            self.pages.mark(passage.page, passage.marks)
        else:
            self.text.mark(passage.page, passage.marks, passage.cells)
        self.bar.show_page(self.page)

    def _on_marks_found(self, _page: int, count: int) -> None:
        if self._hit < 0 and self._passage is not None and self._passage.marks:
            missing = self.tr("The passage is on this page; its exact place was not found.")
            self._say_found("" if count else missing)

    def _on_page_changed(self, page: int) -> None:
        self.bar.show_page(page)
        self.thumbnails.follow(page)
        self._describe_page(page)

    def _describe_page(self, page: int) -> None:
        """Let a screen reader read what is only a picture."""
        document = self._document
        if document is not None and self.shows_look and page <= len(document.pages):
            self.pages.setAccessibleDescription(document.pages[page - 1].text)

    def _go_to(self, number: int) -> None:
        if self.shows_look:
            self.pages.go_to(number)
        else:
            self.text.go_to(number)
        self.bar.show_page(self.page)

    def _search(self, query: str) -> None:
        self._hits = search(self._document.pages, query) if self._document else ()
        page = self.page
        self._hit = next((at for at, hit in enumerate(self._hits) if hit.page >= page), 0)
        self._query = query
        if self._hits:
            self._show_hit()
        else:
            self._hit = -1
            self.pages.unmark()
            self.text.unmark()
        self.find_bar.show_count(self._hit + 1, len(self._hits))

    def _step(self, by: int) -> None:
        if self._hits:
            self._hit = (self._hit + by) % len(self._hits)
            self._show_hit()
            self.find_bar.show_count(self._hit + 1, len(self._hits))

    def _show_hit(self) -> None:
        hit = self._hits[self._hit]
        if self.shows_look:
            self.pages.mark(hit.page, (self._query,), hit.nth)
        else:
            self.text.mark(hit.page, (self._query,), "", hit.nth)
        self.bar.show_page(self.page)

    def _end_search(self) -> None:
        self._hits, self._hit = (), -1
        self.find_bar.hide()

    def _close_search(self) -> None:
        self._end_search()
        self.pages.unmark()
        self.text.unmark()
        self.focus_pages()

    def _show_thumbnails(self, is_shown: bool) -> None:
        self.thumbnails.setVisible(is_shown and self.shows_look)
        self.thumbnails.follow(self.pages.page)

    def _say(self, text: str) -> None:
        self._why = text
        self._say_found("")

    def _say_found(self, text: str) -> None:
        said = " ".join(part for part in (self._why, text) if part)
        self._note.setText(said)
        self._note.setVisible(bool(said))

    def _reason(self, why: Why) -> str:
        match why:
            case "no_file":
                return self.tr("The file is not where it was. This is the text that was read.")
            case "changed":
                return self.tr("The file has changed since. This is the text that was read.")
            case "locked":
                return self.tr("The file is locked. This is the text that was read.")
            case "failed":
                return self.tr("Its pages cannot be drawn. This is the text that was read.")
        return ""

    def _connect(self) -> None:
        self._why = self._query = ""
        self.bar.left.connect(self.left)
        self.bar.page_wanted.connect(self._go_to)
        self.bar.stepped.connect(self.pages.zoom_by)
        self.bar.fit_wanted.connect(self.pages.fit_width)
        self.bar.thumbnails_wanted.connect(self._show_thumbnails)
        self.bar.search_wanted.connect(self.find_bar.open)
        self.find_bar.query_changed.connect(self._search)
        self.find_bar.stepped.connect(self._step)
        self.find_bar.closed.connect(self._close_search)
        self.pages.page_changed.connect(self._on_page_changed)
        self.pages.zoom_changed.connect(self.bar.show_zoom)
        self.pages.marks_found.connect(self._on_marks_found)
        self.text.page_changed.connect(self.bar.show_page)
        self.text.marks_found.connect(self._on_marks_found)
        self.thumbnails.page_chosen.connect(self._go_to)

    def _add_shortcuts(self) -> None:
        shortcuts = (
            ("Ctrl+F", self.find_bar.open),
            ("Ctrl++", lambda: self.pages.zoom_by(1)),
            ("Ctrl+=", lambda: self.pages.zoom_by(1)),
            ("Ctrl+-", lambda: self.pages.zoom_by(-1)),
            ("Ctrl+0", self.pages.fit_width),
            ("F3", lambda: self._step(1)),
            ("Shift+F3", lambda: self._step(-1)),
        )
        for keys, run in shortcuts:
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(run)

    def _lay_out(self) -> None:
        looks = QWidget()
        row = QHBoxLayout(looks)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.thumbnails)
        row.addWidget(self.pages, 1)
        self._stack.addWidget(looks)
        self._stack.addWidget(self.text)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addWidget(self.find_bar)
        column.addWidget(self._note)
        column.addWidget(self._stack, 1)
