"""The small menu in which a person says how summaries are made."""

from collections.abc import Callable
from typing import Any

from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QWidget


class SummaryMenu(QMenu):
    """Length, style and language; what is chosen counts for the next summaries.

    Attributes:
        length: As `SummaryOptions` names it, as are the others.
        language: Empty for the document's own.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("How summaries are made"))
        self.length: Any = "medium"
        self.style_name: Any = "points"
        self.language = ""
        self._build()

    def _build(self) -> None:
        self._group(
            self.tr("Length"),
            (
                ("short", self.tr("Short")),
                ("medium", self.tr("Medium")),
                ("long", self.tr("Long")),
            ),
            self._set_length,
        )
        self._group(
            self.tr("Style"),
            (
                ("points", self.tr("Points")),
                ("paragraph", self.tr("Paragraph")),
                ("minutes", self.tr("Minutes")),
                ("actions", self.tr("Action list")),
                ("facts", self.tr("Table of key facts")),
            ),
            self._set_style,
        )
        self._group(
            self.tr("Language"),
            (
                ("", self.tr("The document's own")),
                ("en", self.tr("English")),
                ("de", self.tr("German")),
                ("fr", self.tr("French")),
                ("es", self.tr("Spanish")),
                ("it", self.tr("Italian")),
            ),
            self._set_language,
        )

    def _group(
        self,
        title: str,
        choices: tuple[tuple[str, str], ...],
        choose: Callable[[str], None],
    ) -> None:
        self.addSection(title)
        heading = self.addAction(title)
        heading.setEnabled(False)
        group = QActionGroup(self)
        now = {"short", "medium", "long"} & {value for value, _ in choices}
        chosen = "medium" if now else choices[0][0]
        for value, text in choices:
            action = self.addAction(text)
            action.setCheckable(True)
            action.setChecked(value == chosen)
            action.setData(value)
            action.triggered.connect(_chooser(choose, value))
            group.addAction(action)

    def _set_length(self, length: str) -> None:
        self.length = length

    def _set_style(self, style: str) -> None:
        self.style_name = style

    def _set_language(self, language: str) -> None:
        self.language = language


def _chooser(choose: Callable[[str], None], value: str) -> Callable[[], None]:
    return lambda: choose(value)
