"""A document in the panel: what it is, how far it has come, what was found, what can be done."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QToolButton, QVBoxLayout, QWidget

from ui.buttons import ElidedButton, IconButton
from ui.chat.fold_button import FoldButton
from ui.chat.wording import Wording
from ui.documents.report import ReportView
from ui.documents.shown import ShownDocument
from ui.labels import ElidedLabel, IconLabel, text_label
from ui.theme import Theme

_ICONS = {
    "slide": "slides",
    "sheet": "table",
    "message": "mail",
    "image": "picture",
}


class DocumentCard(QFrame):
    """One row of the panel; its buttons come with the document's text.

    Signals:
        open_requested: Show its pages.
        ask_requested: Ask about it.
        summarize_requested: Summarize it.
        options_requested: Choose how it is summarized; the button to open a menu below.
        folder_requested: Show it where its file lies.
        remove_requested: Take it out of the draft, or stop reading it.
    """

    open_requested = Signal()
    ask_requested = Signal()
    summarize_requested = Signal()
    options_requested = Signal(object)
    folder_requested = Signal()
    remove_requested = Signal()

    def __init__(
        self, theme: Theme, document: ShownDocument, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("document_card")
        self._theme = theme
        self._wording = Wording(self)
        self._icon = IconLabel(theme, "document", color="accent", size_px=20)
        self._name = ElidedLabel()
        self._name.setProperty("role", "title")
        self._about = text_label("", "muted", wrap=True)
        self._menu = QMenu(self)
        self._more = IconButton(theme, "more", self.tr("More for {}").format(document.name))
        self._more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._more.setMenu(self._menu)
        self._fold = FoldButton(theme)
        self._fold.clicked.connect(self._toggle_report)
        self._report: ReportView | None = None
        self._buttons = self._build_buttons(document.name)
        self._lay_out()
        self.document = document
        self.show_document(document)

    @property
    def about(self) -> str:
        """What is said below the name."""
        return self._about.text()

    @property
    def report_text(self) -> str:
        """The intake report as it is shown; empty while it is folded."""
        return self._report.text if self._report is not None else ""

    def show_document(self, document: ShownDocument) -> None:
        """Show how it is with the document now."""
        self.document = document
        attachment = document.attachment
        self._name.setText(document.name)
        self._name.setToolTip(document.name)
        text = self._wording.intake(attachment.report) if attachment else document.text
        self._about.setText(text)
        self._about.setVisible(bool(text))
        self.setAccessibleName(self.tr("Document {}, {}").format(document.name, text))
        is_failed = document.state == "failed"
        icon = _ICONS.get(attachment.report.unit, "document") if attachment else "document"
        self._icon.set_icon("warning" if is_failed else icon, "danger" if is_failed else "accent")
        self._buttons.setVisible(attachment is not None)
        self._fold.setVisible(attachment is not None)
        self._fold.show_state(self._fold_text(), is_open=self._report is not None)
        self._fill_menu()

    def first_button(self) -> QWidget:
        """Return what the keys go to first."""
        return self._more if self._buttons.isHidden() else self._open

    def offer_summary(self, is_offered: bool) -> None:
        """Let a summary be asked for, or not while one is being sent."""
        self._summarize.setEnabled(is_offered)
        self._options.setEnabled(is_offered)

    def _fold_text(self) -> str:
        attachment = self.document.attachment
        if attachment is None:
            return self.tr("Intake report")
        report = attachment.report
        left_out = sum(each.count for each in report.left_out) + report.unreadable
        hidden = len(report.hidden)
        parts = [self.tr("Intake report")]
        if left_out:
            parts.append(self.tr("%Ln thing(s) not read", "", left_out))
        if hidden:
            parts.append(self.tr("hidden text"))
        return " · ".join(parts)

    def _toggle_report(self) -> None:
        attachment = self.document.attachment
        if self._report is not None:
            self._report.hide()
            self._report.deleteLater()
            self._report = None
        elif attachment is not None:
            self._report = ReportView(self._theme, attachment.report)
            self._column.addWidget(self._report)
        self._fold.show_state(self._fold_text(), is_open=self._report is not None)

    def _fill_menu(self) -> None:
        document = self.document
        self._menu.clear()
        if document.attachment is not None:
            folder = self._menu.addAction(self.tr("Show in folder"))
            folder.setEnabled(document.path is not None)
            folder.triggered.connect(self.folder_requested)
        if document.is_draft:
            text = self.tr("Remove from draft")
            if document.state in ("waiting", "reading"):
                text = self.tr("Stop reading")
            self._menu.addAction(text).triggered.connect(self.remove_requested)
        self._more.setVisible(not self._menu.isEmpty())

    def _build_buttons(self, name: str) -> QWidget:
        self._summarize = _button(self.tr("Summarize"), self.tr("Summarize {}").format(name))
        self._summarize.clicked.connect(self.summarize_requested)
        about = self.tr("How {} is summarized").format(name)
        self._options = IconButton(self._theme, "down", about, size_px=16)
        self._options.clicked.connect(lambda: self.options_requested.emit(self._options))
        ask = _button(self.tr("Ask"), self.tr("Ask about {}").format(name))
        ask.clicked.connect(self.ask_requested)
        self._open = _button(self.tr("Open"), self.tr("Open {}").format(name))
        self._open.clicked.connect(self.open_requested)
        buttons = QWidget()
        row = QHBoxLayout(buttons)
        row.setContentsMargins(0, 2, 0, 0)
        row.setSpacing(6)
        row.addWidget(self._open)
        row.addWidget(ask)
        row.addWidget(self._summarize)
        row.addWidget(self._options)
        row.addStretch(1)
        return buttons

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._icon)
        head.addWidget(self._name, 1)
        head.addWidget(self._more)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(12, 8, 8, 10)
        self._column.setSpacing(4)
        self._column.addLayout(head)
        self._column.addWidget(self._about)
        self._column.addWidget(self._buttons)
        self._column.addWidget(self._fold)


def _button(text: str, name: str) -> ElidedButton:
    button = ElidedButton("small")
    button.setText(text)
    button.setAccessibleName(name)
    button.setToolTip(name)
    return button
