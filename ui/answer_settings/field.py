"""One setting: its name in plain words, the technical term, what it does, and a way back."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from ui.buttons import IconButton
from ui.labels import text_label
from ui.theme import Theme


class Field(QWidget):
    """A setting whose editor stands beside its name or below it.

    Signals:
        changed: Another value was entered.
    """

    changed = Signal()

    def __init__(self, theme: Theme, title: str, term: str, hint: str) -> None:
        super().__init__()
        self._hint = hint
        self._title = text_label(title)
        self._reset = IconButton(theme, "retry", self.tr("Reset: {}").format(title), size_px=16)
        self._reset.clicked.connect(self.reset)
        keeping = self._reset.sizePolicy()
        keeping.setRetainSizeWhenHidden(True)
        self._reset.setSizePolicy(keeping)
        self._note = text_label(hint, "muted", wrap=True)
        self._head = QHBoxLayout()
        self._head.setSpacing(6)
        self._head.addWidget(self._title)
        self._head.addWidget(text_label(term, "muted"))
        self._head.addStretch(1)
        self._head.addWidget(self._reset)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(3)
        self._column.addLayout(self._head)
        self._column.addWidget(self._note)
        self._note.setVisible(bool(hint))

    @property
    def problem(self) -> str:
        """Why what was entered cannot be used, or empty."""
        return ""

    @property
    def note(self) -> str:
        """What stands below: the problem, or what the setting does."""
        return self._note.text()

    @property
    def is_set(self) -> bool:
        """Whether something else than the default was chosen."""
        raise NotImplementedError

    def reset(self) -> None:
        """Take the default again."""
        raise NotImplementedError

    def put_beside(self, editor: QWidget) -> None:
        """Show the editor in the line of the name."""
        self._head.insertWidget(self._head.count() - 1, editor)
        self._name(editor)

    def put_below(self, editor: QWidget) -> None:
        """Show the editor between name and note."""
        self.add(editor)
        self._name(editor)

    def add(self, widget: QWidget) -> None:
        """Show something else above the note, which has its own name."""
        self._column.insertWidget(self._column.count() - 1, widget)

    def refresh(self) -> None:
        """Say what is wrong, if anything is, and offer the way back where there is one."""
        problem = self.problem
        self._note.setText(problem or self._hint)
        self._note.setProperty("role", "danger" if problem else "muted")
        self._note.style().polish(self._note)
        self._note.setVisible(bool(problem or self._hint))
        self._reset.setVisible(self.is_set)
        self.changed.emit()

    def _name(self, editor: QWidget) -> None:
        self._title.setBuddy(editor)
        editor.setAccessibleName(self._title.text())
        editor.setAccessibleDescription(self._hint)
