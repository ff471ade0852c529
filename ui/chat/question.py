"""A question: a bubble at the end of the line, with the documents that belong to it."""

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from ui.chat.chips import DocumentChip
from ui.chat.look import Look
from ui.chat.message_widget import MessageWidget
from ui.chat.prose import ProseSegment
from ui.chat.rows import Row
from ui.chat.wording import number
from ui.markdown.cleaning import clean

_MOST_WIDTH_PX = 560
_MOST_SHARE = 0.86
_PADDING_X_PX = 16
_PADDING_Y_PX = 11
_GAP_PX = 8
_FOLDED_CHARS = 2_400
_FOLDED_LINES = 24
_PIECE_CHARS = 10_000


class QuestionWidget(MessageWidget):
    """What the person wrote; a long text is folded, and unfolds piece by piece."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._text = ""
        self._waiting: list[str] = []
        self._bubble = QFrame(self)
        self._bubble.setObjectName("bubble")
        self._chips: list[DocumentChip] = []
        self._pieces: list[ProseSegment] = []
        self._unfold = QPushButton(self._bubble)
        self._unfold.setProperty("role", "link")
        self._unfold.clicked.connect(self._on_unfold)
        self._unfold.hide()
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._add_piece)

    def show_row(self, row: Row) -> None:
        """Show the question; it never changes."""
        super().show_row(row)
        message = row.message
        self.setAccessibleName(self.tr("You, message {} of {}").format(row.number, row.count))
        if self._pieces or self._chips:
            return
        for attachment in message.attachments:
            chip = DocumentChip(self.look.theme, attachment, self._bubble)
            chip.activated.connect(_emitter(self.attachment_activated.emit, attachment.document_id))
            self._chips.append(chip)
        text = message.text
        if message.kind == "summary" and not text:
            text = self.tr("Summarize this document.")
        self._text = text
        folded = _folded(text)
        self._add(folded)
        if len(folded) < len(self._text):
            shown = number(len(self._text))
            self._unfold.setText(self.tr("Show all {} characters").format(shown))
            self._unfold.show()

    def lay_out_content(self, top_px: int, width_px: int) -> int:
        """Make the bubble as wide as its text needs."""
        most_px = min(_MOST_WIDTH_PX, round(width_px * _MOST_SHARE)) - 2 * _PADDING_X_PX
        wanted = [piece.natural_width(most_px) for piece in self._pieces]
        wanted += [min(most_px, chip.sizeHint().width()) for chip in self._chips]
        if not self._unfold.isHidden():
            wanted.append(self._unfold.sizeHint().width())
        inner_px = max(wanted, default=0)
        bottom_px = self._lay_out_bubble(inner_px)
        bubble_px = inner_px + 2 * _PADDING_X_PX
        # The width is set by the view after the height is known.
        self.resize(width_px, self.height())
        self.place(self._bubble, width_px - bubble_px, top_px, bubble_px, bottom_px)
        return top_px + bottom_px

    def has_selection(self) -> bool:
        """Whether some of the question is selected."""
        return super().has_selection() or any(piece.has_selection() for piece in self._pieces)

    def dress(self) -> None:
        """Take the fonts that are in force now."""
        super().dress()
        for piece in self._pieces:
            piece.dress()

    def _lay_out_bubble(self, inner_px: int) -> int:
        y = _PADDING_Y_PX
        for chip in self._chips:
            size = chip.sizeHint()
            chip.setGeometry(_PADDING_X_PX, y, min(inner_px, size.width()), size.height())
            y += size.height() + _GAP_PX
        for piece in self._pieces:
            height_px = piece.lay_out(inner_px)
            piece.setGeometry(_PADDING_X_PX, y, inner_px, height_px)
            y += height_px
        if not self._unfold.isHidden():
            hint = self._unfold.sizeHint()
            self._unfold.setGeometry(_PADDING_X_PX, y, hint.width(), hint.height())
            y += hint.height()
        return y + _PADDING_Y_PX - (0 if self._pieces else _GAP_PX)

    def _add(self, text: str) -> None:
        if not text:
            return
        piece = ProseSegment(self.look, self._bubble)
        piece.setAccessibleName(self.tr("Your message"))
        piece.show_plain(clean(text))
        piece.show()
        self._pieces.append(piece)

    def _on_unfold(self) -> None:
        self._unfold.hide()
        self._waiting = _cut(self._text)
        self._pieces[0].show_plain(clean(self._waiting.pop(0)))
        self._timer.start()
        self.height_changed.emit()

    def _add_piece(self) -> None:
        """Add one piece a round, so that the window stays awake."""
        if self._waiting:
            self._add(self._waiting.pop(0))
            self.height_changed.emit()
        else:
            self._timer.stop()


def _emitter(emit: Callable[[str], None], document_id: str) -> Callable[[], None]:
    return lambda: emit(document_id)


def _folded(text: str) -> str:
    lines = text.split("\n", _FOLDED_LINES)
    shown = "\n".join(lines[:_FOLDED_LINES])
    if len(shown) > _FOLDED_CHARS:
        shown = shown[:_FOLDED_CHARS].rsplit(" ", 1)[0]
    return shown


def _cut(text: str) -> list[str]:
    """Cut at line ends near every `_PIECE_CHARS`, or in the middle of a line that is too long."""
    pieces = []
    while len(text) > _PIECE_CHARS:
        end = text.rfind("\n", 0, _PIECE_CHARS)
        pieces.append(text[: end if end > 0 else _PIECE_CHARS])
        text = text[end + 1 if end > 0 else _PIECE_CHARS :]
    return [*pieces, text]
