"""A setting that is a number, or empty for the default."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtWidgets import QLineEdit

from ui.answer_settings.field import Field
from ui.theme import Theme

_WIDTH_PX = 150


@dataclass(frozen=True, slots=True)
class Number:
    """How a number is named, explained and checked.

    Attributes:
        name: Of the attribute that it sets.
        term: What specialists call it.
        problem: What is said of a number that is not allowed.
        default: What stands in the empty field.
        read: Returns the number that is written, or raises ValueError.
    """

    name: str
    title: str
    term: str
    hint: str
    problem: str
    default: str
    read: Callable[[str], float]


class NumberField(Field):
    """A line for a number; GUI thread only."""

    def __init__(self, theme: Theme, number: Number, value: float | None) -> None:
        super().__init__(theme, number.title, number.term, number.hint)
        self._number = number
        self._edit = QLineEdit("" if value is None else str(value))
        self._edit.setPlaceholderText(number.default)
        self._edit.setFixedWidth(_WIDTH_PX)
        self._edit.textChanged.connect(self.refresh)
        self.put_beside(self._edit)
        self.refresh()

    @property
    def name(self) -> str:
        """The attribute that it sets."""
        return self._number.name

    @property
    def value(self) -> float | None:
        """The number entered; None takes the default, and stands for what cannot be used."""
        try:
            return self._number.read(self._text) if self._text else None
        except ValueError:
            return None

    @property
    def problem(self) -> str:
        """Why what was entered cannot be used, or empty."""
        return self._number.problem if self._text and self.value is None else ""

    @property
    def is_set(self) -> bool:
        """Whether anything was entered."""
        return bool(self._text)

    def reset(self) -> None:
        """Take the default again."""
        self._edit.clear()

    @property
    def _text(self) -> str:
        return self._edit.text().strip()
