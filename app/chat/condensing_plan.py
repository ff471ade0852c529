"""What a running summary has to cover next, and how the model is asked for it.

It is notes on the turns that will leave the window, written before the window is full. They are put
behind the notes before them, so that these cost nothing again and lose nothing; only where that
would be too long does the model write all of them anew. A document is told by its name only; what
mattered of it is in the answers.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.chat import prompts
from app.chat.context import next_cut
from app.chat.outlook import Count, Covered, Outlook
from app.chat.values import Message
from app.documents.prompting import bar
from inference.types import ChatMessage

# When the next summary is written, and what of the window the turns after it may take then: by the
# time that it is needed they will have grown by a quarter.
_FULL = 0.75
_REST = 0.4
_WINDOWS_PER_SUMMARY = 8
_LEAST_TOKENS = 16
_MOST_TOKENS = 1024
_WORDS_PER_TOKEN = 0.6
_NAMES = {"user": "User", "assistant": "Assistant", "system": "System"}
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|[。！？]|\n")
_GAP = "\n[…]\n"


@dataclass(frozen=True, slots=True)
class Plan:
    """One running summary that should be written.

    Attributes:
        before_id: The question that it reaches up to.
        covers: Ids of the messages before that question, which must not change meanwhile.
        before: The notes that it goes on from, as they are.
        messages: What the model is asked.
        most_tokens: How long its notes may be.
    """

    before_id: str
    covers: tuple[str, ...]
    before: str
    messages: tuple[ChatMessage, ...]
    most_tokens: int


def plan(
    outlook: Outlook,
    history: Sequence[Message],
    *,
    limit_tokens: int,
    budget_tokens: int,
    count: Count,
) -> Plan | None:
    """Return what should be written next, or None while nothing needs to be.

    `limit_tokens` is the window and `budget_tokens` what of it a prompt may take.
    """
    # Half of a summary each time, so that the next notes can be put behind these.
    most_tokens = summary_tokens(limit_tokens) // 2
    done, before = 0, ""
    if outlook.covered:
        last = outlook.covered[-1]
        # It may have been written for another model's window.
        done, before = last.index, bounded(last.summary.text, 2 * most_tokens, count)
        summary = replace(last.summary, text=before)
        outlook = replace(outlook, covered=(Covered(done, summary),))
    target = outlook.first
    if done >= target:
        seen_tokens = count(outlook.prompt(max(done, outlook.first)))
        if seen_tokens <= budget_tokens * _FULL:
            return None
        target = next_cut(outlook, rest_tokens=int(budget_tokens * _REST), count=count)
    if target <= done:
        return None
    before_tokens = _length_tokens(before, count)
    is_full = before_tokens > most_tokens
    # Half of the window at most, so that the cache of the conversation itself can stay beside it.
    room_tokens = limit_tokens // 2 - count(_request("", most_tokens)) - most_tokens
    if is_full:
        room_tokens -= before_tokens
    if room_tokens <= most_tokens:
        return None
    end, text = _transcript(outlook, history, done, target, room_tokens=room_tokens, count=count)
    if is_full:
        before, text = "", f"Earlier notes:\n{before}\n\n{text}"
    before_id = outlook.told[end].message_id
    ids = [message.id for message in history]
    covers = tuple(ids[: ids.index(before_id)])
    return Plan(before_id, covers, before, _request(text, most_tokens), most_tokens)


def summary_tokens(limit_tokens: int) -> int:
    """Return how long a running summary may be in a window of `limit_tokens`, about."""
    return max(_LEAST_TOKENS, min(_MOST_TOKENS, limit_tokens // _WINDOWS_PER_SUMMARY))


def bounded(text: str, most_tokens: int, count: Count) -> str:
    """Return `text` without what is over `most_tokens`."""
    text = text.strip()
    while (tokens := _length_tokens(text, count)) > most_tokens:
        text = up_to_a_sentence(text[: min(len(text) - 1, len(text) * most_tokens // tokens)])
    return text


def _length_tokens(text: str, count: Count) -> int:
    """Return the length of a text without what the chat template puts round it."""
    if not text:
        return 0
    return count((ChatMessage("user", text),)) - count((ChatMessage("user", ""),))


def up_to_a_sentence(text: str) -> str:
    """Return `text` up to its last whole sentence or line, where that is most of it."""
    text = text.rstrip()
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    return text[: ends[-1]].rstrip() if ends and ends[-1] > len(text) // 2 else text


def _request(text: str, most_tokens: int) -> tuple[ChatMessage, ...]:
    words = max(1, int(most_tokens * _WORDS_PER_TOKEN))
    content = prompts.running_summary().format(fence=bar(text), text=text, words=words)
    return (ChatMessage("user", content),)


def _transcript(
    outlook: Outlook,
    history: Sequence[Message],
    start: int,
    target: int,
    *,
    room_tokens: int,
    count: Count,
) -> tuple[int, str]:
    """Return the text of as many whole turns from `start` on as there is room for, and its end."""
    messages = {message.id: message for message in history}
    ends = [
        index
        for index in range(start + 1, target + 1)
        if index == target or outlook.told[index].told.role == "user"
    ]
    parts: list[str] = []
    used_tokens, end = 0, start
    for turn_end in ends:
        entries = [messages[each.message_id] for each in outlook.told[end:turn_end]]
        turn = "\n\n".join(_spoken(message) for message in entries)
        tokens = count((ChatMessage("user", turn),))
        if parts and used_tokens + tokens > room_tokens:
            break
        parts.append(_clipped(turn, tokens, room_tokens))
        used_tokens, end = used_tokens + tokens, turn_end
    return end, "\n\n".join(parts)


def _spoken(message: Message) -> str:
    names = ", ".join(" ".join(each.name.split()) for each in message.attachments)
    if message.kind == "summary" and message.role == "user":
        text = prompts.summary_question().format(names=names)
    else:
        text = "\n".join(part for part in (f"[{names}]" if names else "", message.text) if part)
    return f"{_NAMES[message.role]}: {text}"


def _clipped(text: str, tokens: int, room_tokens: int) -> str:
    """Return `text`, or its beginning and end where it is longer than all the room there is."""
    if tokens <= room_tokens:
        return text
    # A little less than the share, because tokens are not spread evenly over the characters.
    side = len(text) * room_tokens * 2 // (tokens * 5)
    return f"{text[:side]}{_GAP}{text[-side:]}"
