"""The numbers that shape an answer, in the words of people who do not sample for a living."""

from collections.abc import Callable

from PySide6.QtCore import QLocale, QObject

from inference.types import Sampling
from ui.answer_settings.number_field import Number
from ui.chat.wording import number

_LARGEST_SEED = 2**31 - 1


class Numbers(QObject):
    """Describes the numbers; `defaults` is what an empty field stands for."""

    def __init__(self, defaults: Sampling, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._defaults = defaults

    def main(self) -> tuple[Number, ...]:
        """Return the two that most people want."""
        defaults = self._defaults
        return (
            Number(
                "max_new_tokens",
                self.tr("Longest answer"),
                self.tr("Tokens"),
                self.tr("About three quarters of a word each; 1,000 fill a page and a half."),
                self.tr("Write a whole number of at least 1."),
                self._default(defaults.max_new_tokens),
                _checked("max_new_tokens", int),
            ),
            Number(
                "temperature",
                self.tr("Variety"),
                self.tr("Temperature"),
                self.tr("0 takes the likeliest word each time; higher numbers surprise more."),
                self.tr("Write a number from 0 to 10."),
                self._default(defaults.temperature),
                _checked("temperature", _decimal),
            ),
        )

    def more(self) -> tuple[Number, ...]:
        """Return those that specialists look for."""
        defaults = self._defaults
        return (
            Number(
                "top_p",
                self.tr("Keep the likeliest words"),
                self.tr("Top-p"),
                self.tr("Chooses among the words that together are this likely."),
                self.tr("Write a number above 0 and at most 1."),
                self._default(defaults.top_p),
                _checked("top_p", _decimal),
            ),
            Number(
                "top_k",
                self.tr("Words to choose from"),
                self.tr("Top-k"),
                self.tr("Chooses among this many words at most; 0 is no limit."),
                self.tr("Write a whole number, 0 or more."),
                self._default(defaults.top_k),
                _checked("top_k", int),
            ),
            Number(
                "min_p",
                self.tr("Leave out unlikely words"),
                self.tr("Min-p"),
                self.tr("Leaves out words less likely than this share of the likeliest one."),
                self.tr("Write a number from 0 to below 1."),
                self._default(defaults.min_p),
                _checked("min_p", _decimal),
            ),
            Number(
                "repetition_penalty",
                self.tr("Avoid repetition"),
                self.tr("Repetition penalty"),
                self.tr("1 leaves words alone; 1.1 makes those said before less likely."),
                self.tr("Write a number above 0 and at most 10."),
                self._default(defaults.repetition_penalty),
                _checked("repetition_penalty", _decimal),
            ),
            Number(
                "seed",
                self.tr("Repeat the same answer"),
                self.tr("Seed"),
                self.tr("The same number gives the same answer to the same question."),
                self.tr("Write a whole number from 0 to {}.").format(_LARGEST_SEED),
                self.tr("Random"),
                _seed,
            ),
        )

    def _default(self, value: float) -> str:
        text = QLocale().toString(float(value), "g", 6)
        if isinstance(value, int):
            text = number(value)
        return self.tr("Default ({})").format(text)


def _checked(name: str, read: Callable[[str], float]) -> Callable[[str], float]:
    """Return a reader that takes what `Sampling` takes: the limits are known there alone."""

    def checked(text: str) -> float:
        value = read(text)
        Sampling(**{name: value})  # type: ignore[arg-type]
        return value

    return checked


def _decimal(text: str) -> float:
    return float(text.replace(",", "."))


def _seed(text: str) -> int:
    value = int(text)
    if not 0 <= value <= _LARGEST_SEED:
        raise ValueError("a seed is not negative and fits 31 bits")
    return value
