"""The small menu in which a person says how summaries are made."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from app.documents.options import SummaryOptions

Choices = tuple[tuple[str, str], ...]


class SummaryMenu(QMenu):
    """Length, style and language; what is chosen counts for the next summaries.

    Attributes:
        options: What is chosen.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("How summaries are made"))
        self.options = SummaryOptions()
        lengths = (
            ("short", self.tr("Short")),
            ("medium", self.tr("Medium")),
            ("long", self.tr("Long")),
        )
        styles = (
            ("points", self.tr("Points")),
            ("paragraph", self.tr("Paragraph")),
            ("minutes", self.tr("Minutes")),
            ("actions", self.tr("Action list")),
            ("facts", self.tr("Table of key facts")),
        )
        languages = (
            ("", self.tr("The document's own")),
            ("en", self.tr("English")),
            ("de", self.tr("German")),
            ("fr", self.tr("French")),
            ("es", self.tr("Spanish")),
            ("it", self.tr("Italian")),
        )
        self._offer("length", self.tr("Length"), lengths)
        self._offer("style", self.tr("Style"), styles)
        self._offer("language", self.tr("Language"), languages)

    def _offer(self, name: str, title: str, choices: Choices) -> None:
        if not self.isEmpty():
            self.addSeparator()
        self.addAction(title).setEnabled(False)
        group = QActionGroup(self)
        for value, text in choices:
            action = self.addAction(text)
            action.setCheckable(True)
            action.setChecked(value == getattr(self.options, name))
            action.triggered.connect(self._chooser({name: value}))
            group.addAction(action)

    def _chooser(self, changes: dict[str, Any]) -> Callable[[], None]:
        def choose() -> None:
            self.options = replace(self.options, **changes)

        return choose
