"""What a web page says, in the order of its source, without what a browser would not show.

The tree is walked and never recursed into, because pages nest as deep as they like. Nothing that a
page names is fetched.
"""

import re
from typing import Any

from lxml import etree, html

from app.documents.charsets import decoded
from app.documents.decoding import decode, has_wide_encoding
from app.documents.formats.sections import Sections
from app.documents.values import HiddenKind

_HEADINGS = {f"h{level}": level - 1 for level in range(1, 7)}
_BLOCKS = frozenset(
    (
        "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details",
        "dialog", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header",
        "hr", "html", "legend", "li", "main", "menu", "ol", "p", "pre", "section", "summary",
        "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
    )
)  # fmt: skip
_NEVER_TEXT = frozenset(
    (
        "script", "style", "template", "noscript", "head", "svg", "math", "iframe", "object",
        "embed", "canvas", "audio", "video", "map", "button", "select", "textarea", "datalist",
        "nav", "rp", "rt",
    )
)  # fmt: skip
_ROLES_ASIDE = frozenset(("navigation", "banner", "contentinfo", "search", "menu", "menubar"))
_CLASSES_ASIDE = frozenset(
    (
        "mw-editsection", "navbox", "noprint", "reference", "sr-only", "mw-portlet",
        "vector-dropdown", "vector-page-toolbar", "breadcrumb", "breadcrumbs",
    )
)  # fmt: skip
# What surrounds the content where a page marks its content.
_AROUND = frozenset(("footer", "aside"))
_INVISIBLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?![.\d])", re.I
)
_TINY = re.compile(r"font-size\s*:\s*0*[01]?(\.\d+)?\s*(px|pt|em|%)?\s*(;|$|!)", re.I)
_PALE = re.compile(
    r"(?<![-\w])color\s*:\s*(white|#fff(?:fff)?|rgb\(255, ?255, ?255\))\s*(;|$|!)", re.I
)
_META_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?([\w-]{2,30})", re.I)
_HEAD_BYTES = 4096
_UNSAID = "cp1252"
_WIDE = ("utf-16", "utf16", "utf-32", "utf32", "ucs-2")
_CELLS = ("td", "th")
_FEWEST_CELLS = 2
# What a page calls its main part is, where it holds as much of it.
_LEAST_MAIN = 0.3
_MARK = "- "
# Space in a source is one space on a page; U+00A0 too, once it is text.
_SPACE = re.compile(r"[ \t\r\n\f]+")


def decode_page(data: bytes, charset: str = "") -> str:
    """Return the text of a page: a byte order mark, what it is said to be, then its look decide.

    Args:
        data: The page as it was sent.
        charset: What came with it; it goes before the page's own word.
    """
    if not has_wide_encoding(data[:_HEAD_BYTES]):
        own = _META_CHARSET.search(data[:_HEAD_BYTES])
        for name in (charset, own[1].decode("ascii") if own else ""):
            # A page whose word can be read is not in UTF-16, whatever that word is.
            text = None if name.lower().startswith(_WIDE) else decoded(data, name)
            if text is not None:
                return text
    text = decode(data)
    # The rule for pages that do not say; and a guess among Latin alphabets says little.
    is_latin = not any("\u0370" <= char <= "\u1dff" or char >= "\u2e80" for char in text)
    is_guess = is_latin and not _is_utf(data)
    return data.decode(_UNSAID, "replace") if is_guess else text


def _is_utf(data: bytes) -> bool:
    if has_wide_encoding(data[:_HEAD_BYTES]):
        return True
    try:
        data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return False
    return True


def read_page(text: str, sections: Sections) -> str:
    """Add what a page says to `sections` and return its title, or empty."""
    root = _tree(text)
    if root is None:
        return ""
    _Walk(_main_part(root), sections).run()
    title = root.find(".//title")
    return " ".join((title.text_content() if title is not None else "").split())


def _main_part(root: Any) -> Any:
    found = root.findall(".//main")
    if len(found) != 1:
        return root
    share = len(found[0].text_content()) / max(1, len(root.text_content()))
    return found[0] if share >= _LEAST_MAIN else root


def _tree(text: str) -> Any:
    # Of a text with a declaration of an encoding lxml takes bytes only.
    data = text.encode("utf-8", "replace")
    parser = html.HTMLParser(
        recover=True,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
        huge_tree=False,
        encoding="utf-8",
    )
    try:
        return html.document_fromstring(data, parser=parser)
    except (etree.LxmlError, ValueError):
        return None


class _Walk:
    """Goes through one page."""

    def __init__(self, root: Any, sections: Sections) -> None:
        self._root = root
        self._sections = sections
        self._text: list[str] = []
        self._is_item = False
        self._pre = 0
        has_content = root.tag == "main" or root.find(".//article") is not None
        self._around = _AROUND if has_content else frozenset()

    def run(self) -> None:
        """Add all of it."""
        walker = etree.iterwalk(self._root, events=("start", "end"))
        for event, element in walker:
            tag = element.tag if isinstance(element.tag, str) else ""
            if event == "end":
                self._end(element, tag)
            elif not self._begin(element, tag):
                walker.skip_subtree()
        self._flush()

    def _begin(self, element: Any, tag: str) -> bool:
        """Take the start of an element; tell whether to look into it."""
        if not tag or tag in _NEVER_TEXT or self._stands_aside(element, tag):
            return False
        hidden = _hidden_by(element)
        if hidden is not None:
            self._sections.hide(hidden, element.text_content())
            return False
        if tag in _HEADINGS:
            self._flush()
            self._sections.heading(_spaced(visible_text(element, self._sections)), _HEADINGS[tag])
            return False
        if tag == "table" and _is_data(element):
            self._flush()
            self._table(element)
            return False
        if tag in _BLOCKS:
            self._flush()
            self._is_item = tag == "li"
        self._pre += tag == "pre"
        if tag == "br":
            self._text.append("\n")
        elif element.text:
            self._text.append(self._spaced(element.text))
        return True

    def _end(self, element: Any, tag: str) -> None:
        if tag in _BLOCKS or tag in _HEADINGS:
            self._flush()
        self._pre -= tag == "pre" and self._pre > 0
        if element.tail:
            self._text.append(self._spaced(element.tail))

    def _stands_aside(self, element: Any, tag: str) -> bool:
        if tag in self._around and not _is_within(element, ("article", "main")):
            return True
        classes = element.get("class", "").split()
        return element.get("role", "") in _ROLES_ASIDE or not _CLASSES_ASIDE.isdisjoint(classes)

    def _table(self, table: Any) -> None:
        rows = [
            [self._cell(cell) for cell in row if cell.tag in _CELLS]
            for row in table.iter("tr")
            if not self._is_hidden(row)
        ]
        # Columns that only make room between others.
        used = {index for row in rows for index, cell in enumerate(row) if cell}
        for row in rows:
            self._sections.row([cell for index, cell in enumerate(row) if index in used])
        self._sections.end_table()

    def _cell(self, cell: Any) -> str:
        if self._is_hidden(cell):
            return ""
        return _spaced(visible_text(cell, self._sections))

    def _is_hidden(self, element: Any) -> bool:
        """Tell whether a browser would not show `element`, and note what it says."""
        hidden = _hidden_by(element)
        if hidden is not None:
            self._sections.hide(hidden, element.text_content())
        return hidden is not None

    def _spaced(self, text: str) -> str:
        return text if self._pre else _SPACE.sub(" ", text)

    def _flush(self) -> None:
        text = "".join(self._text)
        self._text = []
        if text.strip():
            mark = _MARK if self._is_item else ""
            self._sections.paragraph(mark + text.strip(), stands_close=self._is_item)
            self._is_item = False


def visible_text(element: Any, sections: Sections) -> str:
    """Return the text inside `element` that a browser would show."""
    found = [element.text or ""]
    walker = etree.iterwalk(element, events=("start", "end"))
    for event, inner in walker:
        if inner is element:
            continue
        tag = inner.tag if isinstance(inner.tag, str) else ""
        if event == "end":
            found.append(" " if tag in _BLOCKS else "")
            found.append(inner.tail or "")
            continue
        hidden = _hidden_by(inner)
        classes = inner.get("class", "").split()
        if hidden is not None:
            sections.hide(hidden, inner.text_content())
        if hidden is not None or tag in _NEVER_TEXT or not _CLASSES_ASIDE.isdisjoint(classes):
            walker.skip_subtree()
        else:
            found.append("\n" if tag == "br" else inner.text or "")
    return "".join(found)


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _is_data(table: Any) -> bool:
    """Tell a table from a layout: it holds no other one, and rows of several cells."""
    if table.find(".//table") is not None or table.get("role", "") == "presentation":
        return False
    wide = 0
    for row in table.iter("tr"):
        cells = [cell for cell in row if cell.tag in _CELLS]
        if any(cell.find(".//p") is not None and len(cell) > _FEWEST_CELLS for cell in cells):
            return False
        wide += len(cells) >= _FEWEST_CELLS
    return wide >= _FEWEST_CELLS


def _is_within(element: Any, tags: tuple[str, ...]) -> bool:
    return next(element.iterancestors(*tags), None) is not None


def _hidden_by(element: Any) -> HiddenKind | None:
    style = element.get("style", "")
    if element.get("hidden") is not None or element.get("type", "") == "hidden":
        return "invisible_text"
    if style and _INVISIBLE.search(style):
        return "invisible_text"
    if style and _TINY.search(style):
        return "tiny_text"
    color = element.get("color", "").lower()
    if color in ("white", "#ffffff", "#fff") or (style and _PALE.search(style)):
        return None if _has_ground(element) else "pale_text"
    return None


def _has_ground(element: Any) -> bool:
    """Tell whether white text may stand on a dark ground."""
    return any(
        "background" in each.get("style", "") or each.get("bgcolor") or each.get("class")
        for each in (element, *element.iterancestors())
    )
