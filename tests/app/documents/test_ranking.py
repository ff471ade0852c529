"""How a sentence is put decides whether it may stand for its part."""

import pytest

from app.documents.ranking import leans_on_another, leans_on_its_place, manner
from app.documents.sentences import Sentence


def put(text: str) -> float:
    sentence = Sentence(
        text=text, page=1, section="", heading="", is_first=False, is_back_matter=False
    )
    return manner(sentence, "en")


PLAIN = "A security policy defines who has access to which information resources."


@pytest.mark.parametrize(
    "text",
    [
        "Run the SQL statements that are shown in Example 3-10 for the payroll table.",
        "The other column to mask in this example is the column with the tax number.",
        "The user profile JANE specifies a group profile of the managers at the branch.",
        "USER or SESSION_USER The effective user of the thread excluding adopted authority.",
        "This is also true for the second group of users in the department.",
        "Click the button at the top of the screen to open the list of printers.",
    ],
)
def test_a_step_an_example_or_a_loose_end_stands_behind_a_plain_sentence(text: str) -> None:
    assert put(text) < put(PLAIN) - 0.15


def test_what_speaks_of_the_document_itself_stands_before() -> None:
    assert put("This guide describes how policies are written and enforced.") > put(PLAIN)


@pytest.mark.parametrize(
    "text",
    [
        "Thereafter, the consultant shall have no further claims against the commission.",
        "Without a security policy, it really is no assessment but a baseline for later changes.",
        "The consultant shall be liable for all costs that are a result of such default.",
        "The training that the trustee provides is not included in this line item.",
        "Not Fully Configured: This status appears when personalization is off for the device.",
        "Falls Z hausdorffsch ist, ist Z eine Mannigfaltigkeit mit abzählbarer Basis.",
        "Wegen Proposition 5.1 ist die Abbildung ein Homomorphismus der beiden Gruppen.",
        "3 Daher genügt es zu zeigen, dass die Matrizen erzeugt werden können.",
        "The primary targets of this offensive were cities, with the ultimate goal of ending it.",
    ],
)
def test_a_sentence_that_leans_on_another_is_known(text: str) -> None:
    assert leans_on_another(text)


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        "The purpose of this guide is to help you plan the rooms of the library.",
        "In most cases, it is important to ask the doctor before the treatment ends.",
        "Services such as printing and copying are free for readers of the library.",
        "If I had a library, readers would be asked for their cards at the desk.",
    ],
)
def test_a_sentence_that_stands_alone_is_let_be(text: str) -> None:
    assert not leans_on_another(text)


@pytest.mark.parametrize(
    ("heading", "is_row", "leans"),
    [("By January 31", False, True), ("Fees", False, False), ("Fees", True, True)],
)
def test_a_row_and_a_rule_for_one_day_do_not_stand_alone(
    heading: str, is_row: bool, leans: bool
) -> None:
    sentence = Sentence(PLAIN, 1, "", heading, is_first=False, is_back_matter=False, is_row=is_row)
    assert leans_on_its_place(sentence) == leans
