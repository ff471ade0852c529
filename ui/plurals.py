"""English plurals, for a window without a translation.

Texts are written with `%n page(s)`, from which translators make the forms of their languages.
English is what the program is written in, so it has no translation that could do the same.
"""

from PySide6.QtCore import QObject, QTranslator

_ENDING = "(s)"


class EnglishPlurals(QTranslator):
    """Takes the brackets out of counted texts; install it before any translation."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)

    def isEmpty(self) -> bool:  # noqa: N802 - Qt's name
        """Say that there is something to translate; Qt would leave out an empty translator."""
        return False

    def translate(
        self, context: str, text: str, disambiguation: str | None = None, n: int = -1
    ) -> str | None:
        """Return a counted text in the form for `n`, and None for every other text."""
        if n < 0 or _ENDING not in text:
            return None
        return text.replace(_ENDING, "" if n == 1 else "s")
