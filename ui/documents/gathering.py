"""Lists the documents of the open conversation: those of its questions, and those of the draft."""

from pathlib import Path

from PySide6.QtCore import QCoreApplication

from app.messages import describe
from ui.chat.draft_documents import DraftDocument
from ui.chat.page import ChatPage
from ui.documents.shown import ShownDocument, State
from ui.notices import translate_message


class Gathering:
    """Knows which documents there are; GUI thread only."""

    def __init__(self, page: ChatPage) -> None:
        self._page = page

    def documents(self) -> tuple[ShownDocument, ...]:
        """Return the draft's documents first, then those of the questions, the newest first."""
        drafts = [self._draft(each) for each in self._page.composer.documents.documents]
        known = {document.key for document in drafts}
        sent = []
        for message in reversed(self._page.model.messages()):
            for attachment in message.attachments:
                key = attachment.document_id
                if key not in known:
                    known.add(key)
                    path = Path(attachment.path) if attachment.path else None
                    sent.append(ShownDocument(key, attachment.name, "ready", path, attachment))
        return (*drafts, *sent)

    def draft(self, key: str) -> DraftDocument | None:
        """Return the draft's document behind a row, or None where it was sent."""
        drafts = self._page.composer.documents.documents
        return next((each for each in drafts if _key(each) == key), None)

    def _draft(self, document: DraftDocument) -> ShownDocument:
        attachment = document.attachment
        state: State = "reading"
        text = document.progress
        if attachment is not None:
            state = "ready"
        elif document.error is not None:
            notice = describe(document.error, translate_message)
            state, text = "failed", f"{notice.message} {notice.action}"
        elif document.job is None:
            state = "waiting"
            text = QCoreApplication.translate("gathering", "Waiting…")
        return ShownDocument(
            _key(document),
            document.path.name,
            state,
            document.path,
            attachment,
            text,
            is_draft=True,
        )


def _key(document: DraftDocument) -> str:
    if document.attachment is not None:
        return document.attachment.document_id
    return f"draft-{id(document)}"
