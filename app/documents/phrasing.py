"""How negation, exception, condition, limit, duty and cause are put in English and German.

The words the check looks for, apart from the check itself, because they grow with every language.
"""

import re

from app.documents.words import stem


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


ENDS = re.compile(r"[.!?][\"”’»)]?$")
NEGATION = _any(
    r"\b(not|no|never|none|nor|neither|cannot|without|nicht|kein\w*|nie|niemals|ohne|weder)\b",
    r"n[’']t\b",
)
EXCEPTION = _any(
    r"\b(except|exception|unless|excluding|other than|only|without|außer|nur|es sei denn|sofern)\b",
    r"\b(soweit|ausgenommen|ausschließlich|ohne)\b",
)
CONDITION = _any(r"\b(if|unless|in the event|provided that|wenn|falls|sofern)\b")
CONDITION_SAID = _any(
    r"\b(if|when|whenever|once|in the event|in case|upon|after|until|provided|wenn|falls|sobald)\b",
    r"\b(nach|bis|bei|sofern)\b",
)
LIMIT = _any(
    r"\b(rarely|seldom|usually|sometimes|mostly|often|generally|at least|at most|up to|almost)\b",
    r"\b(approximately|about \d|most|some|few|many|maximum|minimum|no more than|not more than)\b",
    r"\b(selten|meist|meistens|manchmal|oft|mindestens|höchstens|bis zu|fast|ungefähr|etwa \d)\b",
    r"\b(in der Regel|grundsätzlich|maximal|überwiegend)\b",
)
# What a rule is about: "in any subcontract", "each visitor".
SCOPE = re.compile(r"\b(?:any|each|every|jede[rmns]?)\s+([^\W\d_]{4,})", re.IGNORECASE)
DUTY = {
    "must": _any(
        r"\b(must|shall|required|requires?|has to|have to|is to|are to|needs? to)\b",
        r"\b(liable|muss|müssen|ist zu|sind zu|hat zu|verpflichtet)\b",
    ),
    "may": _any(
        r"\b(may|can|could|might|allowed|permitted|right to|kann|können|darf|dürfen|erlaubt)\b",
        r"\b(berechtigt)\b",
    ),
    "should": _any(r"\b(should|recommended|advised|soll|sollen|sollten?)\b"),
}
ORDER = re.compile(
    r"(Do not |Please )?(Keep|File|Report|Use|Send|Pay|Enter|Withhold|Deposit|Give|Check|Call|Ask|"
    r"Make|Submit|Return|Include|Record|Complete|Provide|Notify|Sign|Attach)\b"
)
LINK = {
    "en": _any(
        r"\b(because|since|therefore|thus|hence|means?|meaning|leads? to|leading|results? in)\b",
        r"\b(resulting|causes?|due to|so that|suggest\w*|emphasi\w+|highlight\w*|ensur\w+)\b",
        r"\b(involv\w+|impl(y|ies)|in order to)\b",
    ),
    "de": _any(r"\b(weil|da|daher|deshalb|dadurch|somit|führt zu|bedeutet|sodass|um .{3,60} zu)\b"),
}
TALK = _any(
    r"^(the|this) (passage|section|text|sentence|summary|excerpt|author)\b",
    r"^(die|diese|der|dieser) (stelle|passage|text|abschnitt|satz)\b",
    r"\b(main point|concise|in summary|hauptsache)\b",
)
VERB = _any(
    r"\b(is|are|was|were|be|been|has|have|had|can|cannot|could|may|might|must|shall|should)\b",
    r"\b(will|would|do|does|did|sold|held|made|took|gave|went|came|paid|got|set|cut|kept|left|lost)\b",
    r"\b(met|sent|spent|won|wrote|rose|fell|grew|\w{3,}(s|ed|en))\b",
)
_ABOUT_WORDS = (
    "outlines describes explains discusses covers provides presents introduces summarizes details "
    "contains includes including sets lists document guide report overview information various "
    "aspects topics related regarding concerning using terms conditions rules requirements "
    "behandelt beschreibt erklärt enthält regelt "
    "erläutert umfasst gibt überblick themen informationen verschiedene"
)
ABOUT_STEMS = frozenset(map(stem, _ABOUT_WORDS.split()))
