"""What is written and not sent waits in the conversation it was written for."""

from dataclasses import dataclass

from ui.chat.composer import Composer
from ui.chat.draft_documents import DraftDocument


@dataclass(frozen=True, slots=True)
class _Draft:
    text: str
    documents: tuple[DraftDocument, ...]


class Drafts:
    """Takes drafts off the composer and puts them back; GUI thread only."""

    def __init__(self, composer: Composer) -> None:
        self._composer = composer
        self._kept: dict[str, _Draft] = {}

    def keep(self, conversation_id: str) -> None:
        """Remember what stands in the composer."""
        draft = _Draft(self._composer.text, self._composer.documents.documents)
        if draft.text or draft.documents:
            self._kept[conversation_id] = draft

    def show(self, conversation_id: str) -> None:
        """Put a conversation's draft into the composer, or leave it empty."""
        draft = self._kept.pop(conversation_id, _Draft("", ()))
        self._composer.set_text(draft.text)
        self._composer.documents.show_documents(draft.documents)

    def forget(self, conversation_id: str) -> None:
        """Let a draft go that was sent."""
        self._kept.pop(conversation_id, None)
