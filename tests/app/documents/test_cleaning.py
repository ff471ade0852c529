from app.documents.blocks import blocks_of
from app.documents.cleaning import clean
from app.documents.document import Bookmark, Line, Page
from app.documents.outline import sections_of
from app.documents.sentences import sentences_of, split


def cleaned(*pages: str) -> list[list[str]]:
    made = [
        Page(number, tuple(Line(text, 10.0) for text in page.split("\n")))
        for number, page in enumerate(pages, 1)
    ]
    return [[line.text for line in lines] for lines in clean(made)[0]]


def test_running_heads_and_page_numbers_go() -> None:
    pages = [f"Annual report {n}\nText of page {n} is here.\n{n}" for n in range(1, 6)]
    assert cleaned(*pages)[2] == ["Text of page 3 is here."]


def test_a_line_like_a_head_inside_the_page_stays() -> None:
    filler = "\n".join(f"Line {word} of the text." for word in "abcdefgh")
    pages = [f"Top\n{filler}\nReport\n{filler}\nBottom" for _ in range(5)]
    assert "Report" in cleaned(*pages)[0]


def test_a_dropped_line_leaves_a_gap() -> None:
    page = "results in a manner\nSignature ______________\nA new sentence."
    assert cleaned(page) == [["results in a manner", "", "A new sentence."]]


def test_rows_of_tables_and_formulas_go() -> None:
    assert cleaned("12.5 % 3 400 17\nThe rate is 12.5 % now.") == [["", "The rate is 12.5 % now."]]


def test_contents_pages_keep_only_their_sentences() -> None:
    entries = "\n".join(f"Chapter {n} on something {n * 7}" for n in range(1, 12))
    assert [line for line in cleaned(f"{entries}\nThis is a sentence.")[0] if line] == [
        "This is a sentence."
    ]


def test_divided_words_are_joined_and_compounds_keep_their_hyphen() -> None:
    known = "The employment office. A dual role of the dual encoder, an encoder."
    assert cleaned(f"{known}\nThe em\ufffe\nployment rate")[0][1] == "The employment"
    assert "dual-encoder" in cleaned(f"{known}\nthe dual\ufffe\nencoder model")[0][1]
    assert cleaned("Vor-\nund Nachteile") == [["Vor-", "und Nachteile"]]


def test_the_rest_of_a_cut_sentence_is_not_taken_for_one() -> None:
    made = [
        Page(1, (Line("The tax is due when", 10.0),)),
        Page(2, (Line("Form 944 is filed late. Another one follows.", 10.0),)),
    ]
    blocks = blocks_of(clean(made)[0], ())
    found = sentences_of(blocks, [""] * len(blocks))
    assert [item.is_cut for item in found] == [False, True, False]


def test_sentences_do_not_end_at_abbreviations_or_dates() -> None:
    text = "Siehe z. B. Dr. Meier vom 1. Januar. The U.S. No. 7 pays. It was reported.12 The end."
    assert list(split(text)) == [
        "Siehe z. B. Dr. Meier vom 1. Januar.",
        "The U.S. No. 7 pays.",
        "It was reported.",
        "The end.",
    ]


def test_sections_follow_the_bookmarks() -> None:
    lines = (
        Line("Scope", 10.0),
        Line("It holds for all.", 10.0),
        Line("Money", 10.0),
        Line("None.", 10.0),
    )
    marks = [Bookmark(0, title, 1) for title in ("Scope", "Money", "Elsewhere")]
    pages = [list(lines)]
    blocks = blocks_of(pages, marks)
    sections = sections_of(blocks, [*marks[:2], Bookmark(0, "Money", 1)], 1)
    assert [(b.text, s) for b, s in zip(blocks, sections, strict=True) if not b.is_heading] == [
        ("It holds for all.", "Scope"),
        ("None.", "Money"),
    ]


def test_numbered_capitals_head_sections_even_where_other_headings_are_bold() -> None:
    bold = [Line(f"{n}.{n} Part", 10.0, bold=True) for n in range(1, 5)]
    pages = [[*bold, Line("2. MONEY.", 10.0), Line("It is paid monthly.", 10.0)]]
    assert "2. MONEY." in [block.text for block in blocks_of(pages, ()) if block.is_heading]


def test_a_bold_label_stays_with_what_it_labels() -> None:
    line = Line("Stage two The tumor has not spread.", 10.0, lead_chars=9)
    (block,) = blocks_of([[line]], ())
    assert block.text == "Stage two: The tumor has not spread."


def test_a_row_of_a_list_is_known_until_running_text_comes_again() -> None:
    lines = [
        Line("The rates are:", 10.0),
        Line("For income tax, the rate is 1.5 % of wages.", 10.0),
        Line("The desk takes cash only. Cards are taken on Sunday.", 10.0),
    ]
    rows = [block.is_row for block in blocks_of([lines], (), of_paragraphs=True)]
    assert rows == [False, True, False]


def test_what_stands_behind_the_label_of_a_row_is_a_row() -> None:
    line = Line("Stage IIB The tumor has spread to the lymph nodes.", 10.0, lead_chars=9)
    (block,) = blocks_of([[line]], ())
    assert block.is_row


def test_where_to_read_more_is_not_glued_to_the_text() -> None:
    (lines,) = cleaned("Main article: Spanish War\nWhen war broke out, nobody helped.")
    assert lines == ["", "When war broke out, nobody helped."]
    (lines,) = cleaned("See also")
    assert lines == ["See also"]


def test_a_paragraph_of_a_format_that_marks_them_is_one_block() -> None:
    lines = [Line("A point without a full stop", 10.0), Line("another point of the slide", 10.0)]
    texts = [block.text for block in blocks_of([lines], (), slides={1})]
    assert texts == ["A point without a full stop", "another point of the slide"]
