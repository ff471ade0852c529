"""Counts prompts in this process, so that the context meter never asks the busy host."""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from inference.types import ChatMessage

if TYPE_CHECKING:
    from inference.prompt import PromptBuilder


class TokenCounter:
    """Keeps the tokenizer of the model it counted for last, and the ids of the last prompt.

    A conversation grows at its end, so what was counted a moment ago is not encoded again.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._folder: Path | None = None
        self._builder: PromptBuilder | None = None
        self._spelled: dict[str, list[int]] = {}

    def count(self, folder: Path, messages: Sequence[ChatMessage]) -> int:
        """Return the tokens of the prompt, the chat template's included; 0 without a message.

        Raises:
            ModelMissing: The tokenizer is not there.
            ModelDamaged: It cannot be read.
            ModelUnsupported: The chat template cannot express the messages.
        """
        if not messages:
            return 0
        with self._lock:
            builder = self._builder_for(folder)
            spelled = dict(self._spelled)
            length = len(builder.build(messages, spelled=spelled))
            texts = {message.content for message in messages}
            self._spelled = {text: ids for text, ids in spelled.items() if text in texts}
            return length

    def forget(self) -> None:
        """Give back what is kept."""
        with self._lock:
            self._folder, self._builder, self._spelled = None, None, {}

    def _builder_for(self, folder: Path) -> "PromptBuilder":
        if self._builder is None or self._folder != folder:
            # These libraries take a tenth of a second, for which the window must not wait.
            from inference.prompt import PromptBuilder  # noqa: PLC0415
            from inference.tokenizer import Tokenizer  # noqa: PLC0415

            self._builder = PromptBuilder.load(folder, Tokenizer.load(folder))
            self._folder, self._spelled = folder, {}
        return self._builder
