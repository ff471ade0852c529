"""Finds what a test wants to press, and fails where it is not there."""

from typing import TypeVar

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QAbstractButton, QWidget

Q = TypeVar("Q", bound=QObject)


def only(parent: QObject, kind: type[Q], name: str = "") -> Q:
    """Return the one child of `kind`, by its object name where it has one."""
    found = parent.findChildren(kind, name) if name else parent.findChildren(kind)
    assert len(found) == 1, f"{len(found)} of {kind.__name__} {name}"
    return found[0]


def button(parent: QWidget, text: str) -> QAbstractButton:
    """Return the button that says `text`, in writing or to a screen reader.

    One that was taken away may still be there, hidden, until the event loop has deleted it.
    """
    found = [
        one
        for one in parent.findChildren(QAbstractButton)
        if text in (one.text(), one.accessibleName())
    ]
    if len(found) > 1:
        found = [one for one in found if not one.isHidden()]
    assert len(found) == 1, f"{len(found)} buttons say {text}"
    return found[0]
