"""A file's tokens and what it says about them, checked against each other."""

from dataclasses import dataclass
from typing import Self

from inference.errors import ModelUnsupported
from inference.gguf.cursor import shown
from inference.gguf.metadata import Metadata
from inference.gguf.pretokenizers import Pretokenizer, pretokenizer

_PREFIX = "tokenizer.ggml"
_NORMAL, _CONTROL, _USER_DEFINED = 1, 3, 4
_END_KEYS = ("eos_token_id", "eot_token_id", "eom_token_id")
_END_TEXTS = (
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "</s>",
)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A byte-level BPE vocabulary.

    Attributes:
        tokens: By id, in the byte-level alphabet.
        merges: Pairs with a space between, best first.
        special: Ids of tokens that steer the model and are no text.
        user_defined: Ids of tokens that are text and are never cut.
        ends: Ids at which an answer ends, the file's own end token first.
    """

    tokens: list[str]
    merges: list[str]
    special: frozenset[int]
    user_defined: frozenset[int]
    pretokenizer: Pretokenizer
    bos: int | None
    adds_bos: bool
    padding: int
    unknown: int | None
    ends: tuple[int, ...]
    chat_template: str

    @classmethod
    def read(cls, metadata: Metadata, *, rows: int) -> Self:
        """Read the vocabulary of a model whose embedding has `rows` rows.

        Raises:
            ModelUnsupported: Another kind of tokenizer, or no chat template.
            ModelDamaged: Parts of it contradict each other.
        """
        model = metadata.text(f"{_PREFIX}.model")
        if model != "gpt2":
            raise ModelUnsupported(what=f"tokenizer {shown(model)}")
        way = pretokenizer(metadata.text(f"{_PREFIX}.pre", "default"))
        if "tokenizer.chat_template" not in metadata:
            raise ModelUnsupported(what="a model without a chat template")
        tokens = metadata.strings(f"{_PREFIX}.tokens")
        if not 0 < len(tokens) <= rows:
            raise metadata.damaged("vocabulary and embedding have different sizes")
        kinds = _kinds(metadata, len(tokens))
        special = frozenset(i for i, kind in enumerate(kinds) if kind == _CONTROL)
        ends = _ends(metadata, tokens, special)
        return cls(
            tokens=tokens,
            merges=_merges(metadata, tokens),
            special=special,
            user_defined=frozenset(i for i, kind in enumerate(kinds) if kind == _USER_DEFINED),
            pretokenizer=way,
            bos=_id(metadata, "bos_token_id", len(tokens)),
            adds_bos=metadata.flag(f"{_PREFIX}.add_bos_token", way.adds_bos),
            padding=_first(_id(metadata, "padding_token_id", len(tokens)), ends[0]),
            unknown=_id(metadata, "unknown_token_id", len(tokens)),
            ends=ends,
            chat_template=metadata.text("tokenizer.chat_template"),
        )


def _first(value: int | None, default: int) -> int:
    return default if value is None else value


def _kinds(metadata: Metadata, count: int) -> list[int]:
    key = f"{_PREFIX}.token_type"
    if key not in metadata:
        return [_NORMAL] * count
    if metadata.count(key) != count:
        raise metadata.damaged("tokens and their types have different counts")
    return metadata.integers(key)


def _id(metadata: Metadata, key: str, count: int) -> int | None:
    name = f"{_PREFIX}.{key}"
    if name not in metadata:
        return None
    number = metadata.integer(name)
    if not 0 <= number < count:
        raise metadata.damaged(f"{name} is no token")
    return number


def _ends(metadata: Metadata, tokens: list[str], special: frozenset[int]) -> tuple[int, ...]:
    """Files often name one end token where their templates use two: known texts count too."""
    named = [_id(metadata, key, len(tokens)) for key in _END_KEYS]
    known = sorted(i for i in special if tokens[i] in _END_TEXTS)
    ends = tuple(dict.fromkeys(i for i in [*named, *known] if i is not None))
    if not ends:
        raise ModelUnsupported(what="a model without an end token")
    return ends


def _merges(metadata: Metadata, tokens: list[str]) -> list[str]:
    merges = metadata.strings(f"{_PREFIX}.merges")
    known = set(tokens)
    for merge in merges:
        left, space, right = merge.partition(" ")
        if not space or left not in known or right not in known or left + right not in known:
            raise metadata.damaged("a merge is of tokens that are not there")
    return merges
