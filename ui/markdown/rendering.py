"""Tokens of Markdown into the small HTML that a rich text widget lays out.

Own rules for every token: nothing is passed through, an unknown token shows its text. Images
become words, because a widget would open whatever file an image names.
"""

from collections.abc import Callable, Sequence
from html import escape

from markdown_it.token import Token

from ui.markdown.links import is_allowed

_TAGS = {
    "strong_open": "<b>",
    "strong_close": "</b>",
    "em_open": "<i>",
    "em_close": "</i>",
    "s_open": "<s>",
    "s_close": "</s>",
    "blockquote_open": "<blockquote>",
    "blockquote_close": "</blockquote>",
    "bullet_list_open": "<ul>",
    "bullet_list_close": "</ul>",
    "ordered_list_close": "</ol>",
    "list_item_close": "</li>",
    "table_open": '<table width="100%" cellspacing="0" cellpadding="7">',
    "table_close": "</table>",
    "thead_open": "<thead>",
    "thead_close": "</thead>",
    "tbody_open": "<tbody>",
    "tbody_close": "</tbody>",
    "tr_open": "<tr>",
    "tr_close": "</tr>",
    "th_close": "</th>",
    "td_close": "</td>",
    "softbreak": "<br>",
    "hardbreak": "<br>",
    "hr": "<hr>",
}
_BOXES = {"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "}
_BOX_CHARS = 4
_ALIGNMENTS = {"text-align:right": "right", "text-align:center": "center"}


def render(tokens: Sequence[Token], parse_inline: Callable[[str], Sequence[Token]]) -> str:
    """Return the HTML of block tokens; `parse_inline` parses what stands inside a block."""
    parts: list[str] = []
    for index, token in enumerate(tokens):
        before = tokens[index - 1].type if index else ""
        two_before = tokens[index - 2].type if index > 1 else ""
        if token.type == "inline":
            starts_item = before == "paragraph_open" and two_before == "list_item_open"
            parts.append(_inline_block(token.content, starts_item, parse_inline))
        else:
            parts.append(_block(token, is_item_start=before == "list_item_open"))
    return "".join(parts)


def render_inline(tokens: Sequence[Token]) -> str:
    """Return the HTML of what stands inside a block."""
    return "".join(_inline(token) for token in tokens)


def _inline_block(
    content: str, starts_item: bool, parse_inline: Callable[[str], Sequence[Token]]
) -> str:
    box = _BOXES.get(content[:_BOX_CHARS], "") if starts_item else ""
    rest = content[_BOX_CHARS:] if box else content
    return box + render_inline(parse_inline(rest)) + ("</p>" if starts_item else "")


def _block(token: Token, *, is_item_start: bool) -> str:
    match token.type:
        case "paragraph_open":
            # The bullet needs its text in the same block.
            return "<p>" if not is_item_start else "<p>"
        case "paragraph_close":
            return "</p>"
        case "heading_open" | "heading_close":
            slash = "/" if token.nesting < 0 else ""
            return f"<{slash}{token.tag}>"
        case "ordered_list_open":
            return f'<ol start="{int(token.attrs.get("start", 1))}">'
        case "list_item_open":
            return "<li>"
        case "th_open" | "td_open":
            return f'<{token.tag} align="{_alignment(token)}">'
        case "fence" | "code_block":
            return f"<pre>{escape(token.content.rstrip())}</pre>"
    return _TAGS.get(token.type, escape(token.content))


def _alignment(token: Token) -> str:
    return _ALIGNMENTS.get(str(token.attrs.get("style", "")), "left")


def _inline(token: Token) -> str:
    match token.type:
        case "code_inline":
            return f"<code>{escape(token.content)}</code>"
        case "image":
            return escape(f"[image: {token.content}]")
        case "link_open":
            url = str(token.attrs.get("href", ""))
            return f'<a href="{escape(url)}">' if is_allowed(url) else "<span>"
        case "link_close":
            return "</a>"
    return _TAGS.get(token.type, escape(token.content))
