"""How an answer's progress, end and measurements are said in words."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QObject

from app.chat.values import AnswerMetrics, MessageState, Stage
from app.documents.values import IntakeReport
from ui.chat.rows import Row

if TYPE_CHECKING:
    from app.documents.intake import IntakeProgress

_MINUTE_S = 60
_ROUGH_FROM = 100


class Wording(QObject):
    """Sentences about answers and documents, in the window's language."""

    def progress(self, row: Row) -> str:
        """Say what is going on with an answer that grows."""
        if row.total:
            return self._counted(row)
        texts: dict[Stage, str] = {
            "waiting": self.tr("Waiting for the model…"),
            "loading": self.tr("Loading the model…"),
            "prefill": self.tr("Reading the prompt…"),
            "reading": self.tr("Reading the document…"),
            "searching": self.tr("Looking for passages…"),
            "choosing": self.tr("Choosing what matters…"),
            "testing": self.tr("Trying out what the model can be trusted with…"),
        }
        return texts.get(row.stage, "")

    def _counted(self, row: Row) -> str:
        texts: dict[Stage, str] = {
            "prefill": self.tr("Reading the prompt… {} of {}"),
            "reading": self.tr("Page {} of {}"),
            "choosing": self.tr("Choosing what matters… {} of {}"),
            "testing": self.tr("Trying out what the model can be trusted with… {} of {}"),
            "writing": self.tr("Writing {} of {}"),
            "translating": self.tr("Translating {} of {}"),
        }
        return texts.get(row.stage, "").format(number(row.done), number(row.total))

    def thought(self, row: Row) -> str:
        """Say how long the model thinks, or thought."""
        seconds = row.message.thought_s
        if row.stage == "thinking":
            return self.tr("Thinking… {}").format(self._duration(seconds))
        if not seconds:
            return self.tr("Thought")
        return self.tr("Thought for {}").format(self._duration(seconds))

    def _duration(self, seconds: float) -> str:
        minutes, rest = divmod(round(seconds), _MINUTE_S)
        if minutes:
            return self.tr("{} min {} s").format(minutes, rest)
        return self.tr("{} s").format(max(1, rest))

    def ending(self, state: MessageState) -> str:
        """Say why an answer ended before its time, or nothing."""
        match state:
            case "cancelled":
                return self.tr("Stopped by you.")
            case "length":
                return self.tr("The answer reached its longest length and ends here.")
            case "interrupted":
                return self.tr("Snug was closed while this was being written.")
        return ""

    def metrics(self, metrics: AnswerMetrics) -> str:
        """Say how much was written, how long it took, and how fast."""
        parts = [
            self.tr("%Ln token(s)", "", metrics.generated_tokens),
            self.tr("{} s").format(decimal(metrics.seconds)),
        ]
        if metrics.tokens_per_s:
            parts.append(self.tr("{} tokens/s").format(decimal(metrics.tokens_per_s)))
        return " · ".join(parts)

    def waiting(self) -> str:
        """Say that a document is not being read yet."""
        return self.tr("Waiting…")

    def reading(self, progress: "IntakeProgress | None") -> str:
        """Say how much of a document has been read, and how long the rest may take."""
        if progress is None:
            return self.tr("Reading…")
        recognizing, reading = self.tr("Recognizing text… {} of {}"), self.tr("Reading… {} of {}")
        text = recognizing if progress.stage == "recognizing" else reading
        said = text.format(number(progress.done), number(progress.total))
        left_s = progress.seconds_left
        if left_s is None or left_s < 1:
            return said
        return self.tr("{} · about {} left").format(said, self._duration(left_s))

    def intake(self, report: IntakeReport) -> str:
        """Say what was found in a document."""
        parts = [self.units(report), self.tr("%Ln word(s)", "", report.words)]
        if report.read < report.total:
            parts.append(self.tr("{} read").format(number(report.read)))
        if report.ocr:
            parts.append(self.tr("{} recognized").format(number(report.ocr)))
        if report.without_text:
            parts.append(self.tr("{} without text").format(number(report.without_text)))
        if report.unreadable:
            parts.append(self.tr("{} not readable").format(number(report.unreadable)))
        return " · ".join(parts)

    def units(self, report: IntakeReport) -> str:
        """Say how many pages, slides or the like a document has."""
        match report.unit:
            case "page":
                return self.tr("%Ln page(s)", "", report.total)
            case "slide":
                return self.tr("%Ln slide(s)", "", report.total)
            case "sheet":
                return self.tr("%Ln sheet(s)", "", report.total)
            case "image":
                return self.tr("%Ln image(s)", "", report.total)
            case "message":
                return self.tr("%Ln part(s)", "", report.total)
        return self.tr("%Ln section(s)", "", report.total)


def number(value: int) -> str:
    """Return a number as the system writes it."""
    return _locale().toString(value)


def rough(value: int) -> str:
    """Return a number that was only estimated: two digits of it, and zeros."""
    digits = max(0, len(str(value)) - 2)
    return number(round(value, -digits) if value >= _ROUGH_FROM else value)


def decimal(value: float) -> str:
    """Return a number with one place after the point, as the system writes it."""
    return _locale().toString(float(value), "f", 1)


def _locale() -> QLocale:
    """Return the system's locale; where none is set, numbers are grouped all the same."""
    locale = QLocale()
    is_unset = locale.language() == QLocale.Language.C
    return QLocale(QLocale.Language.English) if is_unset else locale
