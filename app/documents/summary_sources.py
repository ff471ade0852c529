"""Where the places in a summary's text lead: one citation a statement.

They are computed from the summary and from the text that was made of it, so that no link depends on
what a model wrote.
"""

from collections.abc import Callable, Mapping

from app.documents.rendering import place_of, quoted
from app.documents.summary import Summary
from app.documents.values import Citation, Place, Statement


def sources_of(
    summary: Summary,
    text: str,
    document_ids: Mapping[str, str],
    *,
    start: int = 0,
    first_number: int = 1,
    translate: Callable[[str], str] = str,
) -> tuple[Citation, ...]:
    """Return a citation for every statement whose place is found in `text`, from `start` on.

    `text` is what `markdown` made of `summary`, perhaps among others. `document_ids` are the
    store's ids by file names. Each `at` is where the place begins, its bracket included.
    """
    found: list[Citation] = []
    for statement in summary.statements:
        at = _place_in(text, statement, summary, start, translate)
        if at < 0:
            continue
        name = statement.name or summary.name
        place = statement.place or Place(statement.page, summary.coverage.unit)
        passage = statement.evidence
        number = first_number + len(found)
        document_id = document_ids.get(name, "")
        found.append(Citation(number, document_id, name, place, passage, (passage,), at))
        start = at
    return tuple(found)


def _place_in(
    text: str,
    statement: Statement,
    summary: Summary,
    start: int,
    translate: Callable[[str], str],
) -> int:
    written = quoted(statement.text)
    at = text.find(written, start)
    if at < 0:
        return -1
    place = quoted(place_of(statement, summary.coverage.unit, translate))
    end = at + len(written)
    for before, skipped in ((f" ({place}", 1), (f" | {place}", 3)):
        if text.startswith(before, end):
            return end + skipped
    return -1
