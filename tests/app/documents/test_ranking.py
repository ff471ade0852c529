"""How a sentence is put decides whether it may stand for its part."""

import pytest

from app.documents.ranking import manner
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
