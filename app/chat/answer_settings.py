"""How the answers of a conversation are made: kept as JSON, and merged with what lies under it."""

import json
from contextlib import suppress
from dataclasses import asdict, fields, replace
from typing import Any

from app.chat.values import AnswerSettings
from inference.errors import BadFrame
from inference.frames import Codec
from inference.types import Sampling

_CODEC = Codec((AnswerSettings,))
_KNOWN = tuple(field.name for field in fields(AnswerSettings))
_DRAWN = tuple(field.name for field in fields(Sampling))


def load(kept: str) -> AnswerSettings:
    """Return what is kept; each value that is not allowed counts as not set."""
    body = _body(kept)
    values = {}
    for name in _KNOWN:
        if name in body:
            with suppress(BadFrame):
                alone = json.dumps({"type": AnswerSettings.__name__, name: body[name]})
                values[name] = getattr(_CODEC.decode(alone.encode()), name)
    return AnswerSettings(**values)


def dump(settings: AnswerSettings, *, over: str = "{}") -> str:
    """Return `settings` as they are kept, beside what another version has written `over` them."""
    unknown = {name: value for name, value in _body(over).items() if name not in _KNOWN}
    return json.dumps({**unknown, **asdict(settings)}, ensure_ascii=False)


def effective_sampling(default: Sampling, settings: AnswerSettings) -> Sampling:
    """Return how an answer is drawn: as `settings` say, and as `default` where they say nothing."""
    said = {name: getattr(settings, name) for name in _DRAWN}
    return replace(
        default, **{name: value for name, value in said.items() if value not in (None, ())}
    )


def _body(kept: str) -> dict[str, Any]:
    try:
        body = json.loads(kept)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
