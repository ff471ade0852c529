"""What is certain of the next prompt, computed before it is sent.

One conversation at a time is kept warm: the one that somebody looks at. After its answer the next
prompt is computed again although the answer is in the cache, because what is told of it may differ:
a thought is left out, a text is not always spelled as it was drawn, and older turns may have left.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from app.chat.archive import Archive
from app.chat.asking import new_question
from app.chat.briefing import Briefing
from app.chat.lanes import Lanes
from app.chat.values import Attachment
from app.errors import AppError
from app.ports import Handle, TextGenerator
from inference.errors import InferenceError


@dataclass(frozen=True, slots=True)
class _Wanted:
    conversation_id: str
    draft: str
    attachments: tuple[Attachment, ...]


class Warming:
    """Keeps one conversation warm; `warm` and `cool` may be called from any thread.

    Args:
        archive: The open archive; raises a `StoreError` where it cannot be opened.
        post: Runs work on the store's thread.
    """

    def __init__(
        self,
        archive: Callable[[], Archive],
        post: Callable[[Callable[[], None]], object],
        *,
        lanes: Lanes,
        generator: TextGenerator,
        briefing: Briefing,
    ) -> None:
        self._archive = archive
        self._post = post
        self._lanes = lanes
        self._generator = generator
        self._briefing = briefing
        self._lock = threading.Lock()
        self._wanted: _Wanted | None = None
        self._handle: Handle | None = None

    def warm(self, conversation_id: str, draft: str, attachments: tuple[Attachment, ...]) -> bool:
        """Compute ahead what sending `draft` would send, in place of what was asked before.

        Space around it counts for nothing. Returns whether another conversation was warm.
        """
        wanted = _Wanted(conversation_id, draft, attachments)
        with self._lock:
            is_other = self._wanted is None or self._wanted.conversation_id != conversation_id
            self._wanted = wanted
        if is_other:
            self._stop()
        self._post(lambda: self._compute(wanted))
        return is_other

    def cool(self, conversation_id: str | None = None) -> None:
        """Compute nothing any more, for one conversation or whichever is warm."""
        with self._lock:
            wanted = self._wanted
            if wanted is None or conversation_id not in (None, wanted.conversation_id):
                return
            self._wanted = None
        self._stop()

    def sent(self, conversation_id: str) -> None:
        """Forget the draft of a conversation, because a turn begins; for the store's thread."""
        with self._lock:
            wanted = self._wanted
            if wanted is None or wanted.conversation_id != conversation_id:
                return
            self._wanted = replace(wanted, draft="", attachments=())
        self._stop()

    def again(self, conversation_id: str) -> None:
        """Compute once more what is wanted, because it begins otherwise; for the store's thread."""
        with self._lock:
            wanted = self._wanted
        if wanted is not None and wanted.conversation_id == conversation_id:
            self._compute(wanted)

    def _compute(self, wanted: _Wanted) -> None:
        with self._lock:
            is_latest = self._wanted is wanted
        is_running = self._lanes.head(wanted.conversation_id) is not None
        if not is_latest or is_running or self._generator.device is None:
            return
        try:
            archive = self._archive()
            history = archive.messages(wanted.conversation_id)
            state = archive.state(wanted.conversation_id)
            question = new_question(
                wanted.conversation_id,
                created_s=0.0,
                text=wanted.draft.strip(),
                attachments=wanted.attachments,
            )
            messages = self._briefing.ahead((*history, question), state)
        except (AppError, InferenceError):
            return  # sending it will say so
        if not messages:
            return
        self._stop()
        handle = self._generator.prefill(messages, session_id=wanted.conversation_id)
        with self._lock:
            is_latest = self._wanted is wanted
            if is_latest:
                self._handle = handle
        if not is_latest:
            handle.cancel()

    def _stop(self) -> None:
        with self._lock:
            handle, self._handle = self._handle, None
        if handle is not None:
            handle.cancel()
