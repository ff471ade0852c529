"""What an OOXML file says about itself: its title, and other words, which are metadata."""

from app.documents.formats.format import Findings
from app.documents.formats.markup import name_of
from app.documents.formats.package import Package

_METADATA = frozenset(("subject", "keywords", "description", "category"))


def read_properties(package: Package, findings: Findings) -> str:
    """Return the title; what else the author wrote there is noted as hidden."""
    tree = package.tree(package.root_part("core-properties", "docProps/core.xml"))
    title = ""
    for item in tree if tree is not None else ():
        kind = name_of(item).rpartition(":")[2]
        if kind == "title":
            title = " ".join((item.text or "").split())
        elif kind in _METADATA:
            findings.hide("metadata", 0, item.text or "")
    return title
