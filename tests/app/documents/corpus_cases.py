"""What every file of the corpus holds, as a person who opened it would say.

Pages, words that must stand on them, names of places, or the error. Read and judged by eye.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Case:
    """What is expected of one file.

    Attributes:
        total: Its units.
        said: Texts by the page that they stand on; white space does not count.
        labels: Names of pages.
        parts: Names of the parts that pages are in.
        without_text: Pages that hold no text before anything is recognized.
        recognized: Texts that stand in its pictures, by page.
        refused: Code of the error and a word of it, for a file that cannot be read.
        hidden: Kinds of hidden text that are named.
        left_out: Codes of what is left out.
        tables: How many, where that is known.
        wrong: What is known to be read wrong.
    """

    kind: str = ""
    unit: str = "page"
    total: int = 1
    said: Mapping[int, str | tuple[str, ...]] = field(default_factory=dict)
    labels: Mapping[int, str] = field(default_factory=dict)
    parts: Mapping[int, str] = field(default_factory=dict)
    without_text: int = 0
    recognized: Mapping[int, str] = field(default_factory=dict)
    refused: tuple[str, str] | None = None
    hidden: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    tables: int | None = None
    password: str | None = None
    title: str | None = None
    wrong: str = ""


def _picture(text: str = "", total: int = 1, unit: str = "image") -> Case:
    recognized = {1: text} if text else {}
    return Case("image", unit, total, without_text=total, recognized=recognized)


_UNREADABLE = "document_unreadable"
_LOCKED = "document_locked"
_LOREM = "Lorem ipsum dolor sit amet, consetetur sadipscing elitr"

CASES: Mapping[str, Case] = {
    # PDF
    "dl_normal_4pages.pdf": Case(
        "pdf",
        total=4,
        said={1: "코로나-19", 4: "개선과제"},
        title="코로나-19 관련 보험약관상 재해보험금 지급문제 및 개선과제",
    ),
    "dl_ocr_test_rotated_180.pdf": Case(
        "pdf", without_text=1, recognized={1: "Docling bundles PDF document conversion to"}
    ),
    "dl_redp5110_sampled.pdf": Case(
        "pdf",
        total=18,
        said={1: "Row and Column Access Control", 4: "This IBM® Redpaper™ publication"},
        without_text=1,
        hidden=("pale_text",),
    ),
    "kz_a_course_in_machine_learning_ciml_v0_9_all.pdf": Case(
        "pdf",
        total=193,
        said={1: "Hal Daumé III", 4: "TABLE OF CONTENTS", 54: "Irrelevant and Redundant Features"},
        hidden=("off_page",),
    ),
    "kz_non_searchable.pdf": Case("pdf", without_text=1),
    "kz_sample_contract.pdf": Case(
        "pdf",
        total=10,
        said={1: "PROFESSIONAL SERVICES AGREEMENT", 4: "one million dollars ($1,000,000)"},
    ),
    "kz_xerox_alta_link_series_mfp_sag_en_us_2.pdf": Case(
        "pdf", total=464, said={1: "System Administrator Guide", 3: "BR40414"}, without_text=2
    ),
    "md_SPARSE-2024-INV-1234_borderless_table.pdf": Case(
        "pdf",
        total=2,
        said={1: ("Report ID: SPARSE-2024-INV-1234", "SKU-8847 A-12 450"), 2: "97.2%"},
    ),
    "pj_issue3205r.pdf": Case("pdf", said={1: "log log"}),
    "pj_poppler-90-0-fuzzed.pdf": Case(
        "pdf", total=16, said={3: "Key Distribution"}, without_text=14
    ),
    "pj_prefilled_f1040.pdf": Case(
        "pdf",
        total=2,
        said={
            1: "U.S. Individual Income Tax Return 2010",
            2: "Amount from line 37 (adjusted gross income)",
        },
    ),
    "pj_xfa_filled_imm1344e.pdf": Case(refused=(_UNREADABLE, "dynamic form")),
    "sf_GeoTopo-komprimiert.pdf": Case(
        "pdf",
        total=117,
        said={1: "Geometrie und Topologie", 2: "Martin Thoma"},
        title="Geometrie und Topologie",
    ),
    "sf_habibi.pdf": Case(
        "pdf",
        said={1: "habibi"},
        wrong="the Arabic word comes three times, each time with its letters in a wrong order",
    ),
    "sf_libreoffice-writer-password.pdf": Case("pdf", said={1: _LOREM}, password="openpassword"),
    "sf_minimal-document.pdf": Case("pdf", said={1: _LOREM}),
    "sf_multicolumn.pdf": Case(
        "pdf",
        total=3,
        said={1: "Lorem ipsum dolor sit amet, consectetuer", 3: "Austria 8.9 83,879 Vienna German"},
    ),
    "sf_pdflatex-forms.pdf": Case("pdf", said={1: "Name Check Submit"}),
    "tk_testPDFPackage.pdf": Case(
        "pdf",
        total=3,
        said={2: "PDF1", 3: "PDF2"},
        parts={2: "PDF1.pdf", 3: "PDF2.pdf"},
        without_text=1,
        left_out=("scripts_left_out", "cover_left_out"),
    ),
    "tk_testPDF_childAttachments.pdf": Case(
        "pdf",
        total=74,
        said={
            1: "Employer's Tax Guide",
            2: "6.2% employee social security tax rate",
            68: "tax effort",
        },
        parts={68: "Unit10.doc"},
        left_out=("embedded_left_out",),
        hidden=("off_page", "metadata"),
    ),
    "tk_testPDF_jsActionOnPage.pdf": Case("pdf", without_text=1, left_out=("scripts_left_out",)),
    "tk_testPDF_rotated.pdf": Case(
        "pdf", said={1: "Apache Tika is a toolkit for detecting and extracting"}
    ),
    "tk_testUnicodePassword.pdf": Case(refused=(_LOCKED, "password")),
    "un_DA-619p.pdf": Case("pdf", total=619, said={1: "Table of Contents", 3: "The Holy Brazier"}),
    "un_failure-after-repair.pdf": Case(
        "pdf",
        total=76,
        said={1: "Understanding Breast Cancer", 37: "Sense of loss"},
        hidden=("tiny_text", "off_page"),
    ),
    "un_fake-bold-sample.pdf": Case(
        "pdf",
        said={1: ("BOLD TEXT SAMPLE", "The quick brown fox jumps over the lazy dog.")},
        wrong="letters of a line that is drawn twice stand apart: Test i ng Dedupl i cat i on",
    ),
    "un_invalid-pdf-structure-pdfminer-one-page.pdf": Case(
        "pdf",
        total=2,
        said={1: "Leadership in Cybersecurity", 2: "national strategies were addressed"},
    ),
    "un_loremipsum-flat.pdf": Case("pdf", without_text=1),
    "un_multi-column-2p.pdf": Case(
        "pdf",
        total=2,
        said={
            1: "Dense Passage Retrieval for Open-Domain",
            2: "ICT pretraining is computationally intensive",
        },
    ),
    "un_password.pdf": Case("pdf", said={1: "File with password"}, password="password"),
    # Word
    "dl_Strict.docx": Case("docx", "section", said={1: "Some text"}),
    "dl_textbox.docx": Case(
        "docx",
        "section",
        said={1: ("Infectious Disease Reporting Procedure", "within 24 hours", "Health Bureau:")},
    ),
    "tk_footnotes.docx": Case(
        "docx", "section", said={1: "Eto ochen prostoy text so snoskoy snoska"}
    ),
    "tk_testWORD_protected_passtika.docx": Case(
        "docx",
        "section",
        said={1: "This is an encrypted Word 2007 File."},
        password="tika",
    ),
    "tk_testWORD_truncated.docx": Case(refused=(_UNREADABLE, "damaged")),
    "tk_testWORD_various.docx": Case(
        "docx",
        "section",
        said={
            1: (
                "This is a footnote.",
                "Row 1 Col 1 | Row 1 Col 2",
                "ゾルゲと尾崎",
                "This is the header text.",
            )
        },
    ),
    "un_docx-shapes.docx": Case(
        "docx", "section", said={1: "Paragraph with floating shape attached."}
    ),
    "un_docx-tables.docx": Case(
        "docx", "section", said={1: ("Header Col 1 | Header Col 2", "Lorem ipsum | A link example")}
    ),
    "un_handbook-872p.docx": Case(
        "docx",
        "section",
        285,
        said={1: "Executive Office for United States Trustees"},
        labels={3: "CHAPTER 1 – INTRODUCTION", 4: "B. ROLE OF THE UNITED STATES TRUSTEE"},
    ),
    "dl_legacy_sample.doc": Case(
        "doc", "section", said={1: ("Swimming in the lake", "cute duckling")}
    ),
    "kz_unit_test_lists.doc": Case(
        "doc", "section", said={1: ("Paragraph 2.1.1", "List item 1.2")}
    ),
    "tk_testWORD6.doc": Case(
        "doc", "section", said={1: "The quick brown fox jumps over the lazy dog"}
    ),
    "un_simple.doc": Case(
        "doc",
        "section",
        said={1: ("favorite things", "This is my third thought.", "DOYLESTOWN, PA 18901")},
    ),
    # OpenDocument text and RTF
    "dl_text_document_03.odt": Case(
        "odt",
        "section",
        said={1: ("Before table", "Cell 1 | Cell 2 | Cell 3", "R2C2 item 2")},
        labels={1: "Table with rich cells"},
        left_out=("pictures_left_out",),
    ),
    "tk_testODFwithOOo3.odt": Case(
        "odt",
        "section",
        said={1: ("This is of course a simple footnote", "a² + b^2 = c^2", "1. First item")},
        hidden=("metadata", "deleted_text", "comment"),
        title="Apache Tika",
    ),
    "tk_testODTnotaZipFile.odt": Case("text", "section", said={1: "This is not a zip file!"}),
    "tk_testRTF-ms932.rtf": Case(
        "rtf", "section", said={1: ("こんにちは", "テスト")}, title="タイトル"
    ),
    "tk_testRTFJapanese.rtf": Case(
        "rtf",
        "section",
        said={1: ("古書店で処刑記録見つかる", "渡部富哉さん提供")},
        title="ゾルゲと尾崎、淡々と最期",
    ),
    "un_eng_spa_mult.rtf": Case(
        "rtf",
        "section",
        said={1: "All human beings are born free and equal in dignity and rights."},
    ),
    "un_fake-doc.rtf": Case(
        "rtf",
        "section",
        said={1: ("My First Heading", "Column 1 | Column 2", "Row 2, Cell 1 | Row 2, Cell 2")},
        tables=1,
    ),
    # Slides
    "dl_powerpoint_comments.pptx": Case(
        "pptx",
        "slide",
        3,
        said={2: "Install Docling as a Python library"},
        labels={1: "Test Slide With Comments", 2: "Start", 3: "Features"},
        hidden=("comment",),
    ),
    "tk_testPPT_oleWorkbook.pptx": Case(
        "pptx", "slide", 2, said={2: "MFL"}, without_text=1, left_out=("embedded_left_out",)
    ),
    "tk_testPPT_various.pptx": Case(
        "pptx",
        "slide",
        said={1: ("Bold italic underline", "• Bullet 1", "ゾルゲと尾崎", "Row 1 Col 1")},
    ),
    "un_fake-power-point-table.pptx": Case(
        "pptx",
        "slide",
        said={1: ("Column 1 | Column 2 | Column 3", "Tangerine | Pink | Aqua")},
        labels={1: "A Slide with a Table"},
        tables=1,
    ),
    "un_science-exploration-1p.pptx": Case(
        "pptx",
        "slide",
        said={1: ("Virtual Machine Environment Scorecard", "Code 660: Astrophysics")},
    ),
    "dl_odf_presentation_01.odp": Case(
        "odp",
        "slide",
        3,
        said={1: "R1 | True | False", 2: "Some notes on the second slide.", 3: "1. List item4"},
        labels={1: "Test Table Slide", 2: "Second slide title"},
        tables=1,
    ),
    "tk_testPPT_various.ppt": Case(
        "ppt",
        "slide",
        said={1: ("Bold italic underline", "ゾルゲと尾崎", "[1] This is a footnote.")},
    ),
    "un_fake-power-point.ppt": Case(
        "ppt", "slide", said={1: ("Adding a Bullet Slide", "Here is some text in a text box!")}
    ),
    # Sheets
    "kz_test_01.xlsx": Case(
        "xlsx",
        "sheet",
        3,
        said={
            1: ("first | second | third", "4 | 2 | 0"),
            2: "4 | 8 | 12 | 16 | | col-1 | col-2 | col-3",
        },
        labels={1: "Sheet1", 2: "Sheet2", 3: "Sheet3"},
    ),
    "tk_testEXCEL-formats.xlsx": Case(
        "xlsx",
        "sheet",
        said={1: ("1599.99 | -1599.99", "2009-10-03")},
        labels={1: "Format Examples"},
    ),
    "un_2023-half-year-analyses-by-segment.xlsx": Case(
        "xlsx",
        "sheet",
        5,
        said={1: ("In millions of CHF", "January–June 2023")},
        labels={1: "OS-Rev.and results 30 06 2023", 4: "Prod.-Other inform. 30 06 23"},
    ),
    "un_password_protected.xlsx": Case(refused=(_LOCKED, "password")),
    "un_vodafone.xlsx": Case(
        "xlsx",
        "sheet",
        said={1: "Quarterly revenue | Nine quarters to 30 June 2023"},
        labels={1: "Index"},
    ),
    "md_test.xls": Case(
        "xls",
        "sheet",
        2,
        said={1: "Alpha | Beta | Gamma | Delta", 2: "affc7dad-52dc-4b98-9b5d-51e65d8a8ad0"},
        labels={1: "Sheet1", 2: "09060124-b5e7-4717-9d07-3c046eb"},
    ),
    "tk_testEXCEL_95.xls": Case("xls", "sheet", without_text=1, labels={1: "Foglio1"}),
    "dl_odf_table_with_title_01.ods": Case(
        "ods", "sheet", said={1: ("Year | Freshwater Ducks", "2024 | 180")}, labels={1: "Sheet1"}
    ),
    "tk_test-columnar.ods": Case(
        "ods", "sheet", said={1: "This is row 0 of 10"}, labels={1: "testing"}
    ),
    "md_test_mskanji.csv": Case(
        "csv", "sheet", said={1: ("名前 | 年齢 | 住所", "髙橋淳 | 35 | 名古屋")}
    ),
    "un_stanley-cups-utf-16.csv": Case(
        "csv", "sheet", said={1: ("Team | Location | Stanley Cups", "Maple Leafs | TOR | 13")}
    ),
    # Web, books, text
    "md_test_wikipedia.html": Case(
        "html",
        "section",
        said={1: ("Traded as", "Nasdaq: MSFT"), 3: "1972–1985: Founding"},
        labels={1: "Microsoft", 3: "History"},
        total=25,
        title="Microsoft - Wikipedia",
    ),
    "tk_testHTML_charset_utf16le.html": Case(
        "html", "section", said={1: "This is a sample text"}, title="Title"
    ),
    "un_example-10k-1p.html": Case(
        "html",
        "section",
        2,
        said={1: "Galaxy Gaming, Inc.", 2: "23,718,968 common shares as of March 28, 2022"},
    ),
    "un_example-steelJIS-datasheet-utf-16.html": Case(
        "html", "section", said={1: ("SNB22-3 Chemical composition", "日本語")}
    ),
    "un_fake-html-cp1252.html": Case(
        "html",
        "section",
        said={1: ("Die schöne Frau hat einen Kaffee mit Kuchen gegessen.", "köstlich")},
        labels={1: "My First Heading"},
    ),
    "dl_epub_purvis_poetry.epub": Case(
        "epub",
        "section",
        8,
        said={3: "This sacred right none are denied", 4: "Farewell!—but thou wilt soon forget"},
        labels={3: "Prayer", 4: "The Farewell"},
        title="Poetry",
    ),
    "tk_testEPUB.epub": Case("epub", "section", said={1: "This is the text for chapter One"}),
    "kz_world_war_ii.md": Case("markdown", "section", 52, said={1: "World War II - Wikipedia"}),
    "un_umlauts-non-utf8.md": Case("text", "section", said={1: ("können", "äöüß")}),
    "tk_russian.cp866.txt": Case(
        "text",
        "section",
        said={1: "Однажды, в студеную зимнюю пору, Я из лесу вышел; был сильный мороз."},
    ),
    "un_book-war-and-peace-1225p.txt": Case(
        "text", "section", 944, said={1: "so Genoa and Lucca are now just family estates"}
    ),
    "un_fake-text-utf-16-be.txt": Case("text", "section", said={1: "Hamburgers are delicious"}),
    "un_fake-text-utf-16-le.txt": Case("text", "section", said={1: "Doylestown, PA 18901"}),
    "un_fake-text-utf-32.txt": Case("text", "section", said={1: "I love fuzzy blankets"}),
    # Mail
    "tk_testGroupWiseEml.eml": Case(
        "mail",
        "message",
        3,
        said={1: "Subject: test333", 2: "test2", 3: "ssssssssssssssssssssss"},
        parts={2: "test.eml", 3: "Neues Textdokument.txt"},
    ),
    "un_email-no-utf8-2008-07-16.062410.eml": Case(
        "mail", "message", said={1: ("Tamir Erez", "סלבה היקר")}, title="RE: שלום"
    ),
    "un_fake-email-attachment.eml": Case(
        "mail",
        "message",
        2,
        said={1: "Here's the attachments!", 2: "Hey this is a fake attachment!"},
        parts={2: "fake-attachment.txt"},
    ),
    "md_test_outlook_msg.msg": Case(
        "mail", "message", said={1: "This is the body of the test email message"}
    ),
    "tk_testMSG_att_msg.msg": Case(
        "mail",
        "message",
        3,
        said={
            1: "Test email with 1 msg attachment, 1 pdf",
            2: "Blah blah blah",
            3: "18 June 2010 9:52 AM",
        },
        parts={2: "Test Attachment", 3: "smbprn.00009008.KdcPjl.pdf"},
    ),
    "un_fake-email-attachment.msg": Case(
        "mail",
        "message",
        2,
        said={1: "Here's the attachments!", 2: "Hey this is a fake attachment!"},
        parts={2: "fake-attachment.txt"},
    ),
    # Archives
    "md_test_files.zip": Case(
        "archive",
        total=42,
        said={1: "AutoGen: Enabling Next-Gen LLM Applications", 4: "AutoGen"},
        parts={1: "test.docx", 3: "test.jpg", 4: "test.pptx"},
        without_text=1,
    ),
    "tk_droste.zip": Case(
        "archive",
        total=4,
        parts={1: "droste.jpg", 4: "droste.zip › droste.zip › droste.zip › droste.jpg"},
        without_text=4,
        left_out=("part_left_out",),
    ),
    "tk_testZipEncrypted.zip": Case(
        "archive",
        said={1: "hello world"},
        parts={1: "unencrypted.txt"},
        left_out=("part_left_out",),
    ),
    "tk_testPages2013.pages": Case(refused=(_UNREADABLE, "save it as PDF or Word")),
    # Pictures
    "dl_2206.01062.tif": _picture(total=2, unit="page"),
    "dl_old_newspaper.png": _picture(),
    "dl_qr_bill_example.jpg": _picture(),
    "kz_invoice_image.png": _picture("Invoice #: 123"),
    "kz_jpn_vert.jpeg": _picture(),
    "kz_ocr_image.jpg": _picture(),
    "tk_testHEIF.heic": _picture(),
    "tk_testTIFF_multipage.tif": _picture(total=2, unit="page"),
    "un_DA-1p.heic": _picture("MAIN GAME"),
    "un_chi_sim_image.jpeg": _picture("新鲜甘草黄酮养分"),
    "un_english-and-korean.png": _picture(),
    "un_layout-parser-paper-fast.tiff": _picture(),
}
