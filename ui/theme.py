"""Colours, icons, fonts and the style sheet: the one place the window takes its look from.

Tokens live in `resources/theme.json`, rules in `resources/base.qss` with `@token` placeholders.
Fusion draws the controls on every system, so that one set of rules is enough. Where a person has
asked their system for high contrast, Snug keeps the system's palette and adds no rules of its own:
whatever we chose would be a worse guess than theirs.
"""

import json
import re
from collections.abc import Callable, Mapping
from importlib import resources
from typing import Literal

from PySide6.QtCore import QByteArray, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QGuiApplication,
    QIcon,
    QPainter,
    QPalette,
    QPixmap,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

Scheme = Literal["system", "light", "dark"]
FontRole = Literal["body", "small", "title", "heading", "code"]

_SMALLEST_BODY_PX = 14
_FONT_STEPS_PX: Mapping[FontRole, int] = {
    "body": 0,
    "small": -2,
    "title": 0,
    "heading": 8,
    "code": -1,
}
_DENSITIES = (1.0, 2.0)
_PLACEHOLDER = re.compile(r"@([a-z_]+)")
_SYSTEM_ROLES: Mapping[str, QPalette.ColorRole] = {
    "surface": QPalette.ColorRole.Base,
    "code_background": QPalette.ColorRole.Base,
    "window": QPalette.ColorRole.Window,
    "sidebar": QPalette.ColorRole.Window,
    "desk": QPalette.ColorRole.Window,
    "bubble": QPalette.ColorRole.AlternateBase,
    "code_header": QPalette.ColorRole.AlternateBase,
    "hover": QPalette.ColorRole.AlternateBase,
    "accent_soft": QPalette.ColorRole.AlternateBase,
    "danger_soft": QPalette.ColorRole.AlternateBase,
    "warning_soft": QPalette.ColorRole.AlternateBase,
    "accent": QPalette.ColorRole.Highlight,
    "accent_hover": QPalette.ColorRole.Highlight,
    "selection": QPalette.ColorRole.Highlight,
    "accent_text": QPalette.ColorRole.HighlightedText,
    "link": QPalette.ColorRole.Link,
}
# Paper and what is drawn on it look the same whatever stands around them.
_ON_PAPER = ("paper", "ink", "mark", "mark_strong")
_PALETTE: Mapping[QPalette.ColorRole, str] = {
    QPalette.ColorRole.Window: "window",
    QPalette.ColorRole.WindowText: "text",
    QPalette.ColorRole.Base: "surface",
    QPalette.ColorRole.AlternateBase: "sidebar",
    QPalette.ColorRole.Text: "text",
    QPalette.ColorRole.PlaceholderText: "muted",
    QPalette.ColorRole.Button: "surface",
    QPalette.ColorRole.ButtonText: "text",
    QPalette.ColorRole.ToolTipBase: "surface",
    QPalette.ColorRole.ToolTipText: "text",
    QPalette.ColorRole.Highlight: "accent",
    QPalette.ColorRole.HighlightedText: "accent_text",
    QPalette.ColorRole.Accent: "accent",
    QPalette.ColorRole.Link: "link",
    QPalette.ColorRole.LinkVisited: "link",
    QPalette.ColorRole.Mid: "border",
}


def _system_prefers_contrast() -> bool:
    preference = QGuiApplication.styleHints().accessibility().contrastPreference()
    return preference == Qt.ContrastPreference.HighContrast


class Theme(QObject):
    """The look in force; GUI thread only, and after the QApplication.

    Signals:
        changed: Colours, and with them icons and fonts, are other ones now.
    """

    changed = Signal()

    def __init__(
        self,
        scheme: Scheme = "system",
        *,
        prefers_contrast: Callable[[], bool] = _system_prefers_contrast,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._tokens: dict[str, dict[str, str]] = json.loads(_read("theme.json"))
        self._rules = _read("base.qss")
        self._drawings: dict[str, str] = {}
        self._icons: dict[tuple[str, str, int], QIcon] = {}
        self._prefers_contrast = prefers_contrast
        self._application: QApplication | None = None
        self._system_font = QFont(QApplication.font())
        self._system_palette = QPalette(QApplication.palette())
        self._scheme = scheme
        self._hints = QGuiApplication.styleHints()
        self._hints.colorSchemeChanged.connect(self._follow_system)

    @property
    def scheme(self) -> Scheme:
        """What the person chose."""
        return self._scheme

    @property
    def is_dark(self) -> bool:
        """True where dark colours are in force, whoever chose them."""
        if self._scheme == "system":
            return self._hints.colorScheme() == Qt.ColorScheme.Dark
        return self._scheme == "dark"

    @property
    def is_high_contrast(self) -> bool:
        """True where the system's own palette is kept as it is."""
        return self._prefers_contrast()

    def color(self, token: str) -> QColor:
        """Return the colour of `token`; a KeyError means that theme.json has no such token."""
        value = self._tokens["dark" if self.is_dark else "light"][token]
        if self.is_high_contrast and token not in _ON_PAPER:
            role = _SYSTEM_ROLES.get(token, QPalette.ColorRole.WindowText)
            return QPalette(self._system_palette).color(role)
        return QColor(value)

    def font(self, role: FontRole = "body") -> QFont:
        """Return the system's font in the size of `role`; never smaller than the system's own."""
        font = QFont(self._system_font)
        if role == "code":
            fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
            font.setFamilies(fixed.families() or [fixed.family()])
        font.setPixelSize(self._body_px() + _FONT_STEPS_PX[role])
        if role in ("title", "heading"):
            font.setWeight(QFont.Weight.DemiBold)
        return font

    def icon(self, name: str, token: str = "text", size_px: int = 20) -> QIcon:  # noqa: S107
        """Return the icon `name` in the colour of `token`, drawn for `size_px` square."""
        color = self.color(token).name()
        key = (name, color, size_px)
        if key not in self._icons:
            self._icons[key] = _draw_icon(self._drawing(name), color, size_px)
        return self._icons[key]

    def stylesheet(self) -> str:
        """Return the rules with every placeholder filled; empty in high contrast."""
        if self.is_high_contrast:
            return ""
        sizes: dict[str, str] = {
            f"font_{role}": f"{self._body_px() + step}px" for role, step in _FONT_STEPS_PX.items()
        }
        values = sizes | self._tokens["dark" if self.is_dark else "light"]
        return _PLACEHOLDER.sub(lambda match: values[match.group(1)], self._rules)

    def apply(self, application: QApplication) -> None:
        """Dress `application`, now and after every later change."""
        self._application = application
        application.setStyle("Fusion")
        self._dress()

    def set_scheme(self, scheme: Scheme) -> None:
        """Choose light, dark or what the system says."""
        if scheme == self._scheme:
            return
        self._scheme = scheme
        self._dress()
        self.changed.emit()

    def _follow_system(self) -> None:
        if self._scheme == "system":
            self._dress()
            self.changed.emit()

    def _dress(self) -> None:
        if self._application is None:
            return
        self._application.setFont(self.font())
        self._application.setPalette(self._palette())
        self._application.setStyleSheet(self.stylesheet())

    def _palette(self) -> QPalette:
        palette = QPalette(self._system_palette)
        if self.is_high_contrast:
            return palette
        for role, token in _PALETTE.items():
            palette.setColor(role, self.color(token))
        for role in (QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, role, self.color("muted"))
        return palette

    def _body_px(self) -> int:
        points = self._system_font.pointSizeF()
        system_px = self._system_font.pixelSize() if points < 0 else round(points * 96 / 72)
        return max(_SMALLEST_BODY_PX, system_px)

    def _drawing(self, name: str) -> str:
        if name not in self._drawings:
            self._drawings[name] = _read(f"icons/{name}.svg")
        return self._drawings[name]


def _read(name: str) -> str:
    return resources.files("resources").joinpath(name).read_text("utf-8")


def _draw_icon(drawing: str, color: str, size_px: int) -> QIcon:
    renderer = QSvgRenderer(QByteArray(drawing.replace("#000", color).encode()))
    icon = QIcon()
    for density in _DENSITIES:
        pixmap = QPixmap(QSize(size_px, size_px) * density)
        pixmap.setDevicePixelRatio(density)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        renderer.render(painter, QRectF(0, 0, size_px, size_px))
        painter.end()
        icon.addPixmap(pixmap)
    return icon
