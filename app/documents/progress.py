"""What was written of a summary so far, so that a run that was cut off is gone on with.

Kept is what the model answered to which question, and nothing that follows from it: choosing and
checking are done again and come to the same.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import astuple

from app.documents.options import SummaryOptions
from app.ports import SummaryProgress
from inference.types import ChatMessage


class WrittenSoFar:
    """The answers to one document's questions; one thread."""

    def __init__(self, port: SummaryProgress | None, key: str) -> None:
        self._port = port
        self._key = key
        self._answers = _loaded(port.get(key)) if port else {}

    def get(self, messages: Sequence[ChatMessage]) -> str | None:
        """Return what was answered to `messages`, or None where nothing was yet."""
        return self._answers.get(_digest(messages))

    def put(self, messages: Sequence[ChatMessage], answer: str) -> None:
        """Keep an answer at once: the next moment may be the last."""
        self._answers[_digest(messages)] = answer
        if self._port is not None:
            self._port.put(self._key, json.dumps(self._answers).encode())


def key_of(document_sha256: str, options: SummaryOptions, model_sha256: str) -> str:
    """Return under which key the progress of a summary is kept."""
    parts = (document_sha256, *astuple(options), model_sha256)
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()


def _digest(messages: Sequence[ChatMessage]) -> str:
    text = json.dumps([(message.role, message.content) for message in messages])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _loaded(body: bytes | None) -> dict[str, str]:
    """Return the answers in `body`; what cannot be read is written again."""
    try:
        found = json.loads(body or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
