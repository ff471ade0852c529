"""What happens to older messages when a conversation is too long for the model."""

from PySide6.QtWidgets import QButtonGroup, QRadioButton, QVBoxLayout, QWidget

from app.chat.values import AnswerSettings, Overflow
from ui.answer_settings.field import Field
from ui.theme import Theme

_DEFAULT: Overflow = AnswerSettings().overflow


class OverflowField(Field):
    """Three ways, one of them chosen."""

    def __init__(self, theme: Theme, value: Overflow) -> None:
        super().__init__(
            theme,
            self.tr("When the conversation gets too long"),
            self.tr("Context is full"),
            self.tr("Your messages stay in the chat: this is only about what the model sees."),
        )
        texts: tuple[tuple[Overflow, str], ...] = (
            ("drop", self.tr("Drop older turns from the model's view")),
            ("summarize", self.tr("Summarize older turns for the model")),
            ("ask", self.tr("Stop and ask me")),
        )
        choices = QWidget()
        column = QVBoxLayout(choices)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        self._group = QButtonGroup(self)
        self._buttons: dict[Overflow, QRadioButton] = {}
        for overflow, text in texts:
            button = QRadioButton(text)
            button.setChecked(overflow == value)
            self._group.addButton(button)
            self._buttons[overflow] = button
            column.addWidget(button)
        self._group.buttonToggled.connect(self.refresh)
        self.put_below(choices)
        self.refresh()

    @property
    def value(self) -> Overflow:
        """The way chosen."""
        chosen = (overflow for overflow, button in self._buttons.items() if button.isChecked())
        return next(chosen, _DEFAULT)

    @property
    def is_set(self) -> bool:
        """Whether it is another than the default."""
        return self.value != _DEFAULT

    def reset(self) -> None:
        """Take the default again."""
        self._buttons[_DEFAULT].setChecked(True)
