"""Computing ahead, in idle time, what is certain of a session's next prompt."""

import re
import time
from collections.abc import Callable, Sequence

from inference.model import Model
from inference.prompt import PromptBuilder
from inference.session import QUESTION_TOKENS, common_length
from inference.types import ChatMessage, Event, Prefill, Prefilled, PrefillProgress

_ANSWER_TOKENS = 1024
# What follows the last space may still become another word, and a text without any space for long
# is in a language that writes none.
_LAST_WORD = re.compile(r"\S{0,32}\Z")
_CONTINUATIONS = ("a", "1")


class Ahead:
    """Prepares one session; whoever owns it calls `step` until it says that it is over.

    Args:
        model: The loaded model.
        command: What the next prompt begins with.
        send: Takes every event of it.
        is_cancelled: Says whether it is wanted no longer.
    """

    def __init__(
        self,
        model: Model,
        command: Prefill,
        *,
        send: Callable[[Event], None],
        is_cancelled: Callable[[], bool],
    ) -> None:
        self._model = model
        self._command = command
        self._send = send
        self._is_cancelled = is_cancelled
        self._session = model.sessions.get(command.session_id)
        self._certain = certain_prefix(
            model.prompts, command.messages, spelled=self._session.spelled
        )
        if self._ready_tokens < len(self._certain):
            self._session.begin(self._certain, _ANSWER_TOKENS, question_tokens=QUESTION_TOKENS)
            model.sessions.make_room()

    def step(self) -> bool:
        """Compute a chunk; return whether that was the last, its `Prefilled` sent.

        Raises:
            InferenceError: It cannot go on; nothing was sent about that.
        """
        done = self._ready_tokens
        if self._is_cancelled() or done == len(self._certain):
            return self._finish()
        count = self._model.pace.next_tokens(len(self._certain) - done)
        began_s = time.perf_counter()
        if self._session.append(self._certain[done : done + count]):
            self._model.pace.measured(count, time.perf_counter() - began_s)
            progress = (self._command.request_id, done + count, len(self._certain))
            self._send(PrefillProgress(*progress))
        return False

    def _finish(self) -> bool:
        self._send(
            Prefilled(
                self._command.request_id,
                self._ready_tokens,
                len(self._certain),
                kv_bytes=self._model.sessions.used_bytes,
            )
        )
        return True

    @property
    def _ready_tokens(self) -> int:
        return common_length(self._session.ids, self._certain)


def certain_prefix(
    prompts: PromptBuilder, messages: Sequence[ChatMessage], *, spelled: dict[str, list[int]]
) -> tuple[int, ...]:
    """Return the ids that every prompt begins with which goes on from `messages`.

    A last message of the user's may still grow: its last word is left out, since a token may join
    what is there with what comes. Behind an answer the next question's frame is certain as well.

    Args:
        prompts: Builds this model's prompts.
        messages: Oldest first; may be empty.
        spelled: Ids of texts that are known; those of the messages that stay are added.
    """
    kept, begun = list(messages), ""
    if kept and kept[-1].role == "user":
        begun = _LAST_WORD.sub("", kept.pop().content)
    own = dict(spelled)
    first, second = (
        prompts.build((*kept, ChatMessage("user", begun + continuation)), spelled=own)
        for continuation in _CONTINUATIONS
    )
    for message in kept:
        if message.content in own:
            spelled[message.content] = own[message.content]
    return first[: common_length(first, second)]
