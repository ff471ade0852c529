"""How much a sentence says about its document: closeness to what it is about, and how it is put.

Closeness is the cosine of term weights (stems weighted by rarity) to the part, the document and the
heading. It needs no model and no matrix library: a sentence has a dozen terms.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from app.documents.sentences import Sentence
from app.documents.words import ALL_STOP_WORDS

Vector = Mapping[str, float]

_STEM_CHARS = 6
_TERM = re.compile(r"[^\W\d_]{3,}|\d+")

_DEPENDENT = re.compile(
    r"[\"“„]?(This|That|These|Those|It|They|He|She|Its|Their|His|Her|Such|Here|There|But|And|So|Or|"
    r"Because|Since|Otherwise|Similarly|Again|Now|Let|Recall|Consider|Assume|Suppose|Imagine|Both|"
    r"Neither|Likewise|Instead|Yet|Still|I|My|We|You|Your|Our|Dies|Diese[rsnm]?|Es|Sie|Er|Dabei|Hier|"
    r"Damit|Dann|Dazu|Auch|Aber|Und|Ist|Sei|Seien|Wir|Ich|Angenommen|Daher|Deshalb|Dadurch|Hierbei|"
    r"Hierzu|Dafür|Davon|Darin|Dort|Zudem|Außerdem|Jedoch|Allerdings|Ebenso|Solche[rsnm]?|Thereafter|"
    r"Thereupon|Afterwards?|Meanwhile|Conversely|Alternatively|Nonetheless|Nevertheless|Accordingly|"
    r"Consequently|Hence|Therefore|Thus|Danach|Anschließend|Hierauf|Somit|Folglich)\b"
    r"|^[^,.]{3,70}, (they|he|she|it(?! (is|was|will be|may be|can be) \w+ (to|that|for)\b))\b"
)
_LOOSE_END = re.compile(
    r"^(\W*[\w’'-]+\W+){0,6}([Tt]his|[Tt]hese|[Tt]hose|such(?! as\b)|[Dd]iese[rsnm]?|dessen|deren) "
    r"|^(First|Second|Third|Another|The (second|third|other|former|latter|same|above|following)|"
    r"Of course|Erstens|Zweitens|Ein anderer|Eine andere)\b"
    r"|\b(previous|following|above|below|earlier|next) (section|chapter|example|page)s?\b"
    r"|\b(as follows|the following|folgende[rsn]?|wie folgt)\b|:$"
    r"|\b([Bb]ut|[Aa]nd|[Ss]o) now\b|\bsuch (?!as\b|that\b)[a-z]+\b(?! as\b)"
    r"|\b(in|of|for|to|under) this "
    r"(line|item|case|section|paragraph|chapter|table|list|column|row)\b"
    r"|^(Aus|Wegen|Nach|By|From) (§|Proposition|Satz|Lemma|Theorem|Definition|\()"
    r"|\b(Proposition|Lemma|Theorem|Korollar|Corollary|Behauptung) \d"
    r"|^[^.:]{1,80}: (This|These|It|They|Dies|Diese[rs]?|Es)\b"
)
# "By January 31", "If you are self-employed": what stands under it holds only then.
_CONDITIONAL_HEADING = re.compile(
    r"^(By|On|Before|After|Until|From|If|When|Bis|Am|Vor|Nach|Ab|Wenn|Falls)\b"
)
# "Falls Z hausdorffsch ist", "Betrachte nun z1": letters that stand for something said before.
_VARIABLE = re.compile(
    r"(?<![\w.-])(?:[A-HJ-Z](?=[ ,](?:is|ist|be|sei|seien|are|sind|has|hat|heißt|heißen|besitzt)\b)"
    r"|(?<=\bFalls )[A-Z]\b|(?<=\bIf )[A-HJ-Z]\b"
    r"|[a-zA-Z]\d\b|[\u0370-\u03ff]\d?)(?![\w.]|-[a-zäöü])"
)
# The number of a footnote or an exercise, which hides how a sentence begins.
_NUMBER_BEFORE = re.compile(r"^\d{1,2} (?=[A-ZÄÖÜ])")
_TASK_FOR_READERS = re.compile(
    r"^(Betrachte|Sei|Seien|Zeige|Beweise|Berechne|Bestimme|Es seien|Show that|Prove|Compute|Let)\b"
)
_ABOUT_ITSELF = re.compile(
    r"\b([Tt]his|[Tt]he|[Dd]iese[rs]?|[Dd]as) (document|paper|article|report|guide|booklet|"
    r"publication|handbook|manual|agreement|contract|book|Skript|Dokument|Bericht|Buch|"
    r"Vertrag|Vereinbarung|Handbuch|Broschüre|Richtlinie) \w+"
    r"|\b[Ii]n this (paper|article|report|guide|work|book)\b"
    r"|\b([Pp]urpose|[Aa]im|[Gg]oal) of (this|the)\b"
    r"|\b(Ziel|Zweck) (der|des|dieser|dieses)\b"
)
_CUE = re.compile(
    r"\b(in (summary|conclusion)|we (propose|present|show|find|conclude)|purpose|goal|aim|"
    r"important|must|shall|required|recommend\w*|results?|defined as|(is|are) (a|an|the) |Ziel|"
    r"wichtig|muss|müssen|zeigt|bedeutet|heißt|verpflichtet|beträgt)",
    re.I,
)
_VERB = re.compile(
    r"\b(is|are|was|were|be|been|has|have|had|can|cannot|could|may|might|must|shall|should|will|would|"
    r"do|does|did|\w{3,}(ed|ize[sd]?|ifies|ify|ates?)|(use|need|make|mean|give|show|include|provide|"
    r"require|contain|allow|describe|become|help|increase|reduce|depend|apply|cover|affect|cause|create|"
    r"define|determine|offer|support|work|lead|begin|start|end|run|take|get|come|go|say|tell|pay|keep|"
    r"hold|set|cost|occur|remain|result|receive|report|explain|consist|specify|return|store|follow|grow|"
    r"enable|ensure|protect|represent|refer|belong|play|send|serve|live|file|withhold|deposit)s?|"
    r"applies|carries|varies|goes|passes|reaches|discusses|went|came|got|took|made|gave|"
    r"held|kept|found|said|told|led|left|"
    r"began|became|won|lost|sold|paid|sent|met|set|put|ran|saw|knew|grew|fell|rose)\b|n[’']t\b",
    re.I,
)
_SUBORDINATE = re.compile(r"(?<=\w)\s(?:when|if|which|who|whose|where|because|unless|while)\s")
_DISCLAIMER = re.compile(
    r"\b(at the time of (publication|printing|writing)|(accepts?|assumes?) no (liability|resp)|"
    r"no (warranty|warranties)|substitute for .{0,40}advice|subject to change without|"
    r"trademarks? of|ohne Gewähr|keine Haftung|reproduced|all care is taken)",
    re.I,
)
_SCREEN_STEP = re.compile(
    r"\b([Cc]lick|[Tt]ouch|[Tt]ap|[Pp]ress|[Ss]elect|check box|[Ll]og in|drop-down|klicken|"
    r"drücken)\b|^(Run|Type|Enter|Issue|Execute|Open|Choose|Repeat|Perform) the\b"
    r"|^(For|To|In|From|At|Under|On) [^.]{3,90}, "
    r"(type|select|enter|choose|install|restart|configure)\b"
)
# A step of an example says nothing about the document, and little by itself.
_EXAMPLE = re.compile(
    r"\b(([Ii]n|[Ff]or) (this|the) (example|case)|(shown|seen|listed|illustrated) in "
    r"([Ee]xample|[Ff]igure|[Tt]able|[Ll]isting)|[Tt]he user profile [A-Z]{2,}|"
    r"[Ii]n diesem (Beispiel|Fall))\b"
)
# Two capitalized names before a definition without a verb: the row of a table that lost its lines.
_TABLE_ROW = re.compile(r"^[A-Z][A-Z_]{2,}( or [A-Z_]{3,})? (The|A|An) ")
_PLACE = re.compile(r"\b(figure|table|section|chapter|page|Abbildung|Seite|Kapitel)\s+[\dA-Z]")
_CONDITION_FIRST = re.compile(r"(If|When|Wenn|Falls) ")
_LONG_WORDS = 40
_SHORT_WORDS = 9
_MANY = 2


class Terms:
    """Term weights of one document's sentences."""

    def __init__(self, texts: Sequence[str]) -> None:
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(set(_terms(text)))
        self._rarity = {term: math.log(1 + len(texts) / count) for term, count in counts.items()}

    def vector(self, text: str) -> dict[str, float]:
        """Return the weights of the terms in `text`, as a vector of length 1."""
        weights = {
            term: (1 + math.log(count)) * self._rarity.get(term, 1.0)
            for term, count in Counter(_terms(text)).items()
        }
        return normalized(weights)


def normalized(weights: Mapping[str, float]) -> dict[str, float]:
    """Return `weights` scaled to length 1; all zero stays so."""
    length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
    return {term: weight / length for term, weight in weights.items()}


def center(vectors: Iterable[Vector]) -> dict[str, float]:
    """Return the direction the vectors have in common, as a vector of length 1."""
    total: dict[str, float] = {}
    for vector in vectors:
        for term, weight in vector.items():
            total[term] = total.get(term, 0.0) + weight
    return normalized(total)


def likeness(first: Vector, second: Vector) -> float:
    """Return the cosine of two vectors of length 1."""
    if len(first) > len(second):
        first, second = second, first
    return sum(weight * second.get(term, 0.0) for term, weight in first.items())


def manner(sentence: Sentence, language: str) -> float:
    """Return what a sentence gains or loses by the way it is put, whatever it is about."""
    text = sentence.text
    word_count = len(text.split())
    is_about_itself = _ABOUT_ITSELF.search(text) is not None
    leans = 0.6 * bool(_DEPENDENT.match(text)) + 0.3 * bool(_LOOSE_END.search(text))
    score = 0.3 if is_about_itself else -leans
    score -= 0.6 * (leans_on_its_place(sentence) or bool(_VARIABLE.search(text)))
    score += 0.12 * sentence.is_first
    score += 0.08 * bool(_CUE.search(text))
    score += 0.06 * any(char.isdigit() for char in text)
    score -= 0.4 * (language == "en" and not _VERB.search(_SUBORDINATE.split(text, maxsplit=1)[0]))
    score -= 0.3 * bool(_DISCLAIMER.search(text))
    score -= 0.20 * bool(_SCREEN_STEP.search(text))
    score -= 0.30 * bool(_EXAMPLE.search(text) or _TABLE_ROW.match(text))
    score -= 0.15 * bool(_PLACE.search(text))
    score -= 0.10 * (word_count > _LONG_WORDS)
    score -= 0.08 * (word_count < _SHORT_WORDS)
    score -= 0.08 * bool(_CONDITION_FIRST.match(text))
    score -= 0.10 * (text.count("(") > _MANY or text.count(";") > _MANY)
    return score


def leans_on_another(text: str) -> bool:
    """Tell whether a sentence cannot be understood without the one before it."""
    if _ABOUT_ITSELF.search(text):
        return False
    text = _NUMBER_BEFORE.sub("", text)
    rules = (_DEPENDENT.match, _LOOSE_END.search, _VARIABLE.search, _TASK_FOR_READERS.match)
    return any(rule(text) is not None for rule in rules)


def leans_on_its_place(sentence: Sentence) -> bool:
    """Tell whether a sentence holds only for the list it is a row of, or for its heading's case."""
    return sentence.is_row or _CONDITIONAL_HEADING.match(sentence.heading) is not None


def _terms(text: str) -> list[str]:
    return [
        word[:_STEM_CHARS] for word in _TERM.findall(text.lower()) if word not in ALL_STOP_WORDS
    ]
