"""What a kept cache is worth: a follow-up, and a document that was read before the question."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from inference.bench.asking import Asker
from inference.client import EngineClient
from inference.stream import Stream
from inference.types import ChatMessage

_SHORT_TOKENS = 64
_LONG_TOKENS = 4096
_FOLLOW_UP_TOKENS = 24
_DOCUMENT_TOKENS = 3000
_ANSWER_TOKENS = 8
_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class SessionsReport:
    """Seconds to the first text; medians, and medians of the rounds' own ratios.

    Attributes:
        long_tokens: Length of the long history, less than 4,096 where the window is smaller.
        follow_up_short_s: A follow-up of 24 tokens after a history of 64.
        follow_up_long_s: The same after the long history.
        cold_s: The long history with nothing cached.
        ratio_long: The follow-up after the long history by that after the short one.
        ratio_cold: The follow-up after the long history by reading it anew.
        document_tokens: Length of the document, less than 3,000 where the window is smaller.
        document_cold_s: A question about a document that nobody read before.
        document_ahead_s: The same question after the document was computed ahead.
        ratio_ahead: With by without.
    """

    long_tokens: int
    follow_up_short_s: float
    follow_up_long_s: float
    cold_s: float
    ratio_long: float
    ratio_cold: float
    document_tokens: int
    document_cold_s: float
    document_ahead_s: float
    ratio_ahead: float


def run_sessions(
    client: EngineClient,
    *,
    on_status: Callable[[str], None] = lambda _text: None,
    rounds: int = _ROUNDS,
) -> SessionsReport:
    """Measure the model that is loaded, or about to be; blocks for minutes.

    Raises:
        InferenceError: The model cannot be loaded or run.
    """
    asker = Asker(client)
    limit = asker.fit().context_tokens * 3 // 4
    long_tokens, document_tokens = min(_LONG_TOKENS, limit), min(_DOCUMENT_TOKENS, limit)
    follow_ups: list[tuple[float, float, float]] = []
    documents: list[tuple[float, float]] = []
    for number in range(rounds):
        on_status(f"follow-ups, round {number + 1} of {rounds}")
        short_s, _ = _follow_up(asker, _SHORT_TOKENS)
        long_s, cold_s = _follow_up(asker, long_tokens)
        follow_ups.append((short_s, long_s, cold_s))
        on_status(f"a document, round {number + 1} of {rounds}")
        documents.append(_document(asker, document_tokens))
    short, long, cold = zip(*follow_ups, strict=True)
    plain, ahead = zip(*documents, strict=True)
    return SessionsReport(
        long_tokens=long_tokens,
        follow_up_short_s=median(short),
        follow_up_long_s=median(long),
        cold_s=median(cold),
        ratio_long=median(b / a for a, b in zip(short, long, strict=True)),
        ratio_cold=median(b / a for a, b in zip(cold, long, strict=True)),
        document_tokens=document_tokens,
        document_cold_s=median(plain),
        document_ahead_s=median(ahead),
        ratio_ahead=median(b / a for a, b in zip(plain, ahead, strict=True)),
    )


def _follow_up(asker: Asker, history_tokens: int) -> tuple[float, float]:
    """Return the seconds of a follow-up, and of its history with nothing cached."""
    history = ChatMessage("user", asker.text(history_tokens))
    with asker.session() as session_id:
        cold = asker.ask(session_id, (history,), new_tokens=_ANSWER_TOKENS)
        messages = (
            history,
            ChatMessage("assistant", cold.text),
            ChatMessage("user", asker.text(_FOLLOW_UP_TOKENS, with_template=False)),
        )
        # What was asked for when the history began may not hold a second answer: the cache grows,
        # in idle time, and that is no part of what a person waits for.
        _compute_ahead(asker, session_id, messages[:2])
        warm = asker.ask(session_id, messages, new_tokens=_ANSWER_TOKENS)
    return warm.first_s, cold.first_s


def _document(asker: Asker, tokens: int) -> tuple[float, float]:
    """Return the seconds of a question without and with its document computed ahead."""
    document = asker.text(tokens)
    question = f"{document}\n\n{asker.text(_FOLLOW_UP_TOKENS, with_template=False)}"
    messages = (ChatMessage("user", question),)
    with asker.session() as session_id:
        cold = asker.ask(session_id, messages, new_tokens=_ANSWER_TOKENS)
    with asker.session() as session_id:
        _compute_ahead(asker, session_id, (ChatMessage("user", document),))
        ahead = asker.ask(session_id, messages, new_tokens=_ANSWER_TOKENS)
    return cold.first_s, ahead.first_s


def _compute_ahead(asker: Asker, session_id: str, messages: tuple[ChatMessage, ...]) -> float:
    stream = Stream()
    began_s = time.perf_counter()
    asker.client.prefill(messages, session_id=session_id, sink=stream.put)
    stream.wait()
    return time.perf_counter() - began_s
