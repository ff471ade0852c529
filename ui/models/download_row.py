"""One model that is being added: how far it is, file by file, and what can be done about it."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from app.errors import AppError
from app.messages import describe, readable_bytes
from inference.errors import InferenceError
from ui.buttons import IconButton
from ui.chat.fold_button import FoldButton
from ui.labels import ElidedLabel, text_label
from ui.models.words import ModelWords
from ui.notices import translate_message
from ui.theme import Theme

if TYPE_CHECKING:
    from app.models.add_job import AddView
    from app.models.progress import FileProgress

_STEPS = 1000
_FILES_SHOWN = 12
_WAITS_FOR_A_TOKEN = ("gated_model", "token_refused")
_CAN_PAUSE = ("listing", "fetching")


class DownloadRow(QFrame):
    """Shows one addition.

    Signals:
        pause_wanted: No arguments.
        resume_wanted: No arguments.
        cancel_wanted: Stop it, and delete what came.
        again_wanted: Try again after a failure.
        token_wanted: Ask for a token, then try again.
        dismissed: Show no more of a failure.
    """

    pause_wanted = Signal()
    resume_wanted = Signal()
    cancel_wanted = Signal()
    again_wanted = Signal()
    token_wanted = Signal()
    dismissed = Signal()

    def __init__(
        self, theme: Theme, title: str, *, can_try_again: bool = True, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._can_try_again = can_try_again
        self._words = ModelWords(self)
        self._are_files_shown = False
        self._files_key: tuple[FileProgress, ...] = ()
        self.setObjectName("download")
        self.setAccessibleName(title)
        self._title = ElidedLabel("title")
        self._title.setText(title)
        self._title.setToolTip(title)
        self._text = ElidedLabel("muted")
        self._failure = text_label(role="danger", wrap=True)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, _STEPS)
        self._bar.setAccessibleName(self.tr("Progress of {}").format(title))
        self._fold = FoldButton(theme)
        self._fold.clicked.connect(self._toggle_files)
        self._files = text_label(role="muted")
        self._pause = self._button(self.tr("Pause"), self.pause_wanted, title)
        self._resume = self._button(self.tr("Resume"), self.resume_wanted, title)
        self._again = self._button(self.tr("Try again"), self.again_wanted, title)
        self._token = self._button(self.tr("Enter a token…"), self.token_wanted, title)
        self._cancel = self._button(self.tr("Cancel"), self.cancel_wanted, title)
        self._discard = self._button(self.tr("Discard"), self.cancel_wanted, title)
        self._close = IconButton(
            theme, "close", self.tr("Dismiss the failure of {}").format(title), size_px=16
        )
        self._close.clicked.connect(self.dismissed)
        self._lay_out()

    @property
    def text(self) -> str:
        """What is said of it now."""
        return self._failure.text() if not self._failure.isHidden() else self._text.text()

    @property
    def files_text(self) -> str:
        """What is said of its files; empty while they are folded."""
        return self._files.text() if not self._files.isHidden() else ""

    @property
    def permille(self) -> int:
        """How much of this stage is done."""
        return self._bar.value()

    def show_view(self, view: "AddView") -> None:
        """Show how far it is now."""
        has_failed, is_paused = view.stage == "failed", view.stage == "paused"
        self._failure.setVisible(has_failed)
        self._text.setVisible(not has_failed)
        self._bar.setVisible(not has_failed)
        text = self._words.step(view)
        self._text.setText(text)
        self._text.setToolTip(text)
        if view.total_bytes > 0:
            self._bar.setRange(0, _STEPS)
            self._bar.setValue(min(_STEPS, view.done_bytes * _STEPS // view.total_bytes))
        else:
            self._bar.setRange(0, 1 if is_paused else 0)
        needs_token = has_failed and self._show_failure(view.error)
        self._pause.setVisible(view.stage in _CAN_PAUSE)
        self._resume.setVisible(is_paused)
        self._discard.setVisible(is_paused)
        self._cancel.setVisible(not view.is_last)
        self._again.setVisible(has_failed and not needs_token and self._can_try_again)
        self._token.setVisible(needs_token)
        self._close.setVisible(has_failed)
        self._show_files(() if has_failed else view.files)

    def set_asked(self) -> None:
        """Say that what was asked for is on its way: nothing more can be asked meanwhile."""
        for button in (self._pause, self._resume, self._cancel, self._discard):
            button.setEnabled(False)

    def set_ready(self) -> None:
        """Take orders again."""
        for button in (self._pause, self._resume, self._cancel, self._discard):
            button.setEnabled(True)

    def _show_failure(self, error: Exception | None) -> bool:
        """Say what went wrong; return whether a token would help."""
        if not isinstance(error, AppError | InferenceError):
            self._failure.setText(self.tr("Something in Snug went wrong. Please try again."))
            return False
        notice = describe(error, translate_message)
        self._failure.setText(f"{notice.message} {notice.action}")
        return notice.code in _WAITS_FOR_A_TOKEN

    def _show_files(self, files: "tuple[FileProgress, ...]") -> None:
        self._fold.setVisible(bool(files))
        is_shown = bool(files) and self._are_files_shown
        self._files.setVisible(is_shown)
        if not files:
            return
        done = sum(each.done_bytes >= each.bytes for each in files)
        text = self.tr("{} of %Ln file(s)", "", len(files)).format(done)
        self._fold.show_state(text, is_open=self._are_files_shown)
        if is_shown and files != self._files_key:
            self._files.setText(self._list(files))
        self._files_key = files if is_shown else ()

    def _list(self, files: "tuple[FileProgress, ...]") -> str:
        """Say how far each file is, those first that are not done."""
        ordered = sorted(files, key=lambda each: each.done_bytes >= each.bytes)
        lines = [
            self.tr("{name}: {done} of {total}").format(
                name=each.path.rsplit("/", 1)[-1],
                done=readable_bytes(each.done_bytes),
                total=readable_bytes(each.bytes),
            )
            for each in ordered[:_FILES_SHOWN]
        ]
        if more := len(ordered) - _FILES_SHOWN:
            lines += [self.tr("and %Ln more", "", more)] if more > 0 else []
        return "\n".join(lines)

    def _toggle_files(self) -> None:
        self._are_files_shown = not self._are_files_shown
        self._files.setVisible(self._are_files_shown)

    def _button(self, text: str, signal: SignalInstance, title: str) -> QPushButton:
        button = QPushButton(text)
        button.setProperty("role", "small")
        button.setAccessibleName(self.tr("{}: {}").format(text, title))
        button.clicked.connect(signal)
        return button

    def _lay_out(self) -> None:
        column = QVBoxLayout()
        column.setSpacing(4)
        column.addWidget(self._title)
        column.addWidget(self._text)
        column.addWidget(self._failure)
        column.addWidget(self._bar)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addLayout(column, 1)
        for button in (
            self._pause,
            self._resume,
            self._token,
            self._again,
            self._cancel,
            self._discard,
            self._close,
        ):
            row.addWidget(button)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 8, 0, 8)
        whole.setSpacing(2)
        whole.addLayout(row)
        foot = QHBoxLayout()
        foot.addWidget(self._fold)
        foot.addStretch(1)
        whole.addLayout(foot)
        whole.addWidget(self._files)
