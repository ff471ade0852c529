"""What stands beside a sentence where a summary is a table: all of it out of the document."""

import re

from app.documents.facts import due_in, facts_in
from app.documents.mail_text import author_of
from app.documents.options import Style
from app.documents.sentences import Sentence
from app.documents.tasks import task_in
from app.documents.words import names

_SAID = re.compile(
    r"^\W*(?P<who>[A-ZÄÖÜ][\w’'.-]+(?: [A-ZÄÖÜ][\w’'.-]+)?|(?:The|Der|Die|Das) [\w-]+) "
    r"(?:said|reported|noted|asked|explained|proposed|suggested|presented|announced|agreed|decided|"
    r"resolved|approved|rejected|confirmed|stated|argued|objected|thanked|told|berichtete?|fragte?|"
    r"erklärte?|schlug|stellte|beschloss|beschließt|genehmigte?|lehnte|bestätigte?|hat|haben)\b"
)


def row_of(sentence: Sentence, style: Style, language: str) -> tuple[str, ...]:
    """Return the columns before a sentence; empty for styles that are no table."""
    text = sentence.text
    if style == "facts":
        return (", ".join(facts_in(text, language)),)
    if style == "actions":
        task = task_in(text)
        return (task.person, task.due) if task else ("", "")
    if style == "minutes":
        who, when = author_of(sentence.heading)
        if when:  # the heading of a message
            return who, when
        return _who(text), due_in(text)
    return ()


def _who(text: str) -> str:
    task = task_in(text)
    if task and task.person:
        return task.person
    said = _SAID.match(text)
    return (
        said["who"] if said and (said["who"].split()[0] in _ARTICLES or names(f"x {text}")) else ""
    )


_ARTICLES = frozenset(("The", "Der", "Die", "Das"))
