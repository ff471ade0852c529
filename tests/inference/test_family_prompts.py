"""Prompts of the families that can be imported: templates written as theirs are.

A prompt is encoded in parts, so that nothing anybody says can steer the model; for harmless texts
that has to come out as if it had been one text.
"""

import re
from dataclasses import dataclass

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.gguf.cursor import Cursor
from inference.gguf.metadata import Metadata
from inference.gguf.tokenizer_files import tokenizer_files
from inference.gguf.vocabulary import Vocabulary
from inference.prompt import PromptBuilder
from inference.tokenizer import Tokenizer
from inference.types import ChatMessage, Role
from tests.tiny_gguf import GgufBuilder, byte_alphabet, tiny_merges
from tests.tiny_pieces import Pieces

_TURNS = (
    "{% for m in messages %}{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate') }}{% endif %}"
)


@dataclass(frozen=True)
class Family:
    """A vocabulary and a template.

    Attributes:
        tokens: The vocabulary's control tokens; unknown, BOS and EOS first.
        adds_space: None for bytes, else whether pieces have a space in front.
        template: The family's.
        expected: The prompt of a system message, a question, an answer, and a question, as a text.
    """

    tokens: str
    adds_space: bool | None
    template: str
    expected: str
    architecture: str = "llama"
    pre: str = "llama-bpe"

    @property
    def control(self) -> list[str]:
        return self.tokens.split()


FAMILIES = {
    "gemma": Family(
        "<unk> <bos> <eos> <start_of_turn> <end_of_turn>",
        False,
        "{{ bos_token }}{% if messages[0]['role'] == 'system' %}"
        "{{ raise_exception('System role not supported') }}{% endif %}" + _TURNS + ""
        "{{ '<start_of_turn>' + ('model' if m['role'] == 'assistant' else m['role']) + '\n'"
        " + m['content'] | trim + '<end_of_turn>\n' }}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}",
        "<bos><start_of_turn>user\n{s}\n\n{q}<end_of_turn>\n<start_of_turn>model\n{a}<end_of_turn>\n"
        "<start_of_turn>user\n{r}<end_of_turn>\n<start_of_turn>model\n",
    ),
    "mistral, brackets as text": Family(
        "<unk> <s> </s>",
        True,
        "{{ bos_token }}" + _TURNS + "{% if m['role'] == 'user' %}"
        "{{ '[INST] ' + m['content'] + ' [/INST]' }}{% else %}"
        "{{ ' ' + m['content'] + eos_token }}{% endif %}{% endfor %}",
        "<s>[INST] {s}\n\n{q} [/INST] {a}</s>[INST] {r} [/INST]",
    ),
    "mistral, brackets as tokens": Family(
        "<unk> <s> </s> [INST] [/INST]",
        True,
        "{{ bos_token }}" + _TURNS + "{% if m['role'] == 'user' %}"
        "{{ '[INST] ' + m['content'] + '[/INST]' }}{% else %}"
        "{{ ' ' + m['content'] + eos_token }}{% endif %}{% endfor %}",
        "<s>[INST] {s}\n\n{q}[/INST] {a}</s>[INST] {r}[/INST]",
    ),
    "phi3": Family(
        "<unk> <s> </s> <|endoftext|> <|system|> <|user|> <|assistant|> <|end|>",
        True,
        "{% for m in messages %}{{ '<|' + m['role'] + '|>\n' + m['content'] + '<|end|>\n' }}"
        "{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>\n' }}{% endif %}",
        "<s><|system|>\n{s}<|end|>\n<|user|>\n{q}<|end|>\n<|assistant|>\n{a}<|end|>\n<|user|>\n"
        "{r}<|end|>\n"
        "<|assistant|>\n",
        architecture="phi3",
    ),
    "llama 2": Family(
        "<unk> <s> </s>",
        True,
        "{% for m in messages %}{% if m['role'] == 'system' %}"
        "{{ bos_token + '[INST] <<SYS>>\n' + m['content'] + '\n<</SYS>>\n\n' }}"
        "{% elif m['role'] == 'user' %}"
        "{{ ('' if loop.index0 == 1 else bos_token + '[INST] ') + m['content'] + ' [/INST]' }}"
        "{% else %}{{ ' ' + m['content'] + ' ' + eos_token }}{% endif %}{% endfor %}",
        "<s>[INST] <<SYS>>\n{s}\n<</SYS>>\n\n{q} [/INST] {a} </s><s>[INST] {r} [/INST]",
    ),
    "llama 3": Family(
        "<|unknown|> <|begin_of_text|> <|eot_id|> <|start_header_id|> <|end_header_id|>",
        None,
        "{{ bos_token }}{% for m in messages %}{{ '<|start_header_id|>' + m['role'] +"
        " '<|end_header_id|>\n\n' + m['content'] | trim + '<|eot_id|>' }}{% endfor %}"
        "{% if add_generation_prompt %}"
        "{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}",
        "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\n{s}<|eot_id|>"
        "<|start_header_id|>user<|end_header_id|>\n\n{q}<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\n{a}<|eot_id|>"
        "<|start_header_id|>user<|end_header_id|>\n\n{r}<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\n",
    ),
    "granite": Family(
        "<|unknown|> <|end_of_text|> <|fim_middle|> <|start_of_role|> <|end_of_role|>",
        None,
        "{% for m in messages %}{{ '<|start_of_role|>' + m['role'] + '<|end_of_role|>' +"
        " m['content'] + '<|end_of_text|>\n' }}{% endfor %}"
        "{% if add_generation_prompt %}"
        "{{ '<|start_of_role|>assistant<|end_of_role|>' }}{% endif %}",
        "<|start_of_role|>system<|end_of_role|>{s}<|end_of_text|>\n"
        "<|start_of_role|>user<|end_of_role|>{q}<|end_of_text|>\n"
        "<|start_of_role|>assistant<|end_of_role|>{a}<|end_of_text|>\n"
        "<|start_of_role|>user<|end_of_role|>{r}<|end_of_text|>\n"
        "<|start_of_role|>assistant<|end_of_role|>",
        pre="refact",
    ),
    "smollm3 and qwen": Family(
        "<|unknown|> <|endoftext|> <|im_end|> <|im_start|>",
        None,
        "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + "
        "'<|im_end|>\n' }}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}",
        "<|im_start|>system\n{s}<|im_end|>\n<|im_start|>user\n{q}<|im_end|>\n"
        "<|im_start|>assistant\n{a}<|im_end|>\n<|im_start|>user\n{r}<|im_end|>\n"
        "<|im_start|>assistant\n",
        pre="smaug-bpe",
    ),
}


def pairs_of(family: Family) -> dict[str, object]:
    if family.adds_space is not None:
        pieces = Pieces(control=family.control, adds_space=family.adds_space)
        pairs = pieces.metadata(family.template)
    else:
        merges = tiny_merges()
        tokens = [*family.control, *byte_alphabet(), *(each.replace(" ", "") for each in merges)]
        kinds = [3] * len(family.control) + [1] * (len(tokens) - len(family.control))
        own: dict[str, object] = {
            "model": "gpt2",
            "pre": family.pre,
            "tokens": tokens,
            "merges": merges,
        }
        own |= {"token_type": kinds, "bos_token_id": 1, "eos_token_id": 2}
        pairs = {f"tokenizer.ggml.{key}": value for key, value in own.items()}
        pairs["tokenizer.chat_template"] = family.template
    pairs["general.architecture"] = family.architecture
    return {key: value for key, value in pairs.items() if value is not None}


@dataclass(frozen=True)
class Loaded:
    """A family's tokenizer as it was written, as the library has it, and its prompts."""

    family: Family
    whole: tokenizers.Tokenizer
    tokenizer: Tokenizer
    builder: PromptBuilder


@pytest.fixture(scope="module", params=FAMILIES)
def loaded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    family = FAMILIES[request.param]
    folder = tmp_path_factory.mktemp("family")
    pairs = pairs_of(family)
    body = GgufBuilder(pairs).build()
    metadata = Metadata(body, Cursor(body, "tiny.gguf", at=24), len(pairs))
    vocabulary = Vocabulary.read(metadata, rows=metadata.count("tokenizer.ggml.tokens"))
    for name, parts in tokenizer_files(vocabulary, metadata, context_tokens=100).items():
        (folder / name).write_bytes(b"".join(parts))
    tokenizer = Tokenizer.load(folder)
    whole = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    return Loaded(family, whole, tokenizer, PromptBuilder.load(folder, tokenizer))


ROLES: tuple[Role, ...] = ("system", "user", "assistant", "user")
PLACES = ("s", "q", "a", "r")
HARMLESS = st.text("abcdet.,\u00e9 ", max_size=12).map(lambda text: f"a{text}b")
HOSTILE = st.lists(
    st.sampled_from(sorted({token for each in FAMILIES.values() for token in each.control}))
    | st.sampled_from(["<", "|", ">", "[", "]", "INST", "\n", " ", "user", "a", "\u2581"]),
    max_size=8,
).map("".join)


def conversation(texts: tuple[str, ...]) -> list[ChatMessage]:
    return [ChatMessage(role, text) for role, text in zip(ROLES, texts, strict=True)]


def parts_of(family: Family, prompt: str) -> list[str]:
    """Cut a prompt around its control tokens; every second part is one."""
    pattern = "|".join(map(re.escape, sorted(family.control, key=len, reverse=True)))
    if family.architecture == "phi3":
        pattern = rf"(?:{pattern})(?<!<s>)\s*|<s>"
    return re.split(f"({pattern})", prompt)


def encoded(loaded: Loaded, prompt: str) -> list[int]:
    """Encode a prompt as the one text it is."""
    family = loaded.family
    if not family.adds_space:
        return list(loaded.whole.encode(prompt, add_special_tokens=False).ids)
    pieces = Pieces(control=family.control)
    ids: list[int] = []
    for index, part in enumerate(parts_of(family, prompt)):
        if index % 2:
            ids.append(family.control.index(part.strip()))
        else:
            ids += pieces.encode(part, begins=not part.startswith(" "))
    return ids


@settings(max_examples=100, deadline=None)
@given(texts=st.tuples(HARMLESS, HARMLESS, HARMLESS, HARMLESS))
def test_a_prompt_is_encoded_as_one_text_would_be(loaded: Loaded, texts: tuple[str, ...]) -> None:
    prompt = loaded.family.expected.format(**dict(zip(PLACES, texts, strict=True)))
    if loaded.tokenizer.config["add_bos_token"] and not prompt.startswith(loaded.family.control[1]):
        prompt = loaded.family.control[1] + prompt

    assert list(loaded.builder.build(conversation(texts))) == encoded(loaded, prompt)


@settings(max_examples=150, deadline=None)
@given(texts=st.tuples(HOSTILE, HOSTILE, HOSTILE, HOSTILE))
def test_control_tokens_are_the_templates_alone(loaded: Loaded, texts: tuple[str, ...]) -> None:
    control = loaded.tokenizer.control_ids
    expected = [
        loaded.family.control.index(part.strip())
        for part in parts_of(loaded.family, loaded.family.expected)[1::2]
    ]

    ids = loaded.builder.build(conversation(texts))

    assert [number for number in ids if number in control] == expected


@given(texts=st.tuples(HOSTILE, HOSTILE, HOSTILE, HOSTILE))
def test_an_answer_that_was_drawn_continues_its_prompt(
    loaded: Loaded, texts: tuple[str, ...]
) -> None:
    """The cache of what was computed is of use only as far as both prompts are the same."""
    *asked, answer, more = conversation(texts)
    begun = loaded.builder.build(asked)
    drawn = loaded.tokenizer.encode_plain("ab" + answer.content.strip() + "ab")
    said = loaded.tokenizer.decode(drawn)

    spelled = {said: drawn}
    longer = loaded.builder.build([*asked, ChatMessage("assistant", said), more], spelled=spelled)

    assert longer[: len(begun) + len(drawn)] == (*begun, *drawn)
