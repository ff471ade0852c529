"""Numbers before the items of lists: decimal, letters or Roman, by the names Word gives them."""

_LETTERS = 26
# Beyond this, repeated letters and Roman numbers would only be a way to make text long.
_LARGEST_COUNT = 2000
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


def count_as(count: int, kind: str) -> str:
    """Return `count` as numbers of the `kind` look; empty for the kind `none`."""
    if kind == "none":
        return ""
    if kind == "decimalZero":
        return f"{count:02}"
    if not 0 < count < _LARGEST_COUNT:
        return str(count)
    if kind.endswith("Letter"):
        letters = chr(ord("a") + (count - 1) % _LETTERS) * ((count - 1) // _LETTERS + 1)
        return letters.upper() if kind == "upperLetter" else letters
    if kind.endswith("Roman"):
        return _roman(count).upper() if kind == "upperRoman" else _roman(count)
    return str(count)


def _roman(count: int) -> str:
    text = ""
    for value, letters in _ROMAN:
        while count >= value:
            text += letters
            count -= value
    return text
