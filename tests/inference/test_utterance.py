"""What drawn tokens say, and which ids spell it again."""

from pathlib import Path

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from inference.reasoning import MARKS, marks_of
from inference.tokenizer import Tokenizer
from inference.types import Channel
from inference.utterance import Begun, Utterance

_TEXTS = st.text(st.sampled_from("ab ü😀\n<>think/日"), max_size=24)


@pytest.fixture(scope="module")
def tokenizer(tiny_model: Path) -> Tokenizer:
    return Tokenizer.load(tiny_model)


class Heard:
    def __init__(self) -> None:
        self.text: dict[Channel, str] = {"answer": "", "thought": ""}

    def say(self, channel: Channel, text: str) -> None:
        assert text
        self.text[channel] += text


def speak(utterance: Utterance, ids: list[int], *, is_whole: bool = True) -> int:
    """Push ids until a stop string is reached; return how many were taken."""
    for count, token_id in enumerate(ids, 1):
        if utterance.push(token_id):
            utterance.finish(is_whole=True)
            return count
    utterance.finish(is_whole=is_whole)
    return len(ids)


@given(text=_TEXTS, stop=_TEXTS.filter(bool))
def test_ids_spell_what_was_said_before_a_stop_string(
    tokenizer: Tokenizer, text: str, stop: str
) -> None:
    heard = Heard()
    utterance = Utterance(tokenizer, heard.say, stop=[stop])
    speak(utterance, tokenizer.encode_plain(text + stop + text))

    said = heard.text["answer"]
    assert said == (text + stop + text)[: (text + stop + text).index(stop)]
    spelling = utterance.spelling()
    assert (spelling is None) == (not said)
    if spelling is not None:
        assert spelling[0] == said
        assert tokenizer.decode(spelling[1]) == said


@given(text=_TEXTS, cut=st.integers(0, 40))
def test_an_answer_that_is_cut_goes_on_where_it_was(
    tokenizer: Tokenizer, text: str, cut: int
) -> None:
    ids = tokenizer.encode_plain(text)
    first, second = Heard(), Heard()
    begin = Utterance(tokenizer, first.say)
    speak(begin, ids[:cut], is_whole=False)
    begun = Begun(first.text["answer"], ids[:cut])
    end = Utterance(tokenizer, second.say, marks=MARKS, begun=begun)
    speak(end, ids[cut:])

    assert "\N{REPLACEMENT CHARACTER}" not in first.text["answer"]
    assert first.text["answer"] + second.text["answer"] == text
    if ids[cut:]:
        assert end.spelling() == (text, ids)


def test_after_a_thought_the_answer_alone_is_said_and_nothing_is_kept(
    tokenizer: Tokenizer,
) -> None:
    heard = Heard()
    utterance = Utterance(tokenizer, heard.say, marks=MARKS, stop=["4"])
    thought = tokenizer.encode_plain("<think>\n2 + 2 is 4.\n</think>")
    speak(utterance, thought + tokenizer.encode_plain("\n\nIt is four, 4."))

    assert heard.text == {"thought": "2 + 2 is 4.", "answer": "It is four, "}
    assert utterance.thought_tokens == len(thought)
    assert utterance.thought_s > 0
    assert utterance.spelling() is None


def test_an_answer_without_a_thought_counts_none(tokenizer: Tokenizer) -> None:
    heard = Heard()
    utterance = Utterance(tokenizer, heard.say, marks=MARKS)
    ids = tokenizer.encode_plain(" \n<b> & <think>")
    speak(utterance, ids)

    assert heard.text == {"thought": "", "answer": " \n<b> & <think>"}
    assert (utterance.thought_tokens, utterance.thought_s) == (0, 0.0)
    assert utterance.spelling() == (" \n<b> & <think>", ids)


def test_marks_that_are_control_tokens_are_seen_where_a_thought_may_be(tiny_model: Path) -> None:
    backend = tokenizers.Tokenizer.from_file(str(tiny_model / "tokenizer.json"))
    backend.add_special_tokens(["[THINK]", "[/THINK]"])
    tokenizer = Tokenizer(backend, {})
    heard = Heard()
    utterance = Utterance(tokenizer, heard.say, marks=marks_of(tokenizer))
    speak(utterance, tokenizer.encode("[THINK]hm[/THINK] yes[THINK]"))

    assert heard.text == {"thought": "hm", "answer": "yes"}
