"""The dialog that lists the devices and lets a person choose."""

from collections.abc import Sequence
from typing import get_args

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.models.device_values import DeviceReport
from inference.types import DeviceChoice, DeviceTarget, DeviceWish
from ui.choice_box import ChoiceBox
from ui.devices.card import DeviceCard
from ui.devices.desk import Tested
from ui.devices.words import DeviceWords
from ui.labels import text_label
from ui.theme import Theme

_SIZE_PX = (600, 480)


class DevicesDialog(QDialog):
    """Shows what it is told; what is asked for is its owner's business.

    Signals:
        wish_chosen: Where models shall run; a `DeviceWish`.
        test_requested: Try this device; a `DeviceTarget`.
        cancel_requested: End the test under way.
    """

    wish_chosen = Signal(str)
    test_requested = Signal(object)
    cancel_requested = Signal()

    def __init__(self, theme: Theme, wish: DeviceWish, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._words = DeviceWords(self)
        self._cards: dict[int, tuple[DeviceTarget, DeviceCard]] = {}
        self._has_model = False
        self._is_testing = False
        self.setWindowTitle(self.tr("Devices"))
        self.resize(*_SIZE_PX)
        self._now = text_label(role="muted", wrap=True)
        self._wish = ChoiceBox(theme, self.tr("Run models on"))
        for each, text in self._wishes():
            self._wish.addItem(text, each)
        self._wish.setCurrentIndex(self._wish.findData(wish))
        self._wish.activated.connect(lambda: self.wish_chosen.emit(self._wish.currentData()))
        self._note = text_label(self.tr("Looking for devices…"), "muted", wrap=True)
        self._lay_out()

    @property
    def note(self) -> str:
        """What is said instead of the list, or above it."""
        return self._note.text()

    def cards(self) -> list[DeviceCard]:
        """Return the devices shown, best first."""
        return [card for _, card in self._cards.values()]

    def show_now(self, device: DeviceChoice | None) -> None:
        """Say where the model runs now."""
        text = self.tr("No model is loaded now.")
        if device is not None:
            text = self.tr("Now: {}").format(self._words.chosen(device))
        self._now.setText(text)

    def show_reports(self, reports: Sequence[DeviceReport], *, has_model: bool) -> None:
        """List the devices; without a model none of them can be tested."""
        self._has_model = has_model
        for _, card in self._cards.values():
            card.hide()
            card.deleteLater()
        self._cards = {}
        for at, report in enumerate(reports):
            card = DeviceCard(self._theme, report)
            target = report.target
            card.test_requested.connect(lambda target=target: self.test_requested.emit(target))
            card.cancel_requested.connect(self._on_cancelled)
            self._list.insertWidget(at, card)
            self._cards[at] = (target, card)
        self._chain_focus()
        self._show_note(self._advice(reports, has_model=has_model))
        self._offer()

    def show_failure(self, text: str) -> None:
        """Say why there is no list, or no result."""
        self._show_note(text)

    def show_stage(self, target: DeviceTarget, stage: str) -> None:
        """Say how far the test of a device is."""
        self._is_testing = True
        self._offer()
        card = self._card(target)
        if card is not None:
            card.show_stage(stage)

    def show_result(self, target: DeviceTarget, tested: Tested | None) -> None:
        """Say what a test found out; None where it was given up."""
        self._is_testing = False
        card = self._card(target)
        if card is not None:
            card.show_report(tested.report if tested else card.report)
            if tested is not None and tested.bench is not None:
                card.show_bench(tested.bench)
        self._offer()

    def _advice(self, reports: Sequence[DeviceReport], *, has_model: bool) -> str:
        if not has_model:
            return self.tr("A device is tested with a model: add one first.")
        if all(report.target.kind == "cpu" for report in reports):
            return self.tr("Snug found no graphics or AI processor that it can use here.")
        return ""

    def _card(self, target: DeviceTarget) -> DeviceCard | None:
        return next((card for each, card in self._cards.values() if each == target), None)

    def _chain_focus(self) -> None:
        """Let the Tab key go from the top down, though the cards came last."""
        before: QWidget = self._wish
        for _, card in self._cards.values():
            for button in card.buttons():
                QWidget.setTabOrder(before, button)
                before = button
        QWidget.setTabOrder(before, self._close)

    def _on_cancelled(self) -> None:
        for _, card in self._cards.values():
            if card.is_testing:
                card.show_stopping()
        self.cancel_requested.emit()

    def _offer(self) -> None:
        for _, card in self._cards.values():
            card.offer_test(is_offered=self._has_model and not self._is_testing)

    def _show_note(self, text: str) -> None:
        self._note.setText(text)
        self._note.setVisible(bool(text))

    def _wishes(self) -> tuple[tuple[DeviceWish, str], ...]:
        texts: dict[DeviceWish, str] = {
            "auto": self.tr("Automatic: the fastest that works"),
            "cpu": self.tr("Processor (CPU)"),
            "gpu": self.tr("Graphics processor (GPU)"),
            "npu": self.tr("AI processor (NPU)"),
        }
        return tuple((wish, texts[wish]) for wish in get_args(DeviceWish))

    def _lay_out(self) -> None:
        content = QWidget()
        content.setObjectName("page")
        self._list = QVBoxLayout(content)
        self._list.setContentsMargins(26, 4, 22, 12)
        self._list.setSpacing(10)
        self._list.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(content)
        wish = QHBoxLayout()
        wish.addWidget(text_label(self.tr("Run models on")))
        wish.addWidget(self._wish, 1)
        head = QVBoxLayout()
        head.setContentsMargins(26, 20, 26, 10)
        head.setSpacing(8)
        head.addWidget(text_label(self.tr("Devices"), "title"))
        head.addLayout(wish)
        head.addWidget(self._now)
        head.addWidget(self._note)
        self._close = QPushButton(self.tr("Close"))
        self._close.clicked.connect(self.reject)
        self._close.setDefault(True)
        foot = QHBoxLayout()
        foot.setContentsMargins(26, 10, 26, 18)
        foot.addStretch(1)
        foot.addWidget(self._close)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addLayout(head)
        outer.addWidget(area, 1)
        outer.addLayout(foot)
