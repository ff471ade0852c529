"""The passage round a chosen sentence, which is all that a model is ever given to write from.

Sentences from different places are never joined: models make false sentences of them. A passage is
whole sentences of one page under one heading; it stops where the running text does, and does not
begin with a sentence that leans on one outside.
"""

from collections.abc import Sequence

from app.documents.fitness import why_unfit
from app.documents.ranking import leans_on_another
from app.documents.sentences import Sentence

_MOST_CHARS = 650
# What a neighbor may be without breaking the text up: short, or a question.
_HARMLESS = frozenset((None, "length"))


def passage_round(
    sentences: Sequence[Sentence], place: int, language: str, *, most_chars: int = _MOST_CHARS
) -> tuple[str, ...]:
    """Return the sentence at `place` with its neighbors, nearest first until it is full."""
    chosen = sentences[place]
    low = high = place
    chars = len(chosen.text)
    can_grow = {-1: True, 1: True}
    while any(can_grow.values()):
        # A sentence after the chosen one says more about it than one before.
        step = 1 if can_grow[1] and (high - place <= place - low or not can_grow[-1]) else -1
        neighbor = high + 1 if step == 1 else low - 1
        if not _belongs(sentences, neighbor, chosen, language):
            can_grow[step] = False
            continue
        chars += len(sentences[neighbor].text) + 1
        if chars > most_chars:
            can_grow[step] = False
            continue
        low, high = min(low, neighbor), max(high, neighbor)
    while low < place and leans_on_another(sentences[low].text):
        low += 1
    return tuple(item.text for item in sentences[low : high + 1])


def _belongs(sentences: Sequence[Sentence], place: int, chosen: Sentence, language: str) -> bool:
    if not 0 <= place < len(sentences):
        return False
    item = sentences[place]
    if item.is_row or (item.page, item.heading) != (chosen.page, chosen.heading):
        return False
    return why_unfit(item, language) in _HARMLESS and item.text[-1:] in '.!?”")'
