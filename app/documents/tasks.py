"""Finds what somebody has to do, and what was decided, in sentences of minutes, mails and rules.

By patterns and not by a model: a row is the document's own sentence, with the person and the day
that stand in it. What was done already is no task.
"""

import re
from dataclasses import dataclass

from app.documents.facts import due_in

_FEWEST_WORDS = 4
_MOST_WORDS = 45
_NAME = r"[A-ZÄÖÜ][\w’'.-]+"
_PERSON = rf"(?:(?:The|Der|Die|Das|Mr\.?|Mrs\.?|Ms\.?|Dr\.?|Frau|Herr) )?{_NAME}(?: {_NAME}){{0,2}}"
_PEOPLE = (
    rf"{_PERSON}(?:(?:,| and| und) {_PERSON}){{0,2}}|The [a-z]+(?: [a-z]+)?|D(?:er|ie|as) {_NAME}"
    r"|We|Wir"
)
_DOES = (
    r"(?:will|must|shall|is to|are to|has to|have to|needs? to|agreed to|agrees to|undertakes to|"
    r"takes (?:on|over)|to|muss|müssen|soll(?:en)?|wird|werden|hat .{1,80} zu|übernimmt|übernehmen|"
    r"erledigt|kümmert sich|schickt|liefert|prüft|klärt|bereitet)"
)
_WHO_DOES = re.compile(rf"^\W*(?P<who>{_PEOPLE}),? {_DOES}\b")
_LABEL = re.compile(
    r"^\W*(?:action(?: item)?|to ?do|task|aufgabe|maßnahme|nächster schritt|next step)s?\b[ :–-]+"
    rf"(?:(?P<who>{_NAME}(?: {_NAME})?)[:,] |)",
    re.IGNORECASE,
)
_MARKED = re.compile(rf"^\W*(?P<who>{_NAME}(?: {_NAME})?): (?=[a-zäöüA-ZÄÖÜ])")
_ASKED = re.compile(
    r"^(?:Please|Bitte|(?:Could|Can) you|K(?:ö|o)nn(?:t|en|test) (?:ihr|Sie|du)) ", re.I
)
_IN_PASSIVE = re.compile(
    r"\b(?:must|shall|has to|have to|is to|are to|needs? to) be \w+(?:ed|en|t)\b"
    r"|\b(?:muss|müssen|ist|sind) .{0,80}(?:\w+t|\w+en) werden\b"
)
_NO_TASK = re.compile(
    r"^\W*(?:It|There|This|That|These|Those|What|Who|Which|How|If|When|Es|Das|Dies)\b"
    r"|\bwill (?:be|have|not|never|become|remain|also be)\b|\b(?:need|has|have) not\b"
    r"|\bwir(?:d|den) (?:es|sich)\b|\?$"
)
_DECIDED = re.compile(
    r"\b(?:agreed|decided|resolved|approved|rejected|adopted|voted|elected|appointed|postponed|"
    r"confirmed|beschlossen|beschließt|vereinbart|genehmigt|abgelehnt|entschieden|gewählt|"
    r"bestätigt|verschoben|einigten sich)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Task:
    """What a sentence asks of somebody; `person` and `due` as they stand in it, or empty."""

    person: str
    due: str


def task_in(sentence: str) -> Task | None:
    """Return the task that `sentence` puts, or None."""
    words = sentence.split()
    if not _FEWEST_WORDS <= len(words) <= _MOST_WORDS or _NO_TASK.search(sentence):
        return None
    due = due_in(sentence)
    if found := _WHO_DOES.match(sentence):
        return Task(found["who"], due)
    if found := _LABEL.match(sentence):
        return Task(found["who"] or "", due)
    if _ASKED.match(sentence) or (_IN_PASSIVE.search(sentence) and due):
        return Task("", due)
    marked = _MARKED.match(sentence)
    return Task(marked["who"], due) if marked and due else None


def is_decision(sentence: str) -> bool:
    """Tell whether a sentence reports a decision."""
    return _DECIDED.search(sentence) is not None
