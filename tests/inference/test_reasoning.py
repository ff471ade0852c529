"""Thoughts apart from answers."""

from pathlib import Path

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from inference.reasoning import MARKS, Mark, ThoughtSplitter, marks_of, opened
from inference.tokenizer import Tokenizer

THINK = MARKS[0]
_PIECES = st.lists(
    st.sampled_from(
        ["<think>", "</think>", "<thi", "nk>", "</", "think", ">", "a", " ", "\n", "<", "b c"]
    ),
    max_size=12,
)


def split(pieces: list[str], inside: Mark | None = None) -> tuple[str, str, ThoughtSplitter]:
    splitter = ThoughtSplitter(MARKS, inside)
    given_out = [pair for piece in pieces for pair in splitter.push(piece)]
    given_out += splitter.finish()
    thought = "".join(text for channel, text in given_out if channel == "thought")
    return thought, "".join(text for channel, text in given_out if channel == "answer"), splitter


@pytest.mark.parametrize(
    ("said", "thought", "answer"),
    [
        ("<think>\nIs it?\nYes.\n</think>\n\nIt is.", "Is it?\nYes.", "It is."),
        ("\n <think>so</think>It is.\n", "so", "It is.\n"),
        ("<think>\n\n</think>\n\nIt is.", "", "It is."),
        ("<thinking>a < b</thinking> c", "a < b", "c"),
        ("<reasoning>a</reasoning>b", "a", "b"),
        (
            "<|begin_of_thought|>\na\n<|end_of_thought|>\n\n<|begin_of_solution|>\nb",
            "a",
            "b",
        ),
        ("[THINK]a[/THINK]b", "a", "b"),
        (
            "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b",
            "a",
            "b",
        ),
        ("The page says <think>x</think>.", "", "The page says <think>x</think>."),
        ("<think>a</think>b <think>c</think>", "a", "b <think>c</think>"),
        ("<thorough> work", "", "<thorough> work"),
        ("  \n plain", "", "  \n plain"),
        ("<think>never ends ", "never ends", ""),
        ("<think>a</thi", "a</thi", ""),
        ("<thi", "", "<thi"),
        ("", "", ""),
    ],
)
@pytest.mark.parametrize("size", [1, 2, 5, 1000])
def test_a_thought_opens_where_the_answer_begins(
    said: str, thought: str, answer: str, size: int
) -> None:
    pieces = [said[begin : begin + size] for begin in range(0, len(said), size)]

    assert split(pieces)[:2] == (thought, answer)


@given(pieces=_PIECES, inside=st.sampled_from([None, THINK]))
def test_how_the_text_is_split_does_not_matter(pieces: list[str], inside: Mark | None) -> None:
    text = "".join(pieces)

    assert split(pieces, inside)[:2] == split([text], inside)[:2] == split(list(text), inside)[:2]


@given(pieces=_PIECES)
def test_without_a_mark_at_the_beginning_nothing_is_lost(pieces: list[str]) -> None:
    thought, answer, splitter = split(pieces)

    if not splitter.has_thought:
        assert (thought, answer) == ("", "".join(pieces))


def test_a_thought_that_the_prompt_opened_ends_with_its_mark() -> None:
    assert split(["I ", "see.\n</thi", "nk>\n\n", "Yes."], THINK)[:2] == ("I see.", "Yes.")
    assert split(["I see"], THINK)[:2] == ("I see", "")


@pytest.fixture
def tokenizer(tiny_model: Path) -> Tokenizer:
    return Tokenizer.load(tiny_model)


def test_marks_made_of_tokens_count_where_the_vocabulary_has_them(tiny_model: Path) -> None:
    backend = tokenizers.Tokenizer.from_file(str(tiny_model / "tokenizer.json"))
    without = {mark.opening for mark in marks_of(Tokenizer(backend, {}))}
    backend.add_special_tokens(["[THINK]", "[/THINK]"])
    having = {mark.opening for mark in marks_of(Tokenizer(backend, {}))}

    assert "<think>" in without
    assert having - without == {"[THINK]"}


def test_a_prompt_may_open_the_thought(tokenizer: Tokenizer) -> None:
    marks = marks_of(tokenizer)
    header = "<|im_start|>assistant\n"

    assert opened(tokenizer, tokenizer.encode(f"{header}<think>\n"), marks) == THINK
    assert opened(tokenizer, tokenizer.encode(f"{header}<think>\n\n</think>\n\n"), marks) is None
    assert opened(tokenizer, tokenizer.encode(header), marks) is None
