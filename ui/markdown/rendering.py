"""Tokens of Markdown into the small HTML that a rich text widget lays out.

Every token has a rule of its own and nothing is passed through: what has no rule shows its text.
Images become words, because a widget would open whatever file an image names.
"""

from collections.abc import Callable, Sequence
from html import escape

from markdown_it.token import Token

from ui.markdown.links import is_allowed

InlineParser = Callable[[str], Sequence[Token]]

_TAGS = {
    "strong_open": "<b>",
    "strong_close": "</b>",
    "em_open": "<i>",
    "em_close": "</i>",
    "s_open": "<s>",
    "s_close": "</s>",
    "link_close": "</a>",
    "blockquote_open": "<blockquote>",
    "blockquote_close": "</blockquote>",
    "bullet_list_open": "<ul>",
    "bullet_list_close": "</ul>",
    "ordered_list_close": "</ol>",
    "list_item_open": "<li>",
    "list_item_close": "</li>",
    "table_open": '<table width="100%" cellspacing="0" cellpadding="0">',
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


def render(tokens: Sequence[Token], parse_inline: InlineParser) -> str:
    """Return the HTML of block tokens; `parse_inline` parses what stands inside a block."""
    parts: list[str] = []
    before = ""
    starts_item = False
    for token in tokens:
        if token.type == "paragraph_open":
            # Without a paragraph of its own, an item's text stands beside its bullet.
            starts_item = before == "list_item_open"
            parts.append("" if starts_item else "<p>")
        elif token.type == "paragraph_close":
            parts.append("" if starts_item else "</p>")
            starts_item = False
        elif token.type == "inline":
            parts.append(_inline_block(token.content, parse_inline, can_have_box=starts_item))
        else:
            parts.append(_block(token))
        before = token.type
    return "".join(parts)


def _inline_block(content: str, parse_inline: InlineParser, *, can_have_box: bool) -> str:
    box = _BOXES.get(content[:_BOX_CHARS], "") if can_have_box else ""
    tokens = parse_inline(content[_BOX_CHARS:] if box else content)
    return box + "".join(_inline(token) for token in tokens)


def _block(token: Token) -> str:
    match token.type:
        case "heading_open":
            return f"<{token.tag}>"
        case "heading_close":
            return f"</{token.tag}>"
        case "ordered_list_open":
            return f'<ol start="{int(token.attrs.get("start", 1))}">'
        case "th_open" | "td_open":
            align = _ALIGNMENTS.get(str(token.attrs.get("style", "")), "left")
            return f'<{token.tag} align="{align}">'
        case "fence" | "code_block":
            return f"<pre>{escape(token.content.rstrip())}</pre>"
    return _TAGS.get(token.type, escape(token.content))


def _inline(token: Token) -> str:
    match token.type:
        case "code_inline":
            return f"<code>{escape(token.content)}</code>"
        case "image":
            return escape(f"[image: {token.content}]")
        case "link_open":
            url = str(token.attrs.get("href", ""))
            return f'<a href="{escape(url)}">' if is_allowed(url) else "<a>"
    return _TAGS.get(token.type, escape(token.content))
