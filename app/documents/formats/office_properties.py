"""What an OOXML file says about itself: its title, and other words, which are metadata."""

from app.documents.formats.format import Findings
from app.documents.formats.markup import name_of
from app.documents.formats.package import Package

_METADATA = frozenset(("subject", "keywords", "description", "category"))


def read_properties(package: Package, findings: Findings) -> str:
    """Return the title; what else the author wrote there is noted as hidden."""
    roots = package.relations("").values()
    name = next((to for kind, to in roots if kind == "core-properties"), "docProps/core.xml")
    tree = package.tree(name)
    title = ""
    for item in tree if tree is not None else ():
        kind = name_of(item).rpartition(":")[2]
        if kind == "title":
            title = " ".join((item.text or "").split())
        elif kind in _METADATA:
            findings.hide("metadata", 0, item.text or "")
    return title
