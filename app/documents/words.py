"""What is known of words: stop words by language, stems, numbers, names.

Small closed lists are enough: they tell the languages apart, tell running text from a table, and
leave the words that carry meaning. English and German are the languages summaries are made for;
the others are here so that they are recognised and not taken for one of the two.
"""

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP_WORDS: dict[str, frozenset[str]] = {
    "en": _words(
        "the a an of and to in is are was were be been that this for with on as by at from or "
        "it its not have has had which can may will would must shall do does if but they you "
        "your we our their there than then also into such these those other when how what who "
        "all any more most some no only he she his her them about between under over after "
        "before during while should could"
    ),
    "de": _words(
        "der die das und oder ist sind war ein eine einer eines einem einen den dem des in im "
        "zu zum zur mit von vom für auf nicht auch es sie er wir ihr als an bei aus wenn dass "
        "wird werden kann so sich nach über durch um wie man nur noch hat haben dann alle "
        "diese dieser dieses jede jeder sei sowie muss müssen soll sollen darf dürfen können"
    ),
    "fr": _words(
        "le la les un une des de du et ou est sont dans pour par sur avec que qui ne pas au "
        "aux ce cette ces il elle ils nous vous se en plus"
    ),
    "es": _words(
        "el la los las un una de del y o es son en para por con que no al se su sus lo como "
        "más este esta pero"
    ),
    "it": _words(
        "il lo la gli le un una di del della e o è sono in per con che non al si da dei delle "
        "come più questo questa ma"
    ),
    "nl": _words(
        "de het een van en of is zijn was in op te voor met dat die niet aan er om ook als "
        "bij door naar uit maar wordt"
    ),
}
ALL_STOP_WORDS = STOP_WORDS["en"] | STOP_WORDS["de"] | STOP_WORDS["fr"]
UNKNOWN_LANGUAGE = "?"
MONTHS = _words(
    "January February March April May June July August September October November "
    "December Januar Februar März Mai Juni Juli Oktober Dezember"
)
_LEAST_STOP_SHARE = 0.12
_SHORTEST_STEMMED = 5

_LETTERS = re.compile(r"[^\W\d_]+")
_CONTENT = re.compile(r"[^\W\d_]{3,}")
_NUMBER = re.compile(r"\d[\d.,]*")
_SUFFIX = re.compile(r"(ations|ation|ings|ing|ed|es|s|e|ly|er|en|n)$")
_CAPITALS = re.compile(r"\b[A-ZÄÖÜ][A-ZÄÖÜ0-9_-]+\b")
_INSIDE_NAME = re.compile(r"(?<=[a-zà-ÿ0-9,;)] )[A-ZÄÖÜ][a-zà-ÿ]+")


def language_of(text: str) -> str:
    """Return the language whose stop words `text` is full of, or `?`."""
    words = _LETTERS.findall(text.lower())
    shares = {
        name: sum(word in stop for word in words) / max(1, len(words))
        for name, stop in STOP_WORDS.items()
    }
    best = max(shares, key=lambda name: shares[name])
    return best if shares[best] > _LEAST_STOP_SHARE else UNKNOWN_LANGUAGE


def stem(word: str) -> str:
    """Return `word` without its ending; a fixed cut would make committee and commission one."""
    return _SUFFIX.sub("", word) if len(word) >= _SHORTEST_STEMMED else word


def content_words(text: str) -> list[str]:
    """Return the words of `text` that carry meaning, in lower case and in order."""
    return [word for word in _CONTENT.findall(text.lower()) if word not in ALL_STOP_WORDS]


def content_stems(text: str) -> list[str]:
    """Return the stems of `content_words`, in order."""
    return [stem(word) for word in content_words(text)]


def numbers(text: str) -> frozenset[str]:
    """Return the numbers in `text` as they are written, without what ends a sentence."""
    return frozenset(found.rstrip(".,") for found in _NUMBER.findall(text))


def names(text: str) -> frozenset[str]:
    """Return what is spelt as a name: months, capitals, capitalised words inside a sentence.

    German writes every noun so; there the result is of no use.
    """
    months = {word for word in _LETTERS.findall(text) if word in MONTHS}
    return frozenset(months) | set(_CAPITALS.findall(text)) | set(_INSIDE_NAME.findall(text))
