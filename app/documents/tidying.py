"""The document's own sentence as it is shown: without what only makes sense on its page.

Nothing here can change what a sentence says: list marks, references to figures and notes, leading
connectives and, in long sentences, brackets without a number, negation, condition or duty.
"""

import re

_LONG_WORDS = 24
LIST_MARK = re.compile(
    r"^(([A-Z]|Note|Hinweis|Bemerkung \d+|Definition \d+):|\(?\d{1,2}[.)]|\(?[A-Za-z][.)]|[ivx]+\)"
    r"|[•●▪■–—*-])\s+"
)
_GLUED_NUMBER = re.compile(r"^\d+(?=[A-Z][a-z])")
_ABSTRACT = re.compile(r"^.{0,200}?\b(Abstract|Zusammenfassung)\b[:.—-]?\s+(?=[A-Z])")
_PLACE = (
    r"(Figures?|Fig\.|Tables?|Sections?|Chapters?|pages?|Abbildung|Abb\.|Tabelle|Tab\.|Kapitel|Abschnitt|"
    r"Seite|Appendix|Anhang)"
)
_BRACKETED_PLACE = re.compile(
    rf"\s*\((see|cf\.|vgl\.|siehe|s\.|e\.g\.,? see)[^()]*\)|\s*\({_PLACE} [^()]*\)"
    r"|\s*\[\d+([,–-]\s*\d+)*\]"
)
_CLAUSE_PLACE = re.compile(
    rf",?\s+(as )?(shown|described|discussed|defined|listed|seen|explained) (in|on) {_PLACE}"
    r" [\d.A-Z-]*[\dA-Z]([–-]\d+)?(, “[^”]*” on page \d+)?"
)
_CONNECTIVE = re.compile(
    r"^(However|Therefore|Thus|Moreover|Furthermore|In addition|Also|Then|For example|For instance|"
    r"Hence|Additionally|Finally|Accordingly|Consequently|In particular|Nevertheless|Besides),"
    r"\s+(?=\w)"
)
_FOOTNOTE = re.compile(r"(?<=[a-zà-ÿ][.”\"’])\d{1,2}$")
_BRACKET = re.compile(r"\s\(([^()]{4,120})\)")
_WEIGHTY = re.compile(
    r"\d|\b[A-ZÄÖÜ]{2,}\b|\b(not|no|never|nor|without|unless|except|only|must|shall|may|can|could|might|"
    r"should|if|when|required|almost|mostly|nicht|kein\w*|nie|ohne|nur|außer|muss|müssen|kann|können|soll|"
    r"sollen|darf|dürfen|wenn|falls|fast|meist\w*)\b",
    re.I,
)


def tidy(sentence: str) -> str:
    """Return `sentence` as it is shown."""
    text = _GLUED_NUMBER.sub("", LIST_MARK.sub("", _ABSTRACT.sub("", sentence)))
    text = _CLAUSE_PLACE.sub("", _BRACKETED_PLACE.sub("", text))
    text = _CONNECTIVE.sub("", _FOOTNOTE.sub("", text))
    if len(text.split()) > _LONG_WORDS:
        text = _without_light_brackets(text)
    return text[:1].upper() + text[1:]


def _without_light_brackets(text: str) -> str:
    def keep(found: re.Match[str]) -> str:
        is_light = len(found[1].split()) > 1 and not _WEIGHTY.search(found[1])
        return "" if is_light else found[0]

    return _BRACKET.sub(keep, text)
