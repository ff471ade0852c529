"""A run of paragraphs in an RTF file: the text itself, or a note, box, head or foot beside it."""

from app.documents.formats.sections import CELL_MARK, Sections

_LONGEST_HEADING_CHARS = 300


class Story:
    """Gathers paragraphs; those of the text itself go on to `sections`, others are asked for.

    Attributes:
        after: Notes and boxes that belong after the paragraph under way.
    """

    def __init__(self, kind: str, sections: Sections | None = None) -> None:
        self.kind = kind
        self.after: list[str] = []
        self._sections = sections
        self._done: list[str] = []
        self._parts: list[str] = []
        self._mark: list[str] = []
        self._was_item = False
        self._cells: list[str] = []
        self._nested: list[str] = []
        self._rows = 0
        self._bold_chars = 0
        self._half_points = 0

    def add(self, text: str, *, is_bold: bool, half_points: int) -> None:
        """Add text that is seen to the paragraph under way."""
        self._parts.append(text)
        if is_bold:
            self._bold_chars += len(text)
        if not self._half_points and text.strip():
            self._half_points = half_points

    def add_mark(self, text: str) -> None:
        """Add to the number or bullet before the paragraph under way."""
        self._mark.append(text)

    def end_paragraph(self, level: int | None, *, is_in_table: bool) -> None:
        """End a paragraph; `level` is that of a heading, 0 the outermost."""
        if is_in_table:
            self._parts.append(" ")
            return
        if self._cells or self._rows:
            self.end_row()
            self._end_table()
        is_bold = self._bold_chars > 0.9 * len("".join(self._parts).strip())
        height = self._half_points / 2
        has_mark = bool(self._mark)
        text = self._taken()
        if self._sections is None:
            self._done.append(text)
        elif level is not None and 0 < len(text) <= _LONGEST_HEADING_CHARS:
            self._sections.heading(" ".join(text.split()), level)
        elif text:
            close = has_mark and self._was_item
            self._sections.paragraph(text, bold=is_bold, height=height, stands_close=close)
        self._was_item = has_mark
        self._tell_after()

    def end_cell(self) -> None:
        """End a cell of a table."""
        self._cells.append(self._taken())

    def end_nested_cell(self) -> None:
        """End a cell of a table in a table's cell."""
        self._nested.append(self._taken())

    def end_nested_row(self) -> None:
        """End a row of such a table; it stays in one piece in the cell round it."""
        if self._nested:
            self._parts.append(f"{CELL_MARK.join(self._nested)} ")
            self._nested = []

    def end_row(self) -> None:
        """End a row of a table."""
        self.end_nested_row()
        if not self._cells:
            return
        rest = self._taken()
        cells = [*self._cells, rest] if rest else self._cells
        if self._sections is None:
            self._done.append(CELL_MARK.join(cells))
        else:
            if not self._rows:
                self._sections.gap()
            self._sections.row(cells)
        self._rows += 1
        self._cells = []
        self._tell_after()

    def text(self) -> str:
        """Return all paragraphs of a story that is not the text itself."""
        self.end_row()
        self.end_paragraph(None, is_in_table=False)
        return "\n".join(line for line in self._done if line)

    def _end_table(self) -> None:
        self._rows = 0
        if self._sections is not None:
            self._sections.end_table()
            self._sections.gap()

    def _taken(self) -> str:
        """Return the text under way with its mark, and begin anew."""
        text = "".join(self._parts)
        # Characters beyond the first 65,536 come in halves.
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").strip()
        mark = " ".join("".join(self._mark).split())
        self._parts, self._mark = [], []
        self._bold_chars = self._half_points = 0
        return f"{mark} {text}" if mark and text else text

    def _tell_after(self) -> None:
        for text in self.after:
            if self._sections is None:
                self._done.append(text)
            else:
                self._sections.paragraph(text)
        self.after = []
