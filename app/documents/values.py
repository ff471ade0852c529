"""What is known of a document: values that reader, summariser, chat and window share."""

from dataclasses import dataclass
from typing import Literal

Unit = Literal["page", "slide", "sheet", "section", "message", "image"]
HiddenKind = Literal[
    "invisible_text",
    "pale_text",
    "tiny_text",
    "off_page",
    "hidden_slide",
    "hidden_sheet",
    "hidden_cells",
    "comment",
    "deleted_text",
    "annotation",
    "metadata",
    "order",
]


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands, as a person would look for it.

    Attributes:
        page: 1-based number of the unit in the document as it was read; what a viewer opens.
        unit: What kind of unit that is.
        number: 1-based number of the unit within its part; equal to `page` without parts.
        part: Name of the attachment or archive member it belongs to; empty in the file itself.
        label: The unit's own name, such as a sheet's or a chapter's, or empty.
        cells: Range of cells, such as `B4:F4`, or empty.
    """

    page: int
    unit: Unit = "page"
    number: int = 0
    part: str = ""
    label: str = ""
    cells: str = ""


@dataclass(frozen=True, slots=True)
class Hidden:
    """Text that no model is told: a reader of the document does not see it, or it is an `order`.

    Attributes:
        page: 1-based number of the unit, or 0 where it belongs to the whole document.
        excerpt: Its beginning.
    """

    kind: HiddenKind
    page: int
    words: int
    excerpt: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something of the document that was not read.

    Attributes:
        code: Why: a code of `app.messages` whose facts are `name` and `detail`.
        name: Its own name, such as an attachment's, or empty.
        count: How many of the kind.
    """

    code: str
    name: str = ""
    count: int = 1
    detail: str = ""


@dataclass(frozen=True, slots=True)
class IntakeReport:
    """What was found in a document before anything reached a model.

    Attributes:
        total: Units of the document.
        read: Units that were looked at; less than `total` only where reading was stopped.
        without_text: Units of which nothing was read because they hold no text: blank ones, and
            scans that were not recognized.
        unreadable: Units whose text layer is garbage: more than a quarter symbols.
        words: Words in the text that was read.
        ocr: Units whose text was recognized in their image.
        ocr_confidence: Mean confidence of those, 0 to 1; 0 without any.
        tables: Tables that were found, as far as the format marks them.
        parts: Attachments and archive members that were read.
    """

    unit: Unit
    total: int
    read: int
    without_text: int
    unreadable: int
    words: int
    ocr: int = 0
    ocr_confidence: float = 0.0
    tables: int = 0
    parts: int = 0
    hidden: tuple[Hidden, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a document a summary rests on, computed by code.

    Attributes:
        read: Units whose text was read, and those that hold nothing to read.
        ocr: Units of these whose text was recognized in their image.
        without_text: Units that may be scans and were not read.
        blank: Units of `read` with nothing on them.
    """

    unit: Unit
    total: int
    read: int
    ocr: int
    without_text: int
    blank: int = 0


@dataclass(frozen=True, slots=True)
class Statement:
    """One line of a summary.

    Attributes:
        text: As shown.
        page: The 1-based unit that its evidence stands on.
        heading: The main section it belongs to, or empty.
        evidence: The sentence chosen, in the document's own words.
        written: True where the model wrote `text`; False where it is the document's own sentence.
        place: Where the evidence stands.
        name: The document's own file name where several are summarized together, or empty.
        row: What stands beside it where the style is a table: who and when for `minutes`, person
            and date for `actions`, the fact for `facts`; a part is empty where none is named.
        computed: Numbers in `text` that code counted: they need not stand on the page.
        translated: `text` is in another language than the document; `evidence` never is.
    """

    text: str
    page: int
    heading: str
    evidence: str
    written: bool
    place: Place | None = None
    name: str = ""
    row: tuple[str, ...] = ()
    computed: tuple[str, ...] = ()
    translated: bool = False


@dataclass(frozen=True, slots=True)
class Citation:
    """A passage that an answer rests on; found by code, never by a model.

    Attributes:
        number: As shown, 1-based.
        document_id: Of the store; empty on the command line.
        name: The document's own file name.
        passage: The text that is shown, in the document's own words.
        marked: The sentences of `passage` that count, exactly as they stand in it.
        at: Where in the answer's text the mark stands, as a count of characters; -1 for nowhere.
    """

    number: int
    document_id: str
    name: str
    place: Place
    passage: str
    marked: tuple[str, ...] = ()
    at: int = -1
