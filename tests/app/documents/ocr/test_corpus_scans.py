"""Real scans, photos and screenshots: what stands on them, in the order in which it is read."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from app.children import Verb
from app.documents.ocr.frames import dump, load
from app.documents.ocr.recognizing import recognize
from inference.child import Child

SCANS = [
    (
        "kz_non_searchable.pdf",
        1,
        ("example of a non-text-searchable PDF", "neatly it is organized"),
    ),
    ("dl_ocr_test_rotated_180.pdf", 1, ("Docling bundles PDF", "JSON and Markdown", "package")),
    ("kz_invoice_image.png", 1, ("INVOICE", "John Doe", "Anytown, USA 12345")),
    ("kz_jpn_vert.jpeg", 1, ("元来日本語は漢文に倣い", "漢字と仮名", "書体も存在する")),
    ("un_chi_sim_image.jpeg", 1, ("新鲜甘草黄酮养分", "肤色黑黄、暗沉")),
    ("un_english-and-korean.png", 1, ("RULES AND INSTRUCTIONS", "Use the hashtag of Haruto")),
    ("un_DA-1p.heic", 1, ("MAIN GAME", "the mage had made this pact", "Arcane Horror")),
    ("tk_testTIFF_multipage.tif", 2, ("Multipage", "Page 2")),
    ("dl_qr_bill_example.jpg", 1, ("Pia Rutschmann", "Garden work", "CHF 120.00", "3949.75")),
    (
        "dl_2206.01062.tif",
        1,
        (
            "Accurate document layout analysis",
            "general-purpose document-layout analysis",
            "CCS CONCEPTS",
            "Four examples of complex page layouts",
            "KEYWORDS",
        ),
    ),
    (
        "un_layout-parser-paper-fast.tiff",
        1,
        ("A Unified Toolkit for Deep", "Zejiang Shen", "Recent advances in document image"),
    ),
    (
        "dl_old_newspaper.png",
        1,
        (
            "French Institute Creates A French Community At OU",
            "natives of France. The participants in the Institute (14 men and 34 women",
            "the French Institute will be to",
            "After dinner, participants share extracurricular",
            "are housed in Anibal House this summer), they are encouraged",
        ),
    ),
]


def letters(text: str) -> str:
    return re.sub(r"\W", "", text).lower()


@pytest.mark.corpus
@pytest.mark.parametrize(("name", "number", "wanted"), SCANS)
def test_a_scan_is_read_in_order(
    corpus: Path,
    launch: Callable[[Verb], Child],
    name: str,
    number: int,
    wanted: tuple[str, ...],
) -> None:
    kept: list[bytes] = []
    recognize(
        corpus / name,
        (number,),
        launch=partial(launch, "ocr"),
        on_page=lambda page: kept.append(dump(page)),
    )
    page = load(kept[0])
    assert page.confidence > 0.8
    text = letters("".join(line.text for line in page.lines))
    places = [text.find(letters(words)) for words in wanted]
    assert -1 not in places, [words for words in wanted if letters(words) not in text]
    assert places == sorted(places)
