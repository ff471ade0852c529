"""Chunks of documents, and which of them a question is put to."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from app.documents.chunking import MOST_CHARS, chunks_of
from app.documents.document import Line, Page, ReadDocument
from app.documents.lexical import Bm25, terms
from app.documents.retrieval import (
    DocumentIndex,
    IndexedDocument,
    best_sentences,
    interleave,
    is_contents,
    missing_from,
)
from app.documents.values import IntakeReport, Unit


def document(
    *pages: Sequence[str | Line], unit: Unit = "page", name: str = "a.pdf"
) -> ReadDocument:
    made = tuple(
        Page(
            number,
            tuple(line if isinstance(line, Line) else Line(line, 10.0) for line in lines),
            label=f"Sheet{number}" if unit == "sheet" else "",
        )
        for number, lines in enumerate(pages, 1)
    )
    report = IntakeReport(unit, len(made), len(made), 0, 0, 0)
    return ReadDocument(name, 1, "0" * 64, "pdf", "", report, made)


def index_of(*pages: Sequence[str | Line], **options: Unit) -> DocumentIndex:
    return DocumentIndex([IndexedDocument("d1", document(*pages, **options))])


def test_a_chunk_has_one_place_and_whole_sentences() -> None:
    sentences = [f"Sentence number {number} says that all is well here." for number in range(60)]
    chunks = list(chunks_of(document(sentences, sentences[:3])))
    assert [chunk.place.page for chunk in chunks][-1] == 2
    assert all(len(chunk.text) <= MOST_CHARS for chunk in chunks)
    told = [sentence for chunk in chunks for sentence in chunk.sentences]
    assert told == [*sentences, *sentences[:3]]


def test_a_sentence_over_the_end_of_a_page_belongs_to_where_it_begins() -> None:
    first, second = chunks_of(
        document(
            ["The tenant must tell the", "landlord within ten"],
            ["days of any damage. All is well."],
        )
    )
    assert first.sentences == ("The tenant must tell the landlord within ten days of any damage.",)
    assert (first.place.page, second.place.page) == (1, 2)
    assert second.sentences == ("All is well.",)


def test_a_divided_word_is_put_together() -> None:
    (chunk,) = chunks_of(document(["The em\ufffe", "ployment ends. A well-", "known rule."]))
    assert "employment" in chunk.text


def test_rows_of_a_sheet_are_sentences_and_keep_their_cells() -> None:
    lines = [Line("Year | Ducks", cells="A1:B1"), Line("2019 | 120", cells="A2:B2")]
    (chunk,) = chunks_of(document(lines, unit="sheet"))
    assert chunk.sentences == ("Year | Ducks", "2019 | 120")
    assert (chunk.place.cells, chunk.place.label) == ("A1:B2", "Sheet1")
    assert chunk.text == "Year | Ducks\n2019 | 120"


def test_the_heading_tells_what_a_chunk_is_about() -> None:
    long = [f"Rule {number} of this part is kept by all." for number in range(12)]
    pages: list[list[str | Line]]
    pages = [[Line("Deposit", 16.0, bold=True), *long, Line("Rent", 16.0, bold=True), *long]]
    headings = [chunk.heading for chunk in chunks_of(document(*pages))]
    assert headings == ["Deposit", "Rent"]
    (best, *_) = index_of(*pages).retrieve("What does it say on the deposit?").passages
    assert best.heading == "Deposit"


def test_the_rarer_word_decides() -> None:
    found = index_of(
        ["The contract is a contract of all parties to the contract."],
        ["The deposit of the contract is 450 euros."],
        ["The contract ends."],
    ).retrieve("How high is the deposit in the contract?")
    assert found.passages[0].place.page == 2
    assert found.by == "words"


def test_text_without_spaces_is_found_by_pairs_of_characters() -> None:
    assert list(terms("東京都")) == ["東京", "京都"]
    found = index_of(["会社の住所は東京都です。"], ["電話は毎日受けます。"]).retrieve("東京の住所")
    assert found.passages[0].place.page == 1


def test_a_list_of_contents_answers_nothing() -> None:
    contents = [f"{number} Deposit ............ {number}" for number in range(1, 6)]
    assert is_contents("\n".join(contents))
    (passage,) = index_of(contents, ["The deposit is 450 euros."]).retrieve("the deposit?").passages
    assert passage.place.page == 2


def test_names_and_numbers_that_are_nowhere_are_told() -> None:
    found = index_of(["Prices in France rose in 2013."]).retrieve(
        "Did prices in Germany rise in 2014?"
    )
    assert found.missing == ("2014", "Germany")
    assert missing_from("Prices of bread?", lambda word: False) == ()


def test_meaning_and_words_take_turns() -> None:
    assert interleave([3, 1, 2], [1, 4]) == [3, 1, 4, 2]
    assert interleave([], [5]) == [5]

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        rows = [[1.0, 0.0] if "cat" in text or "animal" in text else [0.0, 1.0] for text in texts]
        return np.array(rows, np.float32)

    made = document(["A cat sleeps on the sofa all day."], ["The animal law has nine parts."])
    index = DocumentIndex([IndexedDocument("d1", made)], embed)
    found = index.retrieve("Which animal sleeps?")
    assert found.by == "words_and_meaning"
    assert {passage.place.page for passage in found.passages} == {1, 2}
    assert found.passages[0].similarity == pytest.approx(1.0)


def test_the_best_sentences_are_those_that_share_most() -> None:
    passages = (
        index_of(["The rent is due. The deposit is 450 euros. The key costs 5 euros."])
        .retrieve("How many euros is the deposit?")
        .passages
    )
    assert (
        best_sentences("How many euros is the deposit?", passages)[0] == "The deposit is 450 euros."
    )
    assert best_sentences("Unrelated words only", passages) == []


def test_an_index_of_nothing_finds_nothing() -> None:
    assert DocumentIndex([]).retrieve("What?").passages == ()
    assert Bm25([]).scores("x").shape == (0,)
