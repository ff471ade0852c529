"""Names that a hub tells are held against the rules of all systems."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import ListingUnsafe
from app.models.hub import paths

HOSTILE = [
    "",
    "/etc/passwd",
    "../up",
    "a/../../up",
    "a/..",
    "./a",
    "a//b",
    "a/",
    "C:/Windows/x",
    "C:x",
    "c:\\x",
    "a\\..\\..\\x",
    "\\\\server\\share",
    "nul\0byte",
    "new\nline",
    "CON",
    "con.json",
    "a/AUX.tar.gz",
    "lpt1",
    "com¹.txt",
    "nul .txt",
    "stream:hidden",
    "what?",
    "star*",
    "trailing.",
    "trailing ",
    " leading",
    "\ud800.bin",
    ".parts/x",
    ".PARTS/x",
    "a" * 256,
    "ä" * 200,
    "a/" * 600 + "a",
]


@pytest.mark.parametrize("path", HOSTILE)
def test_a_hostile_name_is_refused(path: str) -> None:
    with pytest.raises(ListingUnsafe) as raised:
        paths.check(["config.json", path])
    shown = str(raised.value.facts["file"])
    assert len(shown) <= 80
    assert shown.isprintable()


@pytest.mark.parametrize(
    "path",
    [
        "config.json",
        "a/b/c.onnx",
        ".gitattributes",
        "cpu-int4/model.onnx.data",
        "a #%&+ä.md",
        "x.parts/a",
    ],
)
def test_an_ordinary_name_is_not(path: str) -> None:
    paths.check([path])


@pytest.mark.parametrize(
    "pair",
    [
        ("a.json", "A.json"),
        ("d/x", "D/X"),
        ("é", "e\u0301"),
        ("a", "a/b"),
        ("A", "a/b/c"),
        ("x", "x"),
    ],
)
def test_two_names_for_one_file_are_refused(pair: tuple[str, str]) -> None:
    paths.check(pair)
    for both in (pair, pair[::-1]):
        with pytest.raises(ListingUnsafe):
            paths.check_together(both)


def test_names_in_different_folders_are_different() -> None:
    paths.check_together(["a/x", "b/x", "ab/x", "x"])


@given(st.text(max_size=40))
def test_no_name_that_passes_leaves_the_folder(path: str) -> None:
    try:
        paths.check([path])
    except ListingUnsafe:
        return
    assert not path.startswith("/")
    assert "\\" not in path
    assert not {"", ".", ".."} & set(path.split("/"))
