"""Says where something stands in a document, in the window's language."""

from PySide6.QtCore import QObject

from app.documents.values import Place, Unit


class PlaceWords(QObject):
    """Words for a `Place`, short enough to stand beside a name."""

    def say(self, place: Place) -> str:
        """Return where it is, such as `p. 12`, `sheet Costs, B4:F4` or `letter.pdf, p. 2`."""
        parts = [place.part] if place.part else []
        parts.append(self._unit(place))
        if place.cells:
            parts.append(place.cells)
        return ", ".join(part for part in parts if part)

    def _unit(self, place: Place) -> str:
        number = place.number or place.page
        if place.unit == "message" and place.part:
            return ""
        if place.unit == "image" and number == 1:
            return self.tr("image")
        if place.label and place.unit in ("sheet", "section"):
            texts = {"sheet": self.tr("sheet {}"), "section": self.tr("section “{}”")}
            return texts[place.unit].format(_short(place.label))
        units: dict[Unit, str] = {
            "page": self.tr("p. {}"),
            "slide": self.tr("slide {}"),
            "sheet": self.tr("sheet {}"),
            "section": self.tr("section {}"),
            "message": self.tr("message"),
            "image": self.tr("image {}"),
        }
        return units[place.unit].format(number)


_LONGEST_LABEL = 40


def _short(label: str) -> str:
    return label if len(label) <= _LONGEST_LABEL else label[: _LONGEST_LABEL - 1] + "…"
