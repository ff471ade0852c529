"""The fenced text of attached documents, kept for the few that a conversation comes back to."""

from collections import OrderedDict
from collections.abc import Callable

from app.chat.archive import Archive
from app.chat.values import Attachment
from app.documents.prompting import fence

_KEPT = 8


class Fences:
    """Finds a document's text and has it marked as data; belongs to the store's thread."""

    def __init__(self, archive: Callable[[], Archive]) -> None:
        self._archive = archive
        self._kept: OrderedDict[str, str] = OrderedDict()

    def of(self, attachment: Attachment) -> str:
        """Return the fenced text of a document."""
        document_id = attachment.document_id
        if document_id not in self._kept:
            document = self._archive().document(document_id)
            self._kept[document_id] = fence(document)
        self._kept.move_to_end(document_id)
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return self._kept[document_id]
