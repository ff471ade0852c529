"""A folded text beside the conversation: what the model thought, or what it is told instead."""

from PySide6.QtCore import QRect, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QStyle, QWidget

from ui.chat.fold_button import FoldButton
from ui.chat.look import Look
from ui.chat.prose import ProseSegment
from ui.markdown.cleaning import clean

_HEAD_PX = 30
_INDENT_PX = 14
_LINE_PX = 2
_GAP_PX = 4
_PIECE_CHARS = 4_000


class Aside(QWidget):
    """A line, and below it a text once it is unfolded; only what changed is laid out anew.

    Signals:
        toggled: Fold or unfold.
        height_changed: More of a long text has been laid out.
    """

    toggled = Signal()
    height_changed = Signal()

    def __init__(self, look: Look, name: str, parent: QWidget) -> None:
        """Make it; `name` says to a screen reader what the text is."""
        super().__init__(parent)
        self._look = look
        self._name = name
        self._text = ""
        self._pieces: list[ProseSegment] = []
        self._shown: list[str] = []
        self._is_open = False
        self.head = FoldButton(look.theme, self)
        self.head.clicked.connect(self.toggled)
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._add_piece)

    @property
    def text(self) -> str:
        """What is laid out; empty while it is folded."""
        return "".join(self._shown) if self._is_open else ""

    @property
    def is_complete(self) -> bool:
        """Whether all of it is laid out, where it is unfolded."""
        return not self._timer.isActive()

    def show_text(self, title: str, text: str, *, is_open: bool) -> None:
        """Show a title, and the text where it is unfolded; called again while it grows."""
        self.head.show_state(title, is_open=is_open)
        self._is_open = is_open
        self._text = text
        if is_open:
            self._fill()
        else:
            self._timer.stop()
        for piece in self._pieces:
            piece.setVisible(is_open)

    def lay_out(self, width_px: int) -> int:
        """Put everything in its place for a width; return the height."""
        self.resize(width_px, max(self.height(), _HEAD_PX))
        hint_px = min(width_px, self.head.sizeHint().width())
        self._place(self.head, QRect(0, 0, hint_px, _HEAD_PX))
        y = _HEAD_PX
        if self._is_open:
            y += _GAP_PX
            inner_px = width_px - _INDENT_PX
            for piece in self._pieces:
                height_px = piece.lay_out(inner_px)
                self._place(piece, QRect(_INDENT_PX, y, inner_px, height_px))
                y += height_px
        return y

    def dress(self) -> None:
        """Take the fonts that are in force now."""
        for piece in self._pieces:
            piece.dress()

    def has_selection(self) -> bool:
        """Whether some of the text is selected."""
        return any(piece.has_selection() for piece in self._pieces)

    def _fill(self) -> None:
        """Bring the pieces in step with the text; a long rest follows piece by piece."""
        pieces = _cut(clean(self._text))
        while len(self._pieces) > len(pieces):
            self._pieces.pop().deleteLater()
            self._shown.pop()
        for at, piece in enumerate(self._pieces):
            if self._shown[at] != pieces[at]:
                piece.grow_plain(pieces[at])
                self._shown[at] = pieces[at]
        if len(self._pieces) < len(pieces):
            self._add(pieces[len(self._pieces)])
        if len(self._pieces) < len(pieces):
            self._timer.start()
        else:
            self._timer.stop()

    def _add(self, text: str) -> None:
        piece = ProseSegment(self._look, self)
        piece.setProperty("role", "aside")
        piece.setAccessibleName(self._name)
        piece.grow_plain(text)
        piece.show()
        self._pieces.append(piece)
        self._shown.append(text)

    def _add_piece(self) -> None:
        self._fill()
        self.height_changed.emit()

    def _place(self, child: QWidget, rect: QRect) -> None:
        child.setGeometry(QStyle.visualRect(self.layoutDirection(), self.rect(), rect))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the line beside the text."""
        if not self._is_open or not self._pieces:
            return
        top_px = _HEAD_PX + _GAP_PX
        line = QRect(0, top_px, _LINE_PX, self.height() - top_px)
        shown = QStyle.visualRect(self.layoutDirection(), self.rect(), line)
        QPainter(self).fillRect(shown, self._look.theme.color("border"))


def _cut(text: str) -> list[str]:
    """Cut at line ends, so that all but the last piece stay as they are while the text grows."""
    pieces = []
    while len(text) > _PIECE_CHARS:
        end = text.find("\n", _PIECE_CHARS) + 1
        if not end:
            break
        pieces.append(text[:end])
        text = text[end:]
    return [*pieces, text] if text else pieces
