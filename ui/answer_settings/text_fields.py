"""Settings that are texts: what the model is told beforehand, and where an answer ends."""

from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QCheckBox, QPlainTextEdit

from ui.answer_settings.field import Field
from ui.theme import Theme

_PROMPT_LINES = 5
_STOP_LINES = 2
_FRAME_PX = 22


class PromptField(Field):
    """The system prompt: an empty field is Snug's own, and a tick sends none at all."""

    def __init__(self, theme: Theme, default: str, value: str | None) -> None:
        super().__init__(theme, self.tr("Instructions"), self.tr("System prompt"), "")
        self._edit = _edit(_PROMPT_LINES)
        self._edit.setPlaceholderText(default)
        self._edit.setPlainText(value or "")
        self._none = QCheckBox(self.tr("Tell the model nothing beforehand"))
        self._none.setChecked(value == "")
        self._none.toggled.connect(self.refresh)
        self.put_below(self._edit)
        self.add(self._none)
        self._edit.textChanged.connect(self.refresh)
        self.refresh()

    @property
    def value(self) -> str | None:
        """What the model is told; None is Snug's own text, empty is nothing."""
        if self._none.isChecked():
            return ""
        return self._edit.toPlainText().strip() or None

    @property
    def is_set(self) -> bool:
        """Whether it is another than Snug's own."""
        return self.value is not None

    def reset(self) -> None:
        """Take Snug's own text again."""
        self._none.setChecked(False)
        self._edit.clear()

    def refresh(self) -> None:
        """Let nothing be written where nothing is sent."""
        self._edit.setEnabled(not self._none.isChecked())
        super().refresh()


class StopField(Field):
    """Strings that end an answer, one a line."""

    def __init__(self, theme: Theme, value: tuple[str, ...]) -> None:
        super().__init__(
            theme,
            self.tr("End the answer at"),
            self.tr("Stop strings"),
            self.tr("One a line; the answer ends before the first of them."),
        )
        self._edit = _edit(_STOP_LINES)
        self._edit.setPlainText("\n".join(value))
        self.put_below(self._edit)
        self._edit.textChanged.connect(self.refresh)
        self.refresh()

    @property
    def value(self) -> tuple[str, ...]:
        """The strings."""
        return tuple(line for line in self._edit.toPlainText().split("\n") if line.strip())

    @property
    def is_set(self) -> bool:
        """Whether there is one."""
        return bool(self.value)

    def reset(self) -> None:
        """End nowhere but where the model does."""
        self._edit.clear()


def _edit(lines: int) -> QPlainTextEdit:
    edit = QPlainTextEdit()
    edit.setProperty("role", "field")
    edit.setTabChangesFocus(True)
    edit.setFixedHeight(QFontMetrics(edit.font()).lineSpacing() * lines + _FRAME_PX)
    return edit
