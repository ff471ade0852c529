"""Counts the tokens of prompts, in this process or in one of its own.

Loading a tokenizer holds the interpreter's lock for a tenth of a second to half a second, and a
window in the same process stands still for as long. So the window has a child that counts; a
program without a window counts in itself.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

from inference.child import Child
from inference.errors import BadFrame, Fact, InferenceError, WorkerDied, from_code
from inference.frames import Codec
from inference.types import ChatMessage, Role

if TYPE_CHECKING:
    from inference.prompt import PromptBuilder

_LIMIT_S = 30.0
_KEY_BYTES = 16


@dataclass(frozen=True, slots=True)
class CountedTurn:
    """A message by the key of its text."""

    role: Role
    key: str


@dataclass(frozen=True, slots=True)
class Count:
    """Count a prompt.

    Attributes:
        folder: The model's folder, as an absolute path.
        texts: Key to text, of those that were not in the prompt before.
    """

    folder: str
    turns: tuple[CountedTurn, ...]
    texts: dict[str, str]


@dataclass(frozen=True, slots=True)
class Counted:
    """The prompt's length."""

    tokens: int


@dataclass(frozen=True, slots=True)
class NotCounted:
    """The prompt could not be counted; see `inference.errors`."""

    code: str
    facts: dict[str, Fact] = field(default_factory=dict)


COMMANDS = Codec((Count,))
ANSWERS = Codec((Counted, NotCounted))


class Counter:
    """Counts in this process. One thread at a time.

    A conversation grows at its end, so what was counted a moment ago is not encoded again.
    """

    def __init__(self) -> None:
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
        builder = self._builder_for(folder)
        length = len(builder.build(messages, spelled=self._spelled))
        # Some templates trim, and what is spelled then is the trimmed text.
        texts = {message.content.strip() for message in messages}
        self._spelled = {text: ids for text, ids in self._spelled.items() if text.strip() in texts}
        return length

    def forget(self) -> None:
        """Give back what is kept."""
        self._folder, self._builder, self._spelled = None, None, {}

    def close(self) -> None:
        """Give back what is kept."""
        self.forget()

    def _builder_for(self, folder: Path) -> "PromptBuilder":
        if self._builder is None or self._folder != folder:
            # The parent of a counting process must not wait for these libraries.
            from inference.prompt import PromptBuilder  # noqa: PLC0415
            from inference.tokenizer import Tokenizer  # noqa: PLC0415

            self.forget()
            self._builder = PromptBuilder.load(folder, Tokenizer.load(folder))
            self._folder = folder
        return self._builder


def serve(connection: Connection) -> int:
    """Count until the pipe ends."""
    counter = Counter()
    known: dict[str, str] = {}
    try:
        while True:
            command: Count = COMMANDS.decode(connection.recv_bytes())
            known = _texts_of(command, known)
            connection.send_bytes(ANSWERS.encode(_answer(counter, command, known)))
    except (EOFError, OSError):
        return 0
    except BadFrame:
        return 1


class CountingProcess:
    """A child that counts, and our end of it. One thread at a time, but any thread may `kill`."""

    def __init__(self, child: Child) -> None:
        self._child = child
        self._keys: frozenset[str] = frozenset()

    def count(self, folder: Path, messages: Sequence[ChatMessage]) -> int:
        """Return the tokens of the prompt; blocks, the first time until the tokenizer is loaded.

        Raises:
            WorkerDied: The child has ended, or did not answer in half a minute; it is of no more
                use.
            InferenceError: As `Counter.count`.
        """
        texts = {_key(message.content): message.content for message in messages}
        turns = tuple(CountedTurn(message.role, _key(message.content)) for message in messages)
        new = {key: text for key, text in texts.items() if key not in self._keys}
        connection = self._child.connection
        try:
            connection.send_bytes(COMMANDS.encode(Count(str(folder.absolute()), turns, new)))
            if not connection.poll(_LIMIT_S):
                raise WorkerDied
            answer: Counted | NotCounted = ANSWERS.decode(connection.recv_bytes())
        except (EOFError, OSError, BadFrame) as error:
            raise WorkerDied(exit_code=self._child.exit_code() or 0) from error
        self._keys = frozenset(texts)
        if isinstance(answer, NotCounted):
            raise from_code(answer.code, answer.facts)
        return answer.tokens

    def kill(self) -> None:
        """End the child at once; who waits for it is told so."""
        self._child.kill()

    def close(self) -> None:
        """End the child and give back the pipe."""
        self._child.kill()
        self._child.close()


def _texts_of(command: Count, known: Mapping[str, str]) -> dict[str, str]:
    """Return the text of every turn by its key."""
    texts = {**known, **command.texts}
    try:
        return {turn.key: texts[turn.key] for turn in command.turns}
    except KeyError as error:
        raise BadFrame(reason="a text is not known") from error


def _answer(counter: Counter, command: Count, texts: Mapping[str, str]) -> Counted | NotCounted:
    messages = [ChatMessage(turn.role, texts[turn.key]) for turn in command.turns]
    try:
        return Counted(counter.count(Path(command.folder), messages))
    except InferenceError as error:
        return NotCounted(error.code, error.facts)


def _key(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=_KEY_BYTES).hexdigest()
