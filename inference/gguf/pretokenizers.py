"""How a text is cut before byte pairs are merged, by the name that a GGUF file gives.

The patterns are the published ones of each family; the `tokenizers` library runs them.
"""

from dataclasses import dataclass
from typing import Any

from inference.errors import ModelUnsupported
from inference.gguf.cursor import shown

Step = dict[str, Any]

_CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_WORDS = _CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+"
_REST = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


@dataclass(frozen=True, slots=True)
class Pretokenizer:
    """One way to cut.

    Attributes:
        steps: For `tokenizers`, in order; the last one maps bytes to printable characters.
        ignores_merges: A piece that is a token as a whole is taken as that token.
        adds_bos: Sequences start with BOS where the file does not say.
    """

    steps: tuple[Step, ...]
    ignores_merges: bool = False
    adds_bos: bool = False


def byte_level(*, splits: bool) -> Step:
    """Return the step that maps bytes to characters; with GPT-2's own splitting or without."""
    return {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": splits,
    }


def _split(pattern: str) -> Step:
    return {
        "type": "Split",
        "pattern": {"Regex": pattern},
        "behavior": "Isolated",
        "invert": False,
    }


_GPT2 = Pretokenizer((byte_level(splits=True),))
_SMOLLM = Pretokenizer(
    ({"type": "Digits", "individual_digits": True}, byte_level(splits=True)),
)
_LLAMA3 = Pretokenizer(
    (_split(_WORDS + r"|\p{N}{1,3}|" + _REST), byte_level(splits=False)),
    ignores_merges=True,
    adds_bos=True,
)
_QWEN2 = Pretokenizer(
    (_split(_WORDS + r"|\p{N}|" + _REST), byte_level(splits=False)),
)

_BY_NAME = {
    "gpt-2": _GPT2,
    "smollm": _SMOLLM,
    "llama-bpe": _LLAMA3,
    "llama3": _LLAMA3,
    "llama-v3": _LLAMA3,
    "qwen2": _QWEN2,
    "deepseek-r1-qwen": _QWEN2,
}


def pretokenizer(name: str) -> Pretokenizer:
    """Return what `tokenizer.ggml.pre` calls `name`.

    Raises:
        ModelUnsupported: Nobody here knows it; any guess would make other tokens of the same text.
    """
    found = _BY_NAME.get(name)
    if found is None:
        raise ModelUnsupported(what=f"pre-tokenizer {shown(name)}")
    return found
