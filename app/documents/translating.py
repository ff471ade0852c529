"""Translates one checked statement, and refuses what does not say the same.

Code cannot compare meanings across languages, but it can see a lost number, name, negation, duty
or exception, and these are what small models lose.
"""

import re

from app.documents import phrasing as say
from app.documents.checking import is_looping
from app.documents.jobs import JobPrompts
from app.documents.sentences import split
from app.documents.words import UNKNOWN_LANGUAGE, language_of
from app.documents.writer import Writer

_NUMBER = re.compile(r"\d[\d.,]*")
_ACRONYM = re.compile(r"\b[A-ZÄÖÜ]{2,}[\w-]*\b")
_LEAST_LENGTH, _MOST_LENGTH = 0.5, 2.2
_KEPT = (say.NEGATION, say.EXCEPTION, say.CONDITION_SAID, say.DUTY["must"], say.DUTY["may"])


def translate(text: str, writer: Writer, prompts: JobPrompts) -> str:
    """Return `text` in the job's target language, or empty where no translation stands.

    Raises:
        Cancelled: The writer was cancelled.
        InferenceError: The model failed.
    """
    answer = " ".join(writer.do(prompts, text).split())
    return "" if translation_faults(text, answer, prompts.job.target) else answer


def translation_faults(text: str, translated: str, target: str) -> tuple[str, ...]:
    """Return the reasons why a translation may not stand; none means that it may."""
    share = len(translated) / max(1, len(text))
    found = {
        "length": not _LEAST_LENGTH <= share <= _MOST_LENGTH,
        "form": len(list(split(translated))) != len(list(split(text))),
        "language": language_of(translated) not in (target, UNKNOWN_LANGUAGE),
        "number": _numbers(text) != _numbers(translated),
        "name": not set(_ACRONYM.findall(text)) <= set(_ACRONYM.findall(translated)),
        "loop": is_looping(translated),
        "meaning": any(
            (pattern.search(text) is None) != (pattern.search(translated) is None)
            for pattern in _KEPT
        ),
    }
    return tuple(name for name, is_so in found.items() if is_so)


def _numbers(text: str) -> list[str]:
    """Return the digits of all numbers, whatever stands between their groups."""
    return sorted(re.sub(r"\D", "", found) for found in _NUMBER.findall(text))
