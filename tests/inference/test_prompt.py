"""Prompts from ids: the template's own control tokens, and only those."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.errors import EmptyPrompt, ModelUnsupported
from inference.prompt import PromptBuilder
from inference.tokenizer import Tokenizer
from inference.types import ChatMessage, Role

_TRIMMING = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] | trim }}<|im_end|>"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
_NO_SYSTEM = (
    "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}"
    "{% for m in messages %}[{{ m['role'] }}:{{ m['content'] }}]{% endfor %}"
)

_TURNS = (
    "{% for m in messages %}"
    "{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('no') }}{% endif %}"
    "[{{ m['role'] }}:{{ m['content'] }}]{% endfor %}"
)

_roles: st.SearchStrategy[Role] = st.sampled_from(["system", "user", "assistant"])
_contents = st.one_of(
    st.text(max_size=30),
    st.lists(
        st.sampled_from(["<|im_end|>", "<|im_", "end|>", "<|im_start|>", "\n", "user", "\ue000"])
    ).map("".join),
)
conversations = st.lists(st.builds(ChatMessage, _roles, _contents), min_size=1, max_size=5)


@pytest.fixture(scope="module")
def tokenizer(tiny_model: Path) -> Tokenizer:
    return Tokenizer.load(tiny_model)


@pytest.fixture(scope="module")
def builder(tiny_model: Path, tokenizer: Tokenizer) -> PromptBuilder:
    return PromptBuilder.load(tiny_model, tokenizer)


def spell(tokenizer: Tokenizer, ids: tuple[int, ...]) -> str:
    """Return the text of ids, control tokens shown."""
    return str(tokenizer._backend.decode(list(ids), skip_special_tokens=False))


@given(messages=conversations)
def test_control_tokens_come_from_the_template_alone(
    builder: PromptBuilder, tokenizer: Tokenizer, messages: list[ChatMessage]
) -> None:
    ids = builder.build(messages)
    harmless = builder.build([ChatMessage(message.role, "a") for message in messages])

    control = [number for number in ids if number in tokenizer.control_ids]
    assert control == [number for number in harmless if number in tokenizer.control_ids]
    assert all(0 <= number < tokenizer.vocab_size for number in ids)


@given(messages=conversations)
def test_texts_come_back_whole(
    builder: PromptBuilder, tokenizer: Tokenizer, messages: list[ChatMessage]
) -> None:
    expected = "".join(f"<|im_start|>{m.role}\n{m.content}<|im_end|>\n" for m in messages)

    assert spell(tokenizer, builder.build(messages)) == f"{expected}<|im_start|>assistant\n"


@given(messages=conversations)
def test_each_message_is_a_prefix_of_the_next_prompt(
    builder: PromptBuilder, messages: list[ChatMessage]
) -> None:
    spelled: dict[str, list[int]] = {}
    begin = builder.build(messages, spelled=spelled)
    longer = builder.build([*messages, ChatMessage("assistant", "x")], spelled=spelled)

    assert longer[: len(begin)] == begin


@given(messages=conversations)
def test_a_prompt_that_goes_on_ends_with_the_last_text(
    builder: PromptBuilder, messages: list[ChatMessage]
) -> None:
    answer = ChatMessage("assistant", " so far ")
    spelled = {" so far ": [7, 7]}
    ids = builder.build([*messages, answer], spelled=spelled, continues=True)

    assert ids == (*builder.build(messages), 7, 7)


def test_what_goes_on_is_not_trimmed(tokenizer: Tokenizer) -> None:
    builder = PromptBuilder(tokenizer, _TRIMMING)
    messages = [ChatMessage("user", " q "), ChatMessage("assistant", " a ")]

    assert spell(tokenizer, builder.build(messages, continues=True)) == (
        "<|im_start|>user\nq<|im_end|><|im_start|>assistant\n a "
    )


def test_an_answer_keeps_the_ids_it_was_drawn_with(
    builder: PromptBuilder, tokenizer: Tokenizer
) -> None:
    drawn = tokenizer.encode_plain("t") + tokenizer.encode_plain("he")
    messages = [ChatMessage("user", "q"), ChatMessage("assistant", "the"), ChatMessage("user", "r")]

    ids = builder.build(messages, spelled={"the": drawn})

    assert any(list(ids[i : i + len(drawn)]) == drawn for i in range(len(ids)))


def test_a_template_that_trims_still_trims(tokenizer: Tokenizer) -> None:
    ids = PromptBuilder(tokenizer, _TRIMMING).build([ChatMessage("user", " \n hello  ")])

    assert spell(tokenizer, ids) == "<|im_start|>user\nhello<|im_end|><|im_start|>assistant\n"


def test_a_system_message_moves_into_the_question_where_none_is_known(
    tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokenizer, "token_id", lambda _content: None)  # no ChatML to fall back on
    messages = [ChatMessage("system", "be brief"), ChatMessage("user", "hello")]

    ids = PromptBuilder(tokenizer, _NO_SYSTEM).build(messages)

    assert spell(tokenizer, ids) == "[user:be brief\n\nhello]"


@pytest.mark.parametrize(
    "template",
    ["{% broken", "{{ messages.__class__.__mro__ }}", "{{ 1 / 0 }}", "a constant"],
    ids=["broken", "hostile", "failing", "without the messages"],
)
def test_chatml_stands_in_where_its_tokens_exist(
    tokenizer: Tokenizer, template: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages = [ChatMessage("user", "hello")]
    ids = PromptBuilder(tokenizer, template).build(messages)
    assert spell(tokenizer, ids) == "<|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\n"

    monkeypatch.setattr(tokenizer, "token_id", lambda _content: None)
    with pytest.raises(ModelUnsupported):
        PromptBuilder(tokenizer, template).build(messages)


def test_chatml_stands_in_for_no_template_where_its_tokens_exist(tokenizer: Tokenizer) -> None:
    builder = PromptBuilder(tokenizer, None)

    ids = builder.build([ChatMessage("user", "hello")])

    assert spell(tokenizer, ids) == "<|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\n"
    assert builder.is_instruct
    assert not builder.stops


def test_a_base_model_goes_on_with_a_plain_dialogue(
    tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokenizer, "token_id", lambda _content: None)
    builder = PromptBuilder(tokenizer, None)
    messages = [
        ChatMessage("user", "hello"),
        ChatMessage("assistant", "yes"),
        ChatMessage("user", "<|im_end|>"),
    ]

    ids = builder.build(messages)

    assert spell(tokenizer, ids) == (
        "User:\nhello\n\nAssistant:\nyes\n\nUser:\n<|im_end|>\n\nAssistant:\n"
    )
    assert tokenizer.control_ids.isdisjoint(ids)
    assert not builder.is_instruct
    assert "\n\nUser:" in builder.stops


@pytest.mark.parametrize(
    ("roles", "expected"),
    [
        ("su", "[user:0\n\n1]"),
        ("uu", "[user:0\n\n1]"),
        ("suuau", "[user:0\n\n1\n\n2][assistant:3][user:4]"),
        ("uaau", "[user:0][assistant:1\n\n2][user:3]"),
    ],
)
def test_what_a_template_refuses_is_said_in_turns(
    tokenizer: Tokenizer, roles: str, expected: str
) -> None:
    """ChatML's tokens are there, but the model's own template comes first."""
    names: dict[str, Role] = {"s": "system", "u": "user", "a": "assistant"}
    messages = [ChatMessage(names[role], str(index)) for index, role in enumerate(roles)]

    ids = PromptBuilder(tokenizer, _TURNS).build(messages)

    assert spell(tokenizer, ids) == expected


def test_marks_for_training_are_not_seen(tokenizer: Tokenizer) -> None:
    template = (
        "{% for m in messages %}{% if m['role'] == 'assistant' %}{% generation %}"
        "[{{ m['content'] }}]{% endgeneration %}{% else %}({{ m['content'] }}){% endif %}"
        "{% endfor %}"
    )
    messages = [ChatMessage("user", "q"), ChatMessage("assistant", "a"), ChatMessage("user", "r")]

    assert spell(tokenizer, PromptBuilder(tokenizer, template).build(messages)) == "(q)[a](r)"


def test_bos_stands_first_once_where_the_tokenizer_wants_it(tokenizer: Tokenizer) -> None:
    bos = tokenizer.token_id("<|im_start|>")
    wanting = Tokenizer(
        tokenizer._backend, {"add_bos_token": True, "bos_token": {"content": "<|im_start|>"}}
    )

    without = PromptBuilder(wanting, "{{ messages[0]['content'] }}")
    within = PromptBuilder(wanting, "{{ bos_token }}{{ messages[0]['content'] }}")

    for builder in (without, within):
        ids = builder.build([ChatMessage("user", "hello")])
        assert ids[0] == bos
        assert bos not in ids[1:]


def test_nothing_to_answer_is_an_empty_prompt(builder: PromptBuilder) -> None:
    with pytest.raises(EmptyPrompt):
        builder.build([])
