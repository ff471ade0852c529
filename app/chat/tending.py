"""What is done for a conversation between its turns: its cache kept warm, its summary kept up."""

from collections.abc import Callable

from app.chat.archive import Archive
from app.chat.briefing import Briefing
from app.chat.condensing import Condensing
from app.chat.lanes import Lanes
from app.chat.values import Attachment
from app.chat.warming import Warming
from app.ports import TextGenerator


class Tending:
    """Uses the time in which nobody waits; all but `warm` and `cool` belong to the store's thread.

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
        self._post = post
        self._lanes = lanes
        self._warming = Warming(archive, post, lanes=lanes, generator=generator, briefing=briefing)
        self._condensing = Condensing(
            archive, post, generator=generator, briefing=briefing, on_over=self._warming.again
        )

    def warm(self, conversation_id: str, draft: str, attachments: tuple[Attachment, ...]) -> None:
        """Keep a conversation warm with this draft; any thread, never blocks."""
        if self._warming.warm(conversation_id, draft, attachments):
            self._post(lambda: self._summarize(conversation_id))

    def cool(self, conversation_id: str | None = None) -> None:
        """Keep one conversation, or whichever is warm, so no longer; any thread, never blocks."""
        self._warming.cool(conversation_id)

    def begin(self, conversation_id: str) -> None:
        """A turn begins: its draft is none any more."""
        self._warming.sent(conversation_id)

    def rest(self, conversation_id: str) -> None:
        """A turn has ended, or what the next one begins with has changed."""
        self._summarize(conversation_id)
        self._warming.again(conversation_id)

    def leave(self, conversation_id: str) -> None:
        """Write no running summary for a conversation any more."""
        self._condensing.stop(conversation_id)

    def close(self) -> None:
        """End what is under way."""
        self._warming.cool()
        self._condensing.close()

    def _summarize(self, conversation_id: str) -> None:
        if self._lanes.head(conversation_id) is None:
            self._condensing.consider(conversation_id)
