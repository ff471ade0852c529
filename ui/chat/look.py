"""What all message widgets share: the theme, and what is derived from it."""

from PySide6.QtCore import QObject, Signal

from ui.chat.code_colors import CodeColoring
from ui.theme import Theme

_RULES = """
a {{ color: {link}; }}
a.mark {{ color: {accent}; text-decoration: none; font-weight: 600; font-size: small; }}
p, pre, blockquote, hr {{ margin-top: 0; margin-bottom: 12px; }}
hr {{ background-color: {border}; }}
p, li {{ line-height: 140%; }}
ul, ol {{ margin-left: 0; margin-bottom: 0; margin-top: 0; }}
li {{ margin-top: 3px; margin-bottom: 6px; }}
h1, h2, h3, h4, h5, h6 {{ margin-top: 8px; margin-bottom: 8px; font-weight: 600; }}
h1 {{ font-size: x-large; }} h2 {{ font-size: large; }}
h3, h4, h5, h6 {{ font-size: medium; }}
blockquote {{ margin-left: 16px; margin-right: 0; color: {muted}; }}
code, pre {{ font-family: {mono}; font-size: {code}px; }}
code {{ background-color: {bubble}; }}
pre {{ background-color: {code_background}; }}
table {{ margin-top: 0; margin-bottom: 0; border: 1px solid {border}; border-collapse: collapse; }}
th, td {{ border: 1px solid {border}; padding: 6px 12px; }}
th {{ font-weight: 600; background-color: {sidebar}; }}
"""
_TOKENS = ("link", "accent", "muted", "bubble", "code_background", "border", "sidebar")


class Look(QObject):
    """Theme and style sheet of the documents in messages, and who colours code; GUI thread only.

    Signals:
        changed: Everything that is on screen has to be dressed again.
    """

    changed = Signal()

    def __init__(self, theme: Theme, coloring: CodeColoring, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.coloring = coloring
        self._refresh()
        theme.changed.connect(self._on_theme_changed)

    def _on_theme_changed(self) -> None:
        self._refresh()
        self.changed.emit()

    def _refresh(self) -> None:
        self.body_font = self.theme.font()
        self.code_font = self.theme.font("code")
        self.document_rules = self._rules()

    def _rules(self) -> str:
        code = self.code_font
        colors = {token: self.theme.color(token).name() for token in _TOKENS}
        return _RULES.format(
            **colors,
            code=code.pixelSize(),
            mono=", ".join(f"'{family}'" for family in code.families()),
        )
