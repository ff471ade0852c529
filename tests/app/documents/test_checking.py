import pytest

from app.documents.checking import about_faults, faults, is_looping, says_the_same

PASSAGE = (
    "The supplier shall deliver the 250 chairs to the customer by 12 June.",
    "Payment is usually made within 30 days, unless the goods are damaged.",
    "If the pump stops for more than 30 seconds, the operator must call the service team.",
    "The museum does not lend works on paper to other institutions.",
    "Visitors may bring small bags into the hall.",
)


@pytest.mark.parametrize(
    "statement",
    [
        "The supplier shall deliver 250 chairs by 12 June.",
        "Payment is usually made within 30 days, unless the goods are damaged.",
        "When the pump stops for more than 30 seconds, the operator must call the service team.",
        "The museum does not lend works on paper.",
        "Visitors may bring small bags into the hall.",
    ],
)
def test_honest_paraphrase_stands(statement: str) -> None:
    assert faults(statement, PASSAGE, "en") == ()


@pytest.mark.parametrize(
    ("reason", "statement"),
    [
        ("form", "Deliver chairs."),
        ("form", "The supplier shall deliver the 250 chairs to the customer"),
        ("empty", "The passage outlines what the supplier shall deliver."),
        ("number", "The supplier shall deliver the 300 chairs to the customer by 12 June."),
        ("unit", "The supplier shall deliver the 250 tables to the customer by 12 June."),
        ("name", "The supplier shall deliver the 250 chairs to Norway by 12 June."),
        (
            "new_words",
            "The supplier enjoys delivering wonderful furniture with great pleasure daily.",
        ),
        ("negation_lost", "The museum lends works on paper to other institutions."),
        ("exception_lost", "Payment is usually made within 30 days."),
        (
            "condition_lost",
            "The pump stops for more than 30 seconds, and the operator must call.",
        ),
        ("limit_lost", "Payment is made within 30 days, unless the goods are damaged."),
        ("weaker", "The supplier can deliver the 250 chairs to the customer by 12 June."),
        ("stronger", "Visitors bring small bags into the hall."),
        ("link", "The museum does not lend works on paper because institutions damaged them."),
        ("language", "Der Lieferant muss die 250 chairs bis zum 12 June an den customer und die."),
    ],
)
def test_what_drifts_from_its_passage_falls(reason: str, statement: str) -> None:
    assert reason in faults(statement, PASSAGE, "en")


def test_a_rule_for_some_things_may_not_become_a_rule_for_all() -> None:
    passage = (
        "The consultant shall include in any subcontract terms that preserve the rights of the "
        "commission.",
    )
    lost = "The consultant must include terms that preserve the rights of the commission."
    kept = "Any subcontract must include terms that preserve the rights of the commission."
    assert "scope_lost" in faults(lost, passage, "en")
    assert "scope_lost" not in faults(kept, passage, "en")


def test_a_negation_nobody_wrote_falls() -> None:
    assert "negation" in faults(
        "The hall does not open at nine.", ("The hall opens at nine.",), "en"
    )


def test_a_duty_nobody_wrote_falls_but_an_order_is_one() -> None:
    assert "duty" in faults("Readers must keep all records.", ("Readers keep all records.",), "en")
    assert not faults("Employers must keep all records.", ("Keep all records of employers.",), "en")


def test_repeating_falls_unless_the_passage_repeats() -> None:
    loop = "The contract names the price, and the contract names the price."
    assert "loop" in faults(loop, ("The contract names the price.",), "en")


def test_two_ways_to_say_one_thing_are_noticed() -> None:
    first = "The right can be granted only by an administrator, to a user or to a group."
    assert says_the_same(first, "Only an administrator can grant the right to a user or group.")
    assert not says_the_same(first, "The right restricts which rows a user may see in a table.")


def test_a_looping_answer_is_noticed() -> None:
    assert is_looping("so it goes on and " * 3)
    assert not is_looping("It goes on, and then it ends with other words than before.")


def test_the_sentence_on_the_whole_takes_its_words_from_the_points() -> None:
    source = "Consultant contract. The consultant shall keep insurance. Payment within weeks."
    good = "This document outlines a consultant contract with insurance and payment."
    assert about_faults(good, "This document", source, "en") == ()
    assert "form" in about_faults("A contract.", "This document", source, "en")
    assert "number" in about_faults("This document has 3 parts.", "This document", source, "en")
    product = "This document provides an overview of security in DB2 for offices."
    assert about_faults(product, "This document", f"{source} DB2 security offices", "en") == ()
    bad = "This document describes breast cancer treatment options."
    assert "new_words" in about_faults(bad, "This document", source, "en")
