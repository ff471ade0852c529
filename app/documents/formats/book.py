"""EPUB books: their chapters in the order of reading, under the names of their contents."""

import posixpath
import re

from app.documents import charsets
from app.documents.formats.format import (
    Context,
    Damaged,
    DocumentFile,
    Findings,
    Source,
    Unsupported,
)
from app.documents.formats.markup import Element, attribute, inner_text, name_of
from app.documents.formats.package import Package
from app.documents.formats.sections import Sections
from app.documents.formats.web_text import decode_page, read_page

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
# These hide fonts only, so that they cannot be taken out of a book.
_OF_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_PAGE_TYPES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")


def prepare() -> None:
    """Load the encodings that pages may name."""
    charsets.prepare()


def open(source: Source, context: Context) -> DocumentFile:  # noqa: A001 - the name all readers have
    """Read the book.

    Raises:
        FormatError: One of its subclasses.
    """
    return _Book(Package(source, context.budget)).read()


class _Book:
    """One book while it is read."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._sections = Sections(Findings())
        self._folder = ""

    def read(self) -> DocumentFile:
        """Return all of it."""
        self._refuse_protected()
        name = self._contents_name()
        self._folder = posixpath.dirname(name)
        tree = self._package.tree(name)
        if tree is None:
            raise Damaged
        items = {
            item.get("id", ""): item for item in tree.iter() if name_of(item).endswith(":item")
        }
        names = self._chapter_names(items)
        for reference in tree.iter():
            if not name_of(reference).endswith(":itemref"):
                continue
            item = items.get(reference.get("idref", ""))
            if item is not None and item.get("media-type", "") in _PAGE_TYPES:
                self._chapter(self._path(item), names)
        title = next((inner_text(i) for i in tree.iter() if name_of(i) == "dc:title"), "")
        return self._sections.finish("epub", title)

    def _chapter(self, path: str, names: dict[str, str]) -> None:
        text = decode_page(self._package.read(path))
        if path in names and not _has_headings(text):
            self._sections.heading(names[path], 0)
        read_page(text, self._sections)

    def _refuse_protected(self) -> None:
        tree = self._package.tree(_ENCRYPTION)
        for item in tree.iter() if tree is not None else ():
            if name_of(item).endswith(":EncryptionMethod"):
                algorithm = item.get("Algorithm", "")
                if algorithm not in _OF_FONTS:
                    raise Unsupported("a book that is protected against copying")

    def _contents_name(self) -> str:
        container = self._package.tree(_CONTAINER)
        for item in container.iter() if container is not None else ():
            if name_of(item).endswith(":rootfile") and item.get("full-path"):
                return str(item.get("full-path"))
        raise Damaged

    def _path(self, item: Element) -> str:
        return self._joined(item.get("href", ""))

    def _joined(self, href: str, folder: str | None = None) -> str:
        name = _unquoted(href.partition("#")[0])
        base = self._folder if folder is None else folder
        return posixpath.normpath(posixpath.join(base, name)).lstrip("/")

    def _chapter_names(self, items: dict[str, Element]) -> dict[str, str]:
        """Return the names that the contents give to pages: those of EPUB 3, else of EPUB 2."""
        for item in items.values():
            if "nav" in item.get("properties", "").split():
                return self._names_in_nav(self._path(item))
        for item in items.values():
            if item.get("media-type", "") == "application/x-dtbncx+xml":
                return self._names_in_ncx(self._path(item))
        return {}

    def _names_in_nav(self, path: str) -> dict[str, str]:
        tree = self._package.tree(path)
        folder = posixpath.dirname(path)
        found: dict[str, str] = {}
        for link in tree.iter() if tree is not None else ():
            if name_of(link) == "html:a" and link.get("href"):
                found.setdefault(self._joined(link.get("href"), folder), inner_text(link).strip())
        return found

    def _names_in_ncx(self, path: str) -> dict[str, str]:
        tree = self._package.tree(path)
        folder = posixpath.dirname(path)
        found: dict[str, str] = {}
        for point in tree.iter() if tree is not None else ():
            if not name_of(point).endswith(":navPoint"):
                continue
            label = next((i for i in point if name_of(i).endswith(":navLabel")), None)
            content = next((i for i in point if name_of(i).endswith(":content")), None)
            if label is not None and content is not None:
                target = self._joined(attribute(content, "src") or content.get("src", ""), folder)
                found.setdefault(target, " ".join(inner_text(label).split()))
        return found


def _unquoted(address: str) -> str:
    """Return an address inside the book with its %20 and the like as characters."""
    data = re.sub(
        rb"%([0-9A-Fa-f]{2})", lambda found: bytes.fromhex(found[1].decode()), address.encode()
    )
    return data.decode("utf-8", "replace")


def _has_headings(text: str) -> bool:
    probe = Sections(Findings())
    read_page(text, probe)
    return bool(probe.bookmarks)
