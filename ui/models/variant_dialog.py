"""What a hub holds of a model: its variants, its licence, and a token where one is due."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.messages import readable_bytes
from ui.labels import ElidedLabel, IconLabel, text_label
from ui.models.words import ModelWords
from ui.theme import Theme

if TYPE_CHECKING:
    from app.models.fit import Fit
    from app.models.hub.values import RemoteModel, Variant

_WIDTH_PX = 600
_TALLEST_PX = 270
_LICENCE_PX = 110


@dataclass(frozen=True, slots=True)
class Choice:
    """What can be fetched of a repository.

    Attributes:
        found: The variants, each with how well it fits this machine.
        best: The name of the one to take when nobody chooses; empty where none suits.
        licence_text: In full; empty where Snug does not carry it.
        has_token: Whether a token for this hub is in the keyring.
    """

    remote: "RemoteModel"
    found: "tuple[tuple[Variant, Fit], ...]"
    best: str
    licence_text: str
    has_token: bool


class VariantDialog(QDialog):
    """Nothing is fetched before Fetch is pressed.

    Signals:
        fetch_wanted: (variant: Variant).
        token_wanted: Ask for a token.
    """

    fetch_wanted = Signal(object)
    token_wanted = Signal()

    def __init__(self, theme: Theme, choice: Choice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._choice = choice
        self._words = ModelWords(self)
        self._variants = [variant for variant, _ in choice.found]
        self.setWindowTitle(self.tr("Get a model"))
        self.setMinimumWidth(_WIDTH_PX)
        self._group = QButtonGroup(self)
        self._fetch = QPushButton(self.tr("Fetch"))
        self._fetch.setProperty("role", "primary")
        self._fetch.setDefault(True)
        self._fetch.clicked.connect(self._on_fetch)
        self._token = QFrame()
        self._lay_out()
        self._group.idToggled.connect(self._show_chosen)
        self.set_has_token(has_token=choice.has_token)
        self._show_chosen()

    @property
    def chosen(self) -> "Variant | None":
        """The variant that is marked."""
        at = self._group.checkedId()
        return self._variants[at] if at >= 0 else None

    def set_has_token(self, *, has_token: bool) -> None:
        """Say whether the hub can be told who fetches."""
        self._token.setVisible(self._choice.remote.is_gated and not has_token)

    def _on_fetch(self) -> None:
        variant = self.chosen
        if variant is not None:
            self.fetch_wanted.emit(variant)
            self.accept()

    def _show_chosen(self, *_: object) -> None:
        variant = self.chosen
        self._fetch.setEnabled(variant is not None)
        if variant is not None:
            text = self.tr("Fetch ({})").format(readable_bytes(variant.bytes))
            self._fetch.setText(text)
            self._fetch.setAccessibleName(text)

    def _lay_out(self) -> None:
        remote = self._choice.remote
        column = QVBoxLayout(self)
        column.setContentsMargins(26, 20, 26, 18)
        column.setSpacing(8)
        title = ElidedLabel("title")
        title.setText(remote.repository)
        title.setToolTip(remote.repository)
        column.addWidget(title)
        state = self.tr("As the hub says now, version {}.").format(remote.commit[:8])
        column.addWidget(text_label(state, "muted"))
        column.addWidget(self._build_variants())
        licence = remote.licence or self.tr("not stated")
        column.addWidget(
            text_label(self.tr("Licence: {}").format(self._words.licence(licence)), "section")
        )
        text = QPlainTextEdit(self._choice.licence_text)
        text.setReadOnly(True)
        text.setProperty("role", "field")
        text.setTabChangesFocus(True)
        text.setAccessibleName(self.tr("Licence text"))
        text.setFixedHeight(_LICENCE_PX)
        column.addWidget(text)
        if not self._choice.licence_text:
            text.hide()
            where = self.tr("Read its text on the model's page before you use it for work.")
            column.addWidget(text_label(where, "muted", wrap=True))
        self._build_token()
        column.addWidget(self._token)
        cancel = QPushButton(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(cancel)
        foot.addWidget(self._fetch)
        column.addSpacing(4)
        column.addLayout(foot)

    def _build_variants(self) -> QWidget:
        if not self._choice.found:
            nothing = self.tr(
                "There is nothing here that Snug can run: it needs a folder for ONNX Runtime GenAI"
                " or a GGUF file in one piece."
            )
            return text_label(nothing, wrap=True)
        rows = QWidget()
        rows.setObjectName("variant_list")
        column = QVBoxLayout(rows)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for at, (variant, fit) in enumerate(self._choice.found):
            column.addWidget(self._row(at, variant, fit))
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(area.focusPolicy().NoFocus)
        area.setWidget(rows)
        area.setFixedHeight(min(_TALLEST_PX, rows.sizeHint().height()))
        return area

    def _row(self, at: int, variant: "Variant", fit: "Fit") -> QWidget:
        row = QFrame()
        row.setObjectName("document_card")
        name = variant.name or self.tr("The whole repository")
        radio = QRadioButton(name)
        radio.setToolTip(name)
        # A long folder name is cut at the dialog's edge, and whole in the tooltip.
        radio.setSizePolicy(radio.sizePolicy().Policy.Ignored, radio.sizePolicy().Policy.Fixed)
        facts = (
            self._words.device(variant),
            variant.quantization,
            readable_bytes(variant.bytes),
            self._words.speed(fit),
        )
        said = " · ".join(fact for fact in facts if fact)
        radio.setAccessibleName(f"{name}: {said}")
        radio.setChecked(variant.name == self._choice.best)
        self._group.addButton(radio, at)
        head = QHBoxLayout()
        head.addWidget(radio, 1)
        if variant.name == self._choice.best:
            head.addWidget(text_label(self.tr("Recommended"), "badge"))
        column = QVBoxLayout(row)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(2)
        column.addLayout(head)
        column.addWidget(text_label(said, "muted", wrap=True))
        verdict = QHBoxLayout()
        verdict.setSpacing(7)
        icon, color = ("chip", "ok") if fit.verdict == "fits" else ("warning", "warning")
        verdict.addWidget(IconLabel(self._theme, icon, color=color, size_px=14))
        verdict.addWidget(text_label(self._words.fit(fit), "muted", wrap=True), 1)
        column.addLayout(verdict)
        return row

    def _build_token(self) -> None:
        self._token.setObjectName("notice")
        self._token.setProperty("kind", "warning")
        text = self.tr(
            "Its owner wants to know who fetches it: accept the terms on the model's page, then"
            " give Snug a token."
        )
        button = QPushButton(self.tr("Enter a token…"))
        button.setAutoDefault(False)
        button.clicked.connect(self.token_wanted)
        row = QHBoxLayout(self._token)
        row.setContentsMargins(14, 8, 10, 8)
        row.addWidget(text_label(text, wrap=True), 1)
        row.addWidget(button)
