"""A conversation's title, from its first question."""

MAX_TITLE_CHARS = 60


def title_from(text: str) -> str:
    """Return the first line that says anything, cut at a word where it is too long."""
    line = next((" ".join(line.split()) for line in text.splitlines() if line.strip()), "")
    line = line.lstrip("#>*- ") or line
    if len(line) <= MAX_TITLE_CHARS:
        return line
    cut = line[: MAX_TITLE_CHARS - 1]
    head, space, _ = cut.rpartition(" ")
    return f"{(head if space and len(head) >= MAX_TITLE_CHARS // 2 else cut).rstrip()}…"
