"""A file's tokens and what it says about them, checked against each other.

A vocabulary of 260,000 tokens takes tens of megabytes as Python objects, so what is kept is what
the runtime must know; the tokens themselves are read again when the tokenizer is written.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Self

from inference.errors import ModelUnsupported
from inference.gguf.cursor import shown
from inference.gguf.metadata import Metadata
from inference.gguf.pretokenizers import Pretokenizer, pretokenizer
from inference.gguf.sentencepiece import check_pieces

_PREFIX = "tokenizer.ggml"
_NORMAL, _CONTROL, _USER_DEFINED = 1, 3, 4
_END_KEYS = ("eos_token_id", "eot_token_id", "eom_token_id")
# Files often name one end token where their templates use two. These are ends whatever kind the
# file says they have; `</s>` is text in vocabularies that know HTML.
_END_TEXTS = frozenset(
    {
        "<|im_end|>",
        "<|eot_id|>",
        "<|eom_id|>",
        "<|end|>",
        "<end_of_turn>",
        "<|endoftext|>",
        "<|end_of_text|>",
        "<end_of_utterance>",
    }
)
_END_TEXTS_IF_CONTROL = frozenset({"</s>", "<eos>"})

Kind = Literal["byte-level", "sentencepiece"]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a BPE vocabulary is, without its tokens.

    Attributes:
        kind: Of bytes in the byte-level alphabet with a list of merges, or of pieces with scores.
        size: How many tokens there are.
        texts: Tokens by id: those that are special or user-defined, and those named below.
        special: Ids of tokens that steer the model and are no text.
        user_defined: Ids of tokens that are text and are never cut.
        pretokenizer: How text is cut before bytes are merged; None for pieces.
        adds_space: A space stands in front of a text, as the first word's own.
        eats_space: Ids of special tokens that take the white space behind them along.
        ends: Ids at which an answer ends, the file's own end token first.
        chat_template: None for a base model.
    """

    kind: Kind
    size: int
    texts: dict[int, str]
    special: frozenset[int]
    user_defined: frozenset[int]
    pretokenizer: Pretokenizer | None
    adds_space: bool
    eats_space: frozenset[int]
    bos: int | None
    adds_bos: bool
    padding: int
    unknown: int | None
    ends: tuple[int, ...]
    chat_template: str | None

    @classmethod
    def read(cls, metadata: Metadata, *, rows: int) -> Self:
        """Read the vocabulary of a model whose embedding has `rows` rows.

        Raises:
            ModelUnsupported: Another kind of tokenizer.
            ModelDamaged: Parts of it contradict each other.
        """
        kind, way = _kind(metadata)
        tokens = list(each_token(metadata))
        if not 0 < len(tokens) <= rows:
            raise metadata.damaged("vocabulary and embedding have different sizes")
        named = {name: _id(metadata, name, len(tokens)) for name in _ID_KEYS}
        kinds = _kinds(metadata, len(tokens))
        ends = _ends(tokens, kinds, named)
        special = frozenset(i for i, each in enumerate(kinds) if each == _CONTROL)
        special |= {i for i in (*ends, *named.values()) if i is not None and _is_mark(tokens[i])}
        user_defined = frozenset(i for i, each in enumerate(kinds) if each == _USER_DEFINED)
        _check(metadata, kind, tokens, kinds)
        kept = {*special, *user_defined, *ends, *(i for i in named.values() if i is not None)}
        bos, padding = named["bos_token_id"], named["padding_token_id"]
        adds_bos = True if way is None else way.adds_bos
        return cls(
            kind=kind,
            size=len(tokens),
            texts={i: tokens[i] for i in sorted(kept)},
            special=special,
            user_defined=user_defined - special,
            pretokenizer=way,
            adds_space=way is None and metadata.flag(f"{_PREFIX}.add_space_prefix", True),
            eats_space=_eaters(metadata, kind, tokens, special),
            bos=bos,
            adds_bos=metadata.flag(f"{_PREFIX}.add_bos_token", adds_bos),
            padding=ends[0] if padding is None else padding,
            unknown=_unknown(kind, named["unknown_token_id"]),
            ends=ends,
            chat_template=_template(metadata),
        )

    def text(self, token: int | None) -> str | None:
        """Return a special, user-defined or named token as it is written."""
        return None if token is None else self.texts[token]


_ID_KEYS = (*_END_KEYS, "bos_token_id", "padding_token_id", "unknown_token_id")


def each_token(metadata: Metadata) -> Iterator[str]:
    """Give the tokens by id; one without a text gets a name, as there may be only one of each."""
    for number, token in enumerate(metadata.each_string(f"{_PREFIX}.tokens")):
        yield token or f"[EMPTY_{number}]"


def each_merge(metadata: Metadata) -> Iterator[str]:
    """Give the merges of a byte-level vocabulary, two tokens with a space between, best first."""
    return metadata.each_string(f"{_PREFIX}.merges")


def mergeable(metadata: Metadata, size: int) -> list[bool]:
    """Say of each token whether text can become it, as opposed to being steered by it."""
    return [kind in (_NORMAL, _USER_DEFINED) for kind in _kinds(metadata, size)]


def _kind(metadata: Metadata) -> tuple[Kind, Pretokenizer | None]:
    model = metadata.text(f"{_PREFIX}.model")
    if model == "llama":
        return "sentencepiece", None
    if model == "gpt2":
        return "byte-level", pretokenizer(metadata.text(f"{_PREFIX}.pre", "default"))
    raise ModelUnsupported(what=f"tokenizer {shown(model)}")


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


def _unknown(kind: Kind, named: int | None) -> int | None:
    return 0 if kind == "sentencepiece" and named is None else named


def _ends(tokens: list[str], kinds: list[int], named: dict[str, int | None]) -> tuple[int, ...]:
    known = [
        i
        for i, token in enumerate(tokens)
        if token in _END_TEXTS or (token in _END_TEXTS_IF_CONTROL and kinds[i] == _CONTROL)
    ]
    ends = tuple(dict.fromkeys(i for i in [*map(named.get, _END_KEYS), *known] if i is not None))
    if not ends:
        raise ModelUnsupported(what="a model without an end token")
    return ends


def _is_mark(token: str) -> bool:
    """Say whether a token looks like one that steers: some files say that it is normal text."""
    return token.startswith("<") and token.endswith(">")


def _eaters(
    metadata: Metadata, kind: Kind, tokens: list[str], special: frozenset[int]
) -> frozenset[int]:
    """Phi-3's tokenizer drops the lines that its templates write behind `<|user|>` and the like."""
    if kind != "sentencepiece" or metadata.text("general.architecture", "") != "phi3":
        return frozenset()
    return frozenset(
        i for i in special if tokens[i].startswith("<|") and tokens[i] != "<|endoftext|>"
    )


def _template(metadata: Metadata) -> str | None:
    key = "tokenizer.chat_template"
    return metadata.text(key) if key in metadata else None


def _check(metadata: Metadata, kind: Kind, tokens: list[str], kinds: list[int]) -> None:
    known = set(tokens)
    if len(known) != len(tokens):
        raise metadata.damaged("a token is there twice")
    if kind == "sentencepiece":
        check_pieces(metadata, known, len(kinds))
        return
    for merge in each_merge(metadata):
        left, space, right = merge.partition(" ")
        if not space or left not in known or right not in known or left + right not in known:
            raise metadata.damaged("a merge is of tokens that are not there")
