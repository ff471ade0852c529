"""One pass over Markdown: from text to blocks with the lines they came from.

Raw HTML is off, and so are reference definitions: they would let the end of an answer change what
stands at its beginning, and hide the target of a link far from the link.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ui.markdown import marks
from ui.markdown.cleaning import clean
from ui.markdown.links import is_allowed
from ui.markdown.rendering import render
from ui.markdown.values import Kind, Segment

_MOST_NESTING = 20
_MOST_CELLS = 2_000
_LONGEST_INLINE = 10_000

_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_FENCES = ("fence", "code_block")


@dataclass(frozen=True, slots=True)
class Block:
    """A block of the text.

    Attributes:
        certain_line: The line whose end makes certain that this block begins where it does: the
            first, but for a table the second, whose bars decide whether it is one.
    """

    segment: Segment
    certain_line: int


@dataclass(frozen=True, slots=True)
class _Piece:
    """The tokens of one block, or of one item of a top-level list."""

    tokens: Sequence[Token]
    start_line: int
    next_number: int | None = None
    delimiter: str = ""


def _parser() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False, "maxNesting": _MOST_NESTING})
    markdown.enable(["table", "strikethrough"])
    markdown.disable(["reference", "html_block", "html_inline", "inline", "text_join"])
    markdown.validateLink = is_allowed  # type: ignore[method-assign]
    return markdown


_MARKDOWN = _parser()


def parse(text: str, *, after: Segment | None = None) -> tuple[list[Block], int]:
    """Return the blocks of `text`, and how many of its lines have come to their end.

    `after` is what stands before `text`, whose numbered list may go on here.
    """
    lines = _LINES.findall(text)
    whole_lines = len(lines) - (1 if lines and not lines[-1].endswith(("\r", "\n")) else 0)
    pieces = list(_pieces(_MARKDOWN.parse(clean(text)), after))
    blocks = []
    for index, piece in enumerate(pieces):
        start = piece.start_line if index else 0
        end = pieces[index + 1].start_line if index + 1 < len(pieces) else len(lines)
        is_table = piece.tokens[0].type == "table_open"
        segment = _segment(piece, "".join(lines[start:end]))
        blocks.append(Block(segment, start + is_table))
    if lines and not pieces:
        blocks.append(Block(Segment("prose", text), 0))
    return blocks, whole_lines


def _pieces(tokens: Sequence[Token], after: Segment | None) -> Iterator[_Piece]:
    """Yield the top-level blocks, lists item by item, so that no piece grows without end."""
    for at, block in enumerate(_top_level(tokens)):
        if block[0].type not in ("bullet_list_open", "ordered_list_open"):
            yield _Piece(block, _start_line(block))
            continue
        is_numbered = block[0].type == "ordered_list_open"
        number = int(block[0].attrs.get("start", 1))
        if at == 0 and after and after.next_number and after.delimiter == block[0].markup:
            number = after.next_number
        for item in _top_level(block[1:-1]):
            head = Token(block[0].type, block[0].tag, 1, attrs={"start": number})
            tail = Token(block[-1].type, block[-1].tag, -1)
            number += 1
            following = (number, block[0].markup) if is_numbered else (None, "")
            yield _Piece((head, *item, tail), _start_line(item), *following)


def _top_level(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    depth = start = 0
    for index, token in enumerate(tokens):
        depth += token.nesting
        if depth == 0:
            yield tokens[start : index + 1]
            start = index + 1


def _start_line(tokens: Sequence[Token]) -> int:
    return tokens[0].map[0] if tokens[0].map else 0


def _segment(piece: _Piece, source: str) -> Segment:
    head = piece.tokens[0]
    if head.type in _FENCES:
        return _code(head, source)
    if _is_too_deep(piece.tokens) or _is_too_wide(piece.tokens):
        return Segment("code", source, text=marks.strip(clean(source)).strip("\r\n"))
    kind: Kind = "table" if head.type == "table_open" else "prose"
    html = marks.to_links(render(piece.tokens, _parse_inline))
    return Segment(
        kind, source, html=html, next_number=piece.next_number, delimiter=piece.delimiter
    )


def _code(token: Token, source: str) -> Segment:
    words = token.info.split()
    return Segment(
        "code",
        source,
        text=marks.strip(token.content).removesuffix("\n"),
        language=words[0].lower() if words else "",
        is_closed=token.type == "code_block" or _has_closing_fence(source, token.markup),
    )


def _has_closing_fence(source: str, fence: str) -> bool:
    _, *lines = source.rstrip().splitlines()
    return bool(lines) and bool(
        re.fullmatch(rf" {{0,3}}{re.escape(fence)}{re.escape(fence[0])}*\s*", lines[-1])
    )


def _is_too_deep(tokens: Sequence[Token]) -> bool:
    """Tell whether the parser left out what was nested deeper than it goes."""
    return any(token.nesting > 0 and token.level + 1 >= _MOST_NESTING for token in tokens)


def _is_too_wide(tokens: Sequence[Token]) -> bool:
    return sum(token.type in ("td_open", "th_open") for token in tokens) > _MOST_CELLS


def _parse_inline(content: str) -> Sequence[Token]:
    if len(content) > _LONGEST_INLINE:
        return (Token("text", "", 0, content=content),)
    tokens: list[Token] = []
    _MARKDOWN.inline.parse(content, _MARKDOWN, {}, tokens)
    return tokens
