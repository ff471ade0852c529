"""What the application needs from outside, where more than one answer exists."""

from collections.abc import Callable
from typing import Protocol

from inference.types import ChatMessage, DeviceChoice, Event, Lane, Sampling


class Clock(Protocol):
    """Time, so that tests can choose it."""

    def now_s(self) -> float:
        """Return seconds since 1970, UTC."""
        ...


class Handle(Protocol):
    """A request under way."""

    def cancel(self) -> None:
        """Ask for the end between two tokens; the last event still comes. Never blocks."""
        ...


class TextGenerator(Protocol):
    """The model that is in use; all methods may be called from any thread and never block on it."""

    @property
    def model_id(self) -> str:
        """Id of the model in use, or empty."""
        ...

    @property
    def device(self) -> DeviceChoice | None:
        """Where it runs, or None while nothing is loaded."""
        ...

    @property
    def context_tokens(self) -> int:
        """Context window in tokens, or 0 without a model."""
        ...

    @property
    def default_sampling(self) -> Sampling:
        """How the model in use wants its answers drawn; Snug's own defaults without a model."""
        ...

    def count_tokens(self, messages: tuple[ChatMessage, ...]) -> int:
        """Return the prompt's length in tokens, chat template included; may load the tokenizer."""
        ...

    def submit(
        self,
        messages: tuple[ChatMessage, ...],
        *,
        session_id: str,
        sampling: Sampling,
        sink: Callable[[Event], None],
        lane: Lane = "interactive",
        drafts: bool = False,
        continues: bool = False,
        schema: str = "",
    ) -> Handle:
        """Start answering, loading the model first where needed; see `GenerationRequest`.

        Every event of the request is handed to `sink` on the reader's thread, PrefillProgress and
        TextDelta first, Finished or Failed last and exactly once. A request that cannot be sent
        fails through `sink` as well, never by an exception.
        """
        ...

    def prefill(self, messages: tuple[ChatMessage, ...], *, session_id: str) -> Handle:
        """Compute ahead what is certain of a session's next prompt, while nothing else runs.

        A newer call for any session takes the place of an older one that has not begun. Nothing
        is loaded for it: without a loaded model it does nothing.
        """
        ...

    def drop_session(self, session_id: str) -> None:
        """Give back a session's KV cache."""
        ...


class SummaryProgress(Protocol):
    """A place for what was written of a summary so far; may block."""

    def get(self, key: str) -> bytes | None:
        """Return what is kept under `key`, or None."""
        ...

    def put(self, key: str, body: bytes) -> None:
        """Keep `body` in the place of what was there; a place that cannot, does nothing."""
        ...


class KeyStore(Protocol):
    """A place for the store's 32-byte key."""

    def load(self) -> bytes | None:
        """Return the key, or None where none was ever kept.

        Raises:
            KeyNeeded: This place cannot be used on this machine.
            WrongKey: What it holds cannot be opened.
            StoreError: It cannot be reached now, or must not be used as it is.
        """
        ...

    def save(self, key: bytes) -> None:
        """Keep the key.

        Raises:
            KeyNeeded: This place cannot be used on this machine.
        """
        ...


class RecognizedPages(Protocol):
    """Where the text of pages that were recognized in their images is kept; any thread, blocking.

    A page is known by the file's SHA-256, its number from 1, and what recognized it.
    """

    def get(self, sha256: str, number: int, engine: str) -> bytes | None:
        """Return what was put there, or None."""
        ...

    def put(self, sha256: str, number: int, engine: str, page: bytes) -> None:
        """Keep a page, in the place of what another engine made of it."""
        ...
