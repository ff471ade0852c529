import json
import re
from collections.abc import Iterator
from importlib import resources
from itertools import product

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QImage, QPalette
from PySide6.QtWidgets import QApplication

from ui.theme import Theme

FOLDER = resources.files("resources")
TOKENS = json.loads(FOLDER.joinpath("theme.json").read_text("utf-8"))
ICONS = sorted(
    file.name.removesuffix(".svg")
    for file in FOLDER.joinpath("icons").iterdir()
    if file.name.endswith(".svg")
)
READABLE = 4.5
VISIBLE = 3.0


@pytest.fixture
def dressed(qapp: QApplication) -> Iterator[QApplication]:
    palette, font, name = QPalette(qapp.palette()), qapp.font(), qapp.style().objectName()
    yield qapp
    qapp.setStyleSheet("")
    qapp.setStyle(name)
    qapp.setPalette(palette)
    qapp.setFont(font)


def luminance(color: str) -> float:
    parts = [int(color[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_both_schemes_have_the_same_tokens() -> None:
    assert TOKENS["light"].keys() == TOKENS["dark"].keys()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("text", "background"),
    [
        *product(("text", "muted"), ("window", "surface", "sidebar", "bubble", "hover")),
        *product(("text",), ("selection", "accent_soft", "danger_soft", "warning_soft")),
        *product(("link", "danger", "warning", "ok"), ("window", "surface")),
        ("accent_text", "accent"),
        ("accent_text", "accent_hover"),
        ("accent", "accent_soft"),
        ("danger", "danger_soft"),
        *product(
            ("text", "syntax_keyword", "syntax_string", "syntax_comment", "syntax_name"),
            ("code_background",),
        ),
        ("syntax_number", "code_background"),
        ("muted", "code_header"),
    ],
)
def test_text_is_readable_on_its_background(scheme: str, text: str, background: str) -> None:
    assert contrast(TOKENS[scheme][text], TOKENS[scheme][background]) >= READABLE


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("background", ["window", "surface", "sidebar"])
@pytest.mark.parametrize("mark", ["link", "control_border", "accent"])
def test_the_mark_of_focus_is_visible(scheme: str, background: str, mark: str) -> None:
    assert contrast(TOKENS[scheme][mark], TOKENS[scheme][background]) >= VISIBLE


def test_every_placeholder_of_the_rules_is_filled(theme: Theme) -> None:
    assert not re.search(r"@[a-z_]+", theme.stylesheet())
    assert "#ffffff" in theme.stylesheet()


def test_an_unknown_token_is_an_error(theme: Theme) -> None:
    with pytest.raises(KeyError):
        theme.color("no_such_token")


@pytest.mark.parametrize("name", ICONS)
def test_every_icon_is_drawn_in_the_color_that_is_asked_for(theme: Theme, name: str) -> None:
    image = theme.icon(name, "danger", 24).pixmap(QSize(24, 24)).toImage()
    inked = [
        image.pixelColor(x, y)
        for x, y in product(range(image.width()), range(image.height()))
        if image.pixelColor(x, y).alpha() > 250
    ]
    wanted = theme.color("danger")
    assert inked
    assert all(
        abs(color.red() - wanted.red()) <= 3 and abs(color.blue() - wanted.blue()) <= 3
        for color in inked
    )


def test_icons_are_sharp_on_dense_screens(theme: Theme) -> None:
    assert theme.icon("plus", size_px=18).pixmap(QSize(18, 18), 2.0).size() == QSize(36, 36)


def test_a_chosen_scheme_changes_the_whole_application(dressed: QApplication) -> None:
    theme = Theme("light")
    theme.apply(dressed)
    assert dressed.palette().color(QPalette.ColorRole.Window) == QColor(TOKENS["light"]["window"])
    changes: list[bool] = []
    theme.changed.connect(lambda: changes.append(theme.is_dark))

    theme.set_scheme("dark")

    assert changes == [True]
    assert dressed.palette().color(QPalette.ColorRole.Window) == QColor(TOKENS["dark"]["window"])
    assert TOKENS["dark"]["sidebar"] in dressed.styleSheet()


def test_the_system_is_followed_only_when_it_was_chosen(dressed: QApplication) -> None:
    chosen, following = Theme("dark"), Theme("system")
    changes: list[str] = []
    chosen.changed.connect(lambda: changes.append("chosen"))
    following.changed.connect(lambda: changes.append("following"))

    hints = dressed.styleHints()
    hints.colorSchemeChanged.emit(hints.colorScheme())

    assert changes == ["following"]


def test_high_contrast_keeps_the_systems_palette_and_adds_no_rules(dressed: QApplication) -> None:
    before = QPalette(dressed.palette())
    theme = Theme("dark", prefers_contrast=lambda: True)
    theme.apply(dressed)
    assert theme.stylesheet() == ""
    assert dressed.palette().color(QPalette.ColorRole.Window) == before.color(
        QPalette.ColorRole.Window
    )
    assert theme.color("accent") == before.color(QPalette.ColorRole.Highlight)
    assert theme.color("muted") == before.color(QPalette.ColorRole.WindowText)


def test_fonts_are_never_smaller_than_the_systems(qapp: QApplication, theme: Theme) -> None:
    assert theme.font("body").pixelSize() >= 14
    assert theme.font("small").pixelSize() == theme.font("body").pixelSize() - 2
    assert theme.font("heading").pixelSize() > theme.font("title").pixelSize()
    assert isinstance(theme.icon("plus").pixmap(QSize(20, 20)).toImage(), QImage)
