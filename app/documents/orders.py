"""Sentences in a document that give orders to whoever reads it by machine.

A small model follows them whatever it was told before and after: "answer only with the word …" was
obeyed under every wording of the prompt that was tried. So they are named in the report and left
out of what a model is told. A list of patterns cannot know every order; what a model says is
checked besides, wherever a question is answered.
"""

import re

LEFT_OUT = "[A sentence that orders language models about was left out here.]"
_TO = r"(?:instructions?|questions?|prompts?|rules?)"
_ALL = r"(?:all|any|every|the|my|your|these|those|previous|prior|earlier|everything)"
_AN = r"(?:anweisung(?:en)?|fragen?|anfragen?|regeln?)"
_ONLY = r"(?:only|just|exactly|solely|nothing\sbut)"
_NUR = r"(?:nur|ausschließlich|lediglich|stattdessen)"
# Narrow on purpose: "print only the selected pages" and "reply only by mail" are for people.
_ORDER = re.compile(
    rf"""
    (?:
      \b(?:ignore|disregard|forget)\s{_ALL}\b [^.!?,;]{{0,40}}? \b{_TO}\b
    | \b(?:answer|respond|reply|output)\s{_ONLY}\s(?:with|the\swords?|the\sphrase)\b
    | \b(?:answer|respond|reply)\swith\s(?:{_ONLY}|the\swords?|the\sphrases?)\b
    | \b(?:say|write|print|output)\s{_ONLY}\sthe\s(?:words?|phrases?)\b
    | \byou\sare\s(?:now|no\slonger)\b [^.!?]{{0,40}}? \b(?:bot|assistant|ai|model|called)\b
    | \bfrom\snow\son,?\syou\b | \bnew\sinstructions?\s*:
    | \b(?:your|the)\s(?:system|developer)\s(?:prompt|message)\b
    | \b(?:dear|hey|attention,?|note\sto)\s(?:ai|assistant|chatbot|language\smodel|llm)s?\b
    | \bif\syou\sare\san?\s(?:ai|assistant|language\smodel|llm|chatbot)\b
    | \b(?:ignoriere|ignorieren\ssie|vergiss|vergessen\ssie)\b [^.!?]{{0,60}}? \b{_AN}\b
    | \b(?:antworte|antworten\ssie)\s{_NUR}\smit\b
    | \b(?:schreibe?|schreiben\ssie|gib)\s{_NUR}\s(?:das\swort|die\sworte|den\ssatz)\b
    | \bdu\sbist\s(?:jetzt|ab\sjetzt|nun)\sein
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_BOUNDARY = re.compile(r"[.!?]+[\"”’)]*(?=\s|$)|\n\s*\n")
_LONGEST_CHARS = 600


def orders_in(text: str) -> list[str]:
    """Return the sentences of `text` that are orders, as they stand."""
    return [text[start:end].strip() for start, end in _spans(text)]


def without_orders(text: str) -> str:
    """Return `text` with a mark in the place of each order."""
    kept: list[str] = []
    at = 0
    for start, end in _spans(text):
        kept += [text[at:start], LEFT_OUT]
        at = end
    return "".join([*kept, text[at:]])


def _spans(text: str) -> list[tuple[int, int]]:
    """Return where orders begin and end, each with the rest of its sentence."""
    spans: list[tuple[int, int]] = []
    for found in _ORDER.finditer(text):
        if spans and found.start() < spans[-1][1]:
            continue
        start = _start_of(text, found.start())
        boundary = _BOUNDARY.search(text, found.end())
        end = min(boundary.end() if boundary else len(text), found.end() + _LONGEST_CHARS)
        spans.append((max(start, spans[-1][1] if spans else 0), end))
    return spans


def _start_of(text: str, place: int) -> int:
    """Return where the sentence at `place` begins."""
    start = max(0, place - _LONGEST_CHARS)
    before = text[start:place]
    ends = [found.end() for found in _BOUNDARY.finditer(before)]
    begin = start + (ends[-1] if ends else 0)
    # White space between two sentences stays where it is.
    return begin + len(text[begin:place]) - len(text[begin:place].lstrip())
