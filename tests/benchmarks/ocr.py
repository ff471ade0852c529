"""How well and how fast the text of scanned pages is recognized.

Run from the checkout::

    python -m tests.benchmarks.ocr [--threads N]

It draws pages of English, German and French at 200 dpi with the font inside Pillow and others that
are found, and spoils them as a scanner does: 0.6 degrees askew, blurred, JPEG. Where the shared
corpus is there, pages of real PDFs are drawn, spoiled as well, and compared with their own text.
The character error rate is the edit distance by the length of the truth, after NFKC, ligatures,
joined lines, and without differences of spaces. CPU and elapsed seconds are this machine's.
"""

import argparse
import io
import os
import re
import sys
import time
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pypdfium2 as pdfium
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from app.documents.formats.format import Bitmap
from app.documents.formats.pdf_render import render_page
from app.documents.ocr.engine import Engine
from app.documents.ocr.reading import read_picture
from inference import threads

HERE = Path(__file__).parent
CORPUS = Path(os.environ.get("SNUG_TEST_CORPUS", HERE.parents[2] / "shared" / "corpus"))
LANGUAGES = {"en": "english.txt", "de": "german.txt", "fr": "french.txt"}
FONTS = ("", "DejaVuSerif.ttf", "LiberationSerif-Regular.ttf", "NimbusRoman-Regular.otf")
REAL_PAGES = (
    ("en", "un_DA-619p.pdf", (30, 120, 300)),
    ("en", "un_multi-column-2p.pdf", (1, 2)),
    ("en", "kz_sample_contract.pdf", (2, 4)),
    ("en", "kz_xerox_alta_link_series_mfp_sag_en_us_2.pdf", (40, 60)),
    ("de", "sf_GeoTopo-komprimiert.pdf", (2, 4, 6)),
)
DPI = 200
A4_PX = (1654, 2339)
MARGIN_PX = 180
TEXT_PX = 31  # 11 points
LINE_PX = 44
POINTS_PER_PX = 72 / DPI


@dataclass(frozen=True, slots=True)
class Case:
    """A page to recognize and what stands on it."""

    language: str
    name: str
    picture: Image.Image
    truth: str


def main() -> None:
    """Measure every page, and print the means of each language."""
    parser = argparse.ArgumentParser(description="Recognize pages whose text is known.")
    parser.add_argument("--threads", type=int, default=threads.share("ocr"))
    given = parser.parse_args()
    engine = Engine(given.threads)
    say(f"threads {given.threads}")
    say("page                                          chars  errors    CER   conf  CPU s   s")
    sums: dict[str, tuple[int, int]] = {}
    spent_s: list[tuple[float, float]] = []
    for case in (*drawn_pages(), *real_pages()):
        picture = spoiled(case.picture)
        bitmap = Bitmap(picture.width, picture.height, picture.tobytes())
        cpu_s, started_s = time.process_time(), time.perf_counter()
        read = read_picture(engine, bitmap, POINTS_PER_PX)
        cpu_s, wall_s = time.process_time() - cpu_s, time.perf_counter() - started_s
        truth = plain(case.truth)
        errors = distance(truth, plain("\n".join(line.text for line in read.lines)))
        before = sums.get(case.language, (0, 0))
        sums[case.language] = before[0] + errors, before[1] + len(truth)
        spent_s.append((cpu_s, wall_s))
        say(
            f"{case.name:44} {len(truth):6} {errors:7} {errors / len(truth):6.2%}"
            f" {read.confidence:6.3f} {cpu_s:6.1f} {wall_s:5.1f}"
        )
    for kind, (errors, chars) in sums.items():
        say(f"character error rate, {kind}: {errors / chars:.2%} of {chars}")
    for name, index in (("CPU", 0), ("elapsed", 1)):
        times = [each[index] for each in spent_s]
        say(f"{name} seconds a page: mean {sum(times) / len(times):.1f}, most {max(times):.1f}")


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def drawn_pages() -> Iterator[Case]:
    """Yield a page of each text in each font that is there."""
    for language, name in LANGUAGES.items():
        text = (HERE / name).read_text(encoding="utf-8")
        for font_name in FONTS:
            font = find_font(font_name)
            if font is not None and has_letters(font, text):
                label = f"{language} drawn, {font_name or 'the font inside Pillow'}"
                yield Case(f"{language} drawn", label, *draw(text, font))


def find_font(name: str) -> ImageFont.FreeTypeFont | None:
    """Return a font of the system by its file's name, or Pillow's own without a name."""
    try:
        found = ImageFont.truetype(name, TEXT_PX) if name else ImageFont.load_default(TEXT_PX)
    except OSError:
        return None
    return found if isinstance(found, ImageFont.FreeTypeFont) else None


def has_letters(font: ImageFont.FreeTypeFont, text: str) -> bool:
    """Tell whether a font has every letter of a text, and not only a box in the place of some."""
    missing = bytes(font.getmask("\ue123"))
    return all(bytes(font.getmask(char)) != missing for char in set(text) if char.isalpha())


def draw(text: str, font: ImageFont.FreeTypeFont) -> tuple[Image.Image, str]:
    """Return a page set in lines, and the part of `text` that fitted on it."""
    page = Image.new("RGB", A4_PX, "white")
    pen = ImageDraw.Draw(page)
    top = MARGIN_PX
    written: list[str] = []
    for line in lines_of(text, font):
        if top > A4_PX[1] - MARGIN_PX:
            break
        pen.text((MARGIN_PX, top), line, "black", font)
        written.append(line)
        top += LINE_PX if line else LINE_PX // 2
    return page, "\n".join(written)


def lines_of(text: str, font: ImageFont.FreeTypeFont) -> Iterator[str]:
    """Break a text into lines as wide as the page."""
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split(" "):
            longer = f"{line} {word}".strip()
            if line and font.getlength(longer) > A4_PX[0] - 2 * MARGIN_PX:
                yield line
                longer = word
            line = longer
        yield line


def real_pages() -> Iterator[Case]:
    """Yield pages of the corpus with their own text layer."""
    for language, name, numbers in REAL_PAGES:
        path = CORPUS / name
        if not path.is_file():
            say(f"{name} is not there")
            continue
        document = pdfium.PdfDocument(path)
        for number in numbers:
            bitmap = render_page(document, number - 1, DPI)
            picture = Image.frombytes("RGB", (bitmap.width, bitmap.height), bitmap.rgb)
            truth = document[number - 1].get_textpage().get_text_range(errors="replace")
            yield Case(f"{language} real", f"{language} {name[:32]} p. {number}", picture, truth)


def spoiled(page: Image.Image) -> Image.Image:
    """Return a page as a scanner would have it."""
    turned = page.rotate(0.6, Image.Resampling.BICUBIC, fillcolor="white")
    blurred = turned.filter(ImageFilter.GaussianBlur(0.7))
    stream = io.BytesIO()
    blurred.save(stream, "JPEG", quality=60)
    return Image.open(stream).convert("RGB")


def plain(text: str) -> str:
    """Return a text as it is compared."""
    text = text.replace("\ufffe\r\n", "\ufffe").replace("\ufffe\n", "\ufffe").replace(" | ", " ")
    text = re.sub(r"(\w)[-\ufffe]\s*\n?\s*(?=[a-zà-ÿ])", r"\1", text).replace("\ufffe", "")
    for control, letters in (("\x1c", "fi"), ("\x1d", "fl"), ("\x1b", "ff"), ("\x1e", "ffi")):
        text = text.replace(control, letters)
    text = unicodedata.normalize("NFKC", text)
    text = re.sub(r"[.·…_─-]{3,}|([.] ){3,}", "", text)
    for kinds, one in (("‘’‚`´", "'"), ("“”„«»", '"'), ("‐‑–—−", "-"), ("•●▪", "·")):
        text = re.sub(f"[{kinds}]", one, text)
    return re.sub(r"\s+", "", text)


def distance(truth: str, found: str) -> int:
    """Return how many characters must be put in, taken out or changed (Myers, bit-parallel)."""
    if not truth:
        return len(found)
    rows = (1 << len(truth)) - 1
    last = 1 << (len(truth) - 1)
    where: dict[str, int] = {}
    for index, char in enumerate(truth):
        where[char] = where.get(char, 0) | 1 << index
    up, down, result = rows, 0, len(truth)
    for char in found:
        same = where.get(char, 0)
        across = (((same & up) + up) ^ up) | same | down
        up_step = down | (~(across | up) & rows)
        down_step = up & across
        result += bool(up_step & last) - bool(down_step & last)
        up_step = (up_step << 1 | 1) & rows
        down_step = down_step << 1 & rows
        vertical = same | down
        up = down_step | (~(vertical | up_step) & rows)
        down = up_step & vertical
    return result


if __name__ == "__main__":
    main()
