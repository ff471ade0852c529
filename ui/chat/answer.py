"""An answer: the mark at the start of the line, and beside it what the model wrote."""

from PySide6.QtCore import QEvent, QTimer
from PySide6.QtGui import QEnterEvent, QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from ui.chat.action_row import ROW_PX, ActionRow
from ui.chat.aside import Aside
from ui.chat.look import Look
from ui.chat.message_widget import MessageWidget
from ui.chat.prose import ProseSegment
from ui.chat.reading_place import Block
from ui.chat.rows import Row
from ui.chat.segment_stack import GAP_PX, SegmentStack
from ui.chat.sources import Sources
from ui.chat.state_row import StateRow
from ui.chat.wording import Wording
from ui.labels import IconLabel, text_label
from ui.markdown import marks

_MARK_PX = 22
_LEFT_PX = 34
_PROGRESS_PX = 22
_THOUGHT_PX = -4
_FIRST_CHARS = 2_000
_STEP_CHARS = 1_000


class AnswerWidget(MessageWidget):
    """What the model wrote and writes, how that ended, and what can be done with it."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._row: Row | None = None
        # Not before an answer is shown: the parser is a tenth of the way to the first paint.
        from ui.markdown.stream import MarkdownStream  # noqa: PLC0415

        self._markdown = MarkdownStream()
        self._shown_chars = _FIRST_CHARS
        self._is_all_wanted = False
        self._wording = Wording(self)
        self._mark = IconLabel(look.theme, "spark", color="accent", size_px=_MARK_PX, parent=self)
        self._stack = SegmentStack(look, self, self._on_link)
        self._sources: Sources | None = None
        self._thought: Aside | None = None
        self._progress: QLabel | None = None
        self._state: StateRow | None = None
        self._actions: ActionRow | None = None
        self._more: QPushButton | None = None
        self._is_hovered = False
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._show_more_text)

    @property
    def state_row(self) -> StateRow | None:
        """The line that says how the answer ended, where there is something to say."""
        return self._state

    @property
    def progress_text(self) -> str:
        """What is said about an answer that grows."""
        return self._progress.text() if self._progress else ""

    def show_row(self, row: Row) -> None:
        """Show the answer as far as it has come."""
        super().show_row(row)
        self._row = row
        self.setAccessibleName(self.tr("Answer, message {} of {}").format(row.number, row.count))
        self._show_thought(row)
        self._show_text()
        self._show_sources(row)
        self._show_progress(row)
        self._show_end(row)

    def lay_out_content(self, top_px: int, width_px: int) -> int:
        """Put mark, text and lines below each other."""
        self.resize(width_px, self.height())
        inner_px = width_px - _LEFT_PX
        self.place(self._mark, 0, top_px, _MARK_PX, _MARK_PX)
        is_mirrored = self.isRightToLeft()
        y = stack_px = top_px
        if self._thought is not None:
            height_px = self._thought.lay_out(inner_px)
            self.place(self._thought, _LEFT_PX, top_px + _THOUGHT_PX, inner_px, height_px)
            stack_px = top_px + _THOUGHT_PX + height_px
            y = stack_px - GAP_PX
            stack_px += GAP_PX if self._stack.widgets else 0
        if self._stack.widgets:
            y = self._stack.lay_out(0 if is_mirrored else _LEFT_PX, stack_px, inner_px)
        for line, height_px in self._lines(inner_px):
            y += GAP_PX if y > top_px else 0
            self.place(line, _LEFT_PX, y, inner_px, height_px)
            y += height_px
        return max(y, top_px + _MARK_PX)

    def has_selection(self) -> bool:
        """Whether some of the answer is selected."""
        is_thought_selected = self._thought is not None and self._thought.has_selection()
        return super().has_selection() or is_thought_selected or self._stack.has_selection()

    def blocks(self) -> tuple[Block, ...]:
        """Return what the answer consists of, from the top down."""
        return tuple(self._stack.blocks())

    def is_replaced_by(self, row: Row) -> bool:
        """Whether the same answer gets another text, which does not only go on."""
        if self._row is None or self._row.message.id != row.message.id:
            return False
        return not row.message.text.startswith(self._row.message.text.rstrip())

    def dress(self) -> None:
        """Take the colors and fonts that are in force now."""
        super().dress()
        self._stack.dress()
        if self._thought is not None:
            self._thought.dress()
        if self._row is not None:
            self._show_caret(self._row)

    @property
    def is_complete(self) -> bool:
        """Whether all of the text is laid out that will be without being asked for."""
        is_text_whole = self._row is None or self._shown_chars >= len(self._row.message.text)
        is_thought_whole = self._thought is None or self._thought.is_complete
        return super().is_complete and is_text_whole and is_thought_whole

    def copy_text(self) -> None:
        """Put the answer on the clipboard as the model wrote it."""
        if self._row is not None:
            QGuiApplication.clipboard().setText(self._row.message.text)
        if self._actions is not None:
            self._actions.show_copied()

    def _lines(self, width_px: int) -> list[tuple[QWidget, int]]:
        lines: list[tuple[QWidget, int]] = []
        if self._more is not None and not self._more.isHidden():
            lines.append((self._more, self._more.sizeHint().height()))
        if self._sources is not None:
            lines.append((self._sources, self._sources.height_for(width_px)))
        if self._progress is not None:
            lines.append((self._progress, _PROGRESS_PX))
        if self._state is not None:
            lines.append((self._state, self._state.height_for(width_px)))
        if self._actions is not None:
            lines.append((self._actions, ROW_PX))
        return lines

    def _show_thought(self, row: Row) -> None:
        message = row.message
        if not message.thought and row.stage != "thinking":
            if self._thought is not None:
                self._thought.hide()
                self._thought.deleteLater()
                self._thought = None
            return
        if self._thought is None:
            self._thought = Aside(self.look, self.tr("What the model thought"), self)
            self._thought.toggled.connect(lambda: self.fold_toggled.emit("thought"))
            self._thought.height_changed.connect(self.height_changed)
            self._thought.show()
        title = self._wording.thought(row)
        self._thought.show_text(title, message.thought, is_open="thought" in row.unfolded)

    def _show_text(self) -> None:
        text = self._marked_text()
        is_growing = self._row is not None and self._row.stage != "done"
        if is_growing:
            self._shown_chars = max(self._shown_chars, len(text))
        segments = self._markdown.update(text[: self._shown_chars])
        laid_out = [each for each in segments if each.kind != "plain" or self._is_all_wanted]
        self._stack.show(laid_out)
        is_folded = len(laid_out) < len(segments)
        if is_folded and self._more is None:
            self._more = QPushButton(self.tr("Show all"), self)
            self._more.setProperty("role", "link")
            self._more.clicked.connect(self._on_all_wanted)
        if self._more is not None:
            self._more.setVisible(is_folded)
        if self._shown_chars < len(text):
            self._timer.start()

    def _marked_text(self) -> str:
        """Return the answer with the numbers of its sources where they belong."""
        if self._row is None:
            return ""
        message = self._row.message
        places = [(each.at, each.number) for each in message.citations]
        return marks.insert(message.text, places)

    def _on_link(self, url: str) -> None:
        """Follow a link; Snug's own lead to a source of this answer, and nowhere else."""
        number = marks.number_of(url)
        if number is None:
            self.link_activated.emit(url)
            return
        citations = self._row.message.citations if self._row else ()
        found = next((each for each in citations if each.number == number), None)
        if found is not None:
            self.citation_activated.emit(found)

    def _show_sources(self, row: Row) -> None:
        """Name the sources; where the text points to none of them, they are the answer."""
        message = row.message
        citations = message.citations if row.stage == "done" and message.kind != "summary" else ()
        quotes = not any(each.at >= 0 for each in citations)
        shown = self._sources
        if shown is not None and (shown.citations, shown.quotes) == (citations, quotes):
            return
        if shown is not None:
            shown.hide()
            shown.deleteLater()
            self._sources = None
        if citations:
            self._sources = Sources(self.look.theme, citations, quotes=quotes, parent=self)
            self._sources.activated.connect(self.citation_activated)
            self._sources.show()

    def _show_more_text(self) -> None:
        """Lay out a long answer step by step, so that the window stays awake."""
        self._shown_chars += _STEP_CHARS
        self._show_text()
        self.height_changed.emit()

    def _on_all_wanted(self) -> None:
        self._is_all_wanted = True
        self._show_text()
        self.height_changed.emit()

    def _show_progress(self, row: Row) -> None:
        text = self._wording.progress(row)
        if text and self._progress is None:
            self._progress = text_label("", "muted")
            self._progress.setParent(self)
            self._progress.show()
        elif not text and self._progress is not None:
            self._progress.hide()
            self._progress.deleteLater()
            self._progress = None
        if self._progress is not None:
            self._progress.setText(text)
        self._show_caret(row)

    def _show_caret(self, row: Row) -> None:
        prose = self._stack.last_prose()
        is_writing = row.stage == "writing" and not row.total
        for widget in self._stack.widgets:
            if widget is not prose and isinstance(widget, ProseSegment):
                widget.show_caret(None)
        if prose is not None:
            prose.show_caret(self.look.theme.color("accent") if is_writing else None)

    def _show_end(self, row: Row) -> None:
        is_done = row.stage == "done"
        self._show_state(row, is_shown=is_done and row.message.state != "complete")
        if is_done and row.message.text and self._actions is None:
            self._actions = ActionRow(self.look.theme, self)
            self._actions.copy_requested.connect(self.copy_text)
            self._actions.regenerate_requested.connect(self.regenerate_requested)
            self._actions.show()
        if self._actions is not None:
            metrics = row.message.metrics
            self._actions.show_metrics(self._wording.metrics(metrics) if metrics else "")
            self._actions.offer_regenerate(row.is_last)
            self._actions.setVisible(is_done)
            self._reveal_actions()

    def _show_state(self, row: Row, *, is_shown: bool) -> None:
        if is_shown and self._state is None:
            self._state = StateRow(self.look.theme, self)
            self._state.retry_requested.connect(self.regenerate_requested)
            self._state.continue_requested.connect(self.continue_requested)
            self._state.overflow_chosen.connect(self.overflow_chosen)
        if self._state is None:
            return
        has_words = is_shown and self._state.show_message(row.message, is_last=row.is_last)
        if has_words:
            self._state.show()
        else:
            self._state.hide()
            self._state.deleteLater()
            self._state = None

    def _reveal_actions(self) -> None:
        if self._actions is not None and self._row is not None:
            self._actions.reveal(self._row.is_last or self._is_hovered)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show what can be done."""
        super().enterEvent(event)
        self._is_hovered = True
        self._reveal_actions()

    def leaveEvent(self, event: QEvent) -> None:
        """Be quiet again."""
        super().leaveEvent(event)
        self._is_hovered = False
        self._reveal_actions()
