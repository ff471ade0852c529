"""Finds figures, dates and names in a sentence, as they stand there."""

import re

from app.documents.words import ALL_STOP_WORDS, MONTHS, names

_MONTH = (
    r"(?:Jan(?:uary|uar)?|Feb(?:ruary|ruar)?|Mar(?:ch)?|März|Apr(?:il)?|Ma[yi]|Jun[ei]?|Jul[yi]?|"
    r"Aug(?:ust)?|Sept?(?:ember)?|O[ck]t(?:ober)?|Nov(?:ember)?|De[cz](?:ember)?)\.?"
)
_WEEKDAY = (
    r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|"
    r"(?:Mon|Diens|Donners|Frei|Sams|Sonn)tag|Mittwoch"
)
DATE = re.compile(
    rf"\b(?:\d{{1,2}}\.?(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? \d{{4}})?"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?\b|{_MONTH} \d{{4}}"
    r"|\d{4}-\d{2}-\d{2}|\d{1,2}\.\d{1,2}\.(?:\d{4}|\d{2})\b|\d{1,2}/\d{1,2}/\d{2,4})"
)
# What a task may be due on, besides a date.
DUE = re.compile(
    rf"{DATE.pattern}|\b(?:(?:next|this|nächsten?|diesen?) )?(?:{_WEEKDAY})\b"
    r"|\b(?:tomorrow|today|morgen|heute|(?:end of|next|this) (?:week|month|quarter|year)|"
    r"Ende (?:der Woche|des Monats|des Jahres)|(?:nächste|diese) Woche)\b"
)
_AMOUNT = re.compile(
    r"(?:[$€£]\s?\d[\d.,]*\d|[$€£]\s?\d)(?: (?:million|billion|thousand|Million(?:en)?|"
    r"Milliarden?|Mio\.?|Mrd\.?))?"
    r"|\d[\d.,]*(?:\s?(?:%|€|\$|£)|[\s-](?:per ?cent|percent|Prozent|euros?|Euro|dollars?|pounds?"
    r"|million|billion|Millionen|Milliarden|EUR|USD|GBP)\b)"
)
_COUNTED = re.compile(r"(?<![\w.,])\d[\d.,]*\s(?:[^\W\d_]+\s)?[^\W\d_]{3,}")
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_MOST_FACTS = 2


def facts_in(sentence: str, language: str) -> tuple[str, ...]:
    """Return at most two facts of a sentence: dates and amounts first, then counts, then names."""
    found: list[str] = []
    for pattern in (_AMOUNT, DATE, _COUNTED, _YEAR):
        for match in pattern.finditer(sentence):
            fact = match[0].strip(" ,.")
            if not _is_new(fact, found) or (pattern is _COUNTED and _is_loose(fact)):
                continue
            found.append(fact)
    if not found and language == "en":
        found = [name for name in sorted(names(sentence)) if name not in MONTHS and len(name) > 1]
    return tuple(found[:_MOST_FACTS])


def due_in(sentence: str) -> str:
    """Return the date or day that a sentence names, or empty."""
    match = DUE.search(sentence)
    return match[0].strip(" ,.") if match else ""


def _is_new(fact: str, found: list[str]) -> bool:
    return not any(fact in other or other in fact for other in found)


def _is_loose(fact: str) -> bool:
    """Tell whether what is counted is no thing: `30 and`, `5 of the`."""
    return fact.rsplit(maxsplit=1)[-1].lower() in ALL_STOP_WORDS
