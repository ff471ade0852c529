"""What questions and answers on the page have in common."""

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtWidgets import QStyle, QWidget

from ui.chat.divider import Divider
from ui.chat.look import Look
from ui.chat.reading_place import Block
from ui.chat.rows import Row


class MessageWidget(QWidget):
    """One message; it lays itself out for a width, so that the view knows its height at once.

    Signals:
        link_activated: Somebody wants to follow a link; its target.
        citation_activated: Somebody wants to see what the answer rests on; a `Citation`.
        attachment_activated: Somebody wants to see a document of the question; its id.
        regenerate_requested: Somebody wants another answer.
        continue_requested: Somebody wants the answer to go on.
        overflow_chosen: Somebody says what to do with older messages; an `Overflow`.
        fold_toggled: Somebody folds or unfolds something; a `Fold`.
        height_changed: It needs another height, for another reason than a new `Row`.
    """

    link_activated = Signal(str)
    citation_activated = Signal(object)
    attachment_activated = Signal(str)
    regenerate_requested = Signal()
    continue_requested = Signal()
    overflow_chosen = Signal(str)
    fold_toggled = Signal(str)
    height_changed = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.look = look
        self._divider: Divider | None = None
        self.stage = "done"
        look.changed.connect(self._on_look_changed)

    def show_row(self, row: Row) -> None:
        """Show a message; called again with every change of it."""
        self.stage = row.stage
        if row.is_first_seen and self._divider is None:
            self._divider = Divider(self.look, self)
            self._divider.toggled.connect(lambda: self.fold_toggled.emit("summary"))
            self._divider.height_changed.connect(self.height_changed)
            self._divider.show()
        elif not row.is_first_seen and self._divider is not None:
            self._divider.hide()
            self._divider.deleteLater()
            self._divider = None
        if self._divider is not None:
            self._divider.show_summary(row.summary, is_open="summary" in row.unfolded)

    def lay_out(self, width_px: int) -> int:
        """Put everything in its place for a width; return the height."""
        top_px = 0
        if self._divider is not None:
            top_px = self._divider.lay_out(width_px)
            self._divider.setGeometry(0, 0, width_px, top_px)
        return self.lay_out_content(top_px, width_px)

    @property
    def is_complete(self) -> bool:
        """Whether its height is final; a long text is laid out step by step."""
        return self._divider is None or self._divider.is_complete

    def blocks(self) -> tuple[Block, ...]:
        """Return what it consists of, from the top down; nothing where it never changes."""
        return ()

    def is_replaced_by(self, row: Row) -> bool:
        """Whether the same message gets another text, which does not only go on."""
        return False

    def lay_out_content(self, top_px: int, width_px: int) -> int:
        """Put the message below `top_px`; return where it ends."""
        raise NotImplementedError

    def has_selection(self) -> bool:
        """Whether some of its text is selected."""
        return self._divider is not None and self._divider.has_selection()

    def dress(self) -> None:
        """Take the colors and fonts that are in force now."""
        if self._divider is not None:
            self._divider.dress()

    def focus_chain(self) -> list[QWidget]:
        """Return what the Tab key reaches, from the top down."""
        children = [
            child
            for child in self.findChildren(QWidget)
            if child.focusPolicy() & Qt.FocusPolicy.TabFocus and child.isVisibleTo(self)
        ]
        return sorted(children, key=self._reading_order)

    def _reading_order(self, child: QWidget) -> tuple[int, int]:
        place = child.mapTo(self, QPoint(0, 0))
        return place.y(), place.x()

    def place(
        self, child: QWidget, left_px: int, top_px: int, width_px: int, height_px: int
    ) -> None:
        """Put a child where it belongs; counted from the right where the language reads so."""
        rect = QRect(left_px, top_px, width_px, height_px)
        child.setGeometry(QStyle.visualRect(self.layoutDirection(), self.rect(), rect))

    def _on_look_changed(self) -> None:
        self.dress()
        self.height_changed.emit()
