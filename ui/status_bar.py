"""The foot of the window: what runs where and how fast, all of it measured."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QWidget

from inference.types import DeviceChoice
from ui.buttons import ElidedButton
from ui.chat.wording import decimal, number
from ui.devices.words import DeviceWords
from ui.labels import ElidedLabel, IconLabel, text_label
from ui.theme import Theme

_METER_WIDTH_PX = 120
_METER_STEPS = 1000
_NEARLY_FULL = 0.85


class StatusBar(QWidget):
    """Device, speed, the offline sign, what is being added, and how full the context window is.

    Signals:
        devices_requested: Show the devices.
        models_requested: Show what is being added.
    """

    devices_requested = Signal()
    models_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("status")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._device_icon = IconLabel(theme, "chip")
        self._words = DeviceWords(self)
        self._device = ElidedButton("status")
        self._device.clicked.connect(self.devices_requested)
        self._speed_icon = IconLabel(theme, "bolt")
        self._speed = text_label()
        self._offline_icon = IconLabel(theme, "lock", color="ok")
        self._offline = ElidedLabel()
        self._adding_icon = IconLabel(theme, "download", color="accent")
        self._adding = ElidedButton("status")
        self._adding.clicked.connect(self.models_requested)
        self._context_name = text_label(self.tr("Context"))
        self._context = text_label()
        self._meter = QProgressBar()
        self._meter.setTextVisible(False)
        self._meter.setFixedWidth(_METER_WIDTH_PX)
        self._meter.setRange(0, _METER_STEPS)
        self._meter.setAccessibleName(self.tr("Context used"))
        row = QHBoxLayout(self)
        row.setContentsMargins(24, 7, 20, 7)
        row.setSpacing(7)
        groups: tuple[tuple[QWidget, QWidget], ...] = (
            (self._device_icon, self._device),
            (self._speed_icon, self._speed),
            (self._offline_icon, self._offline),
            (self._adding_icon, self._adding),
        )
        for group in groups:
            for member in group:
                row.addWidget(member)
            row.addSpacing(12)
        row.addStretch(1)
        for widget in (self._context_name, self._meter, self._context):
            row.addWidget(widget)
        self.show_device(None)
        self.show_fetching(is_fetching=False)
        self.show_adding("")
        self.show_speed(0)
        self.show_context(0, 0)

    @property
    def device_text(self) -> str:
        """What is said of the device, in full."""
        return self._device.text()

    @property
    def adding_text(self) -> str:
        """What is said of the models that are being added; empty where there is none."""
        return self._adding.text()

    def show_device(self, device: DeviceChoice | None, note: str = "") -> None:
        """Say where the model runs; `note` stands there instead while nothing runs."""
        text = note or self.tr("No model loaded")
        details = text
        if device is not None:
            text = details = self._words.chosen(device)
            if device.reason:
                details = f"{self._words.kind(device.kind)} · {device.name}\n{text}"
        self._device.setText(text)
        self._device.setToolTip(details)
        self._device.setAccessibleName(self.tr("Device: {}").format(text))

    def show_fetching(self, *, is_fetching: bool) -> None:
        """Say that nothing leaves the device; while a model is fetched, say that instead."""
        if is_fetching:
            text = self.tr("Online to fetch a model, for nothing else")
        else:
            text = self.tr("Offline: nothing leaves this device")
        self._offline.setText(text)
        self._offline.setToolTip(text)
        icon = ("info", "warning") if is_fetching else ("lock", "ok")
        self._offline_icon.set_icon(*icon)

    def show_adding(self, text: str) -> None:
        """Say which model is being added and how far it is; empty says nothing."""
        for widget in (self._adding_icon, self._adding):
            widget.setVisible(bool(text))
        self._adding.setText(text)
        said = self.tr("Being added: {}").format(text)
        self._adding.setToolTip(said)
        self._adding.setAccessibleName(said)

    def show_speed(self, tokens_per_s: float) -> None:
        """Say how fast the last answer was written; 0 says nothing."""
        is_known = tokens_per_s > 0
        self._speed.setVisible(is_known)
        self._speed_icon.setVisible(is_known)
        self._speed.setText(self.tr("{} tokens/s").format(decimal(tokens_per_s)))

    def show_context(self, used_tokens: int, limit_tokens: int) -> None:
        """Say how much of the context window is used; a limit of 0 says nothing."""
        for widget in (self._context_name, self._meter, self._context):
            widget.setVisible(limit_tokens > 0)
        if limit_tokens <= 0:
            return
        share = min(1.0, used_tokens / limit_tokens)
        used, limit = number(used_tokens), number(limit_tokens)
        self._context.setText(self.tr("{used} / {limit}").format(used=used, limit=limit))
        self._meter.setValue(round(share * _METER_STEPS))
        self._meter.setToolTip(
            self.tr("{used} of {limit} tokens are used").format(used=used, limit=limit)
        )
        self._meter.setProperty("full", "true" if share >= _NEARLY_FULL else "false")
        self._meter.style().polish(self._meter)
