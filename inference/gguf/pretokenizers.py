"""How a text is cut before byte pairs are merged, by the name that a GGUF file gives.

The patterns are the published ones of each family, and which names share one is as llama.cpp has it
(`src/llama-vocab.cpp`); the `tokenizers` library runs them.
"""

from dataclasses import dataclass
from typing import Any

from inference.errors import ModelUnsupported
from inference.gguf.cursor import shown

Step = dict[str, Any]

_CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_WORDS = _CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+"
_SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_REST = r" ?[^\s\p{L}\p{N}]+[\r\n]*|" + _SPACES
_GPT2_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
# Words that change case inside are cut: capitals, then small letters.
_CAPITALS, _SMALL = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_CASED_REST = r" ?[^\s\p{L}\p{N}]+[\r\n/]*|" + _SPACES

# DeepSeek's letters with two cases, marks, and scripts of East Asia, as first and last code points:
# written as characters, an editor that normalizes text would change them.
_DEEPSEEK_LETTERS = (
    "41-5A 61-7A B5 C0-D6 D8-F6 F8-1BA 1BC-1BF 1C4-293 295-2AF 370-373 376 377 37B-37D 37F 386 "
    "388-38A 38C 38E-3A1 3A3-3F5 3F7-481 48A-52F 531-556 10A0-10C5 13A0-13F5 13F8-13FD 1C90-1CBA "
    "1CBD-1CBF 1D00-1D2B 1D6B-1D77 1D79-1D9A 1E00-1F15 1F18-1F1D 1F20-1F45 1F48-1F4D 1F50-1F57 "
    "1F59 1F5B 1F5D 1F5F-1F7D 1F80-1FB4 1FB6-1FBC 1FBE 1FC2-1FC4 1FC6-1FCC 1FD0-1FD3 1FD6-1FDB "
    "1FE0-1FEC 1FF2-1FF4 1FF6-1FFC 2102 2107 210A-2113 2115 2119-211D 2124 2126 2128 212A-212D "
    "212F-2134 2139 213C-213F 2145-2149 214E 2183 2184 2C00-2C7B 2C7E-2CE4 2CEB-2CEE 2CF2 2CF3 "
    "A640-A66D A680-A69B A722-A76F A771-A787 A78B-A78E AB70-ABBF FB00-FB06 FB13-FB17 FF21-FF3A "
    "FF41-FF5A 10400-1044F 104B0-104D3 104D8-104FB 10C80-10CB2 10CC0-10CF2 118A0-118DF 1E900-1E943"
)
_DEEPSEEK_MARKS = "21-2F 3A-7E FF01-FF0F FF1A-FF5E 2018-201F 3000-3002"
_DEEPSEEK_EAST = "800-9FA5 AC00-D7FF"


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


def _splits(*patterns: str) -> tuple[Step, ...]:
    steps = [
        {"type": "Split", "pattern": {"Regex": each}, "behavior": "Isolated", "invert": False}
        for each in patterns
    ]
    return (*steps, byte_level(splits=False))


def _cased(contractions: str) -> str:
    start = r"[^\r\n\p{L}\p{N}]?"
    return f"{start}{_CAPITALS}*{_SMALL}+{contractions}|{start}{_CAPITALS}+{_SMALL}*{contractions}|"


def _class(code_points: str) -> str:
    r"""Return a character class; `Regex` of `tokenizers` knows `\x{41}`."""
    ranges = (part.split("-") for part in code_points.split())
    return "[" + "".join("-".join(rf"\x{{{end}}}" for end in ends) for ends in ranges) + "]"


_GPT2 = Pretokenizer((byte_level(splits=True),))
_SMOLLM = Pretokenizer(
    ({"type": "Digits", "individual_digits": True}, byte_level(splits=True)),
)
_THREE_DIGITS = _splits(_WORDS + r"|\p{N}{1,3}|" + _REST)
_LLAMA3 = Pretokenizer(_THREE_DIGITS, ignores_merges=True, adds_bos=True)
_DBRX = Pretokenizer(_THREE_DIGITS)
_QWEN2 = Pretokenizer(_splits(_WORDS + r"|\p{N}|" + _REST))
_TEKKEN = Pretokenizer(
    _splits(_cased("") + r"\p{N}|" + _CASED_REST), ignores_merges=True, adds_bos=True
)
_GPT4O = Pretokenizer(_splits(_cased(f"{_CONTRACTIONS}?") + r"\p{N}{1,3}|" + _CASED_REST))
_DEFAULT = Pretokenizer(
    _splits(r"[\p{P}\$\+<=>\^~\|]+", _GPT2_PATTERN, r"\p{N}+", r"[0-9][0-9][0-9]")
)
_DEEPSEEK = Pretokenizer(
    _splits(
        r"[\r\n]",
        rf"\s?{_class(_DEEPSEEK_LETTERS)}+",
        rf"\s?{_class(_DEEPSEEK_MARKS)}+",
        r"\s+$",
        rf"{_class(_DEEPSEEK_EAST)}+",
        r"\p{N}+",
    )
)

_BY_NAME = {
    **dict.fromkeys(("gpt-2", "phi-2", "olmo", "mpt", "jais", "trillion", "exaone4"), _GPT2),
    **dict.fromkeys(("gigachat", "a.x-4.0", "mellum", "granite-docling"), _GPT2),
    # Granite's files of generation 3 say refact.
    **dict.fromkeys(("smollm", "starcoder", "refact", "command-r", "codeshell"), _SMOLLM),
    **dict.fromkeys(("exaone", "minerva-7b"), _SMOLLM),
    **dict.fromkeys(("llama-bpe", "llama3", "llama-v3", "falcon3", "pixtral"), _LLAMA3),
    # Phi-4 and Granite 4 say dbrx, SmolLM3 says smaug-bpe.
    **dict.fromkeys(("dbrx", "smaug-bpe"), _DBRX),
    **dict.fromkeys(("qwen2", "deepseek-r1-qwen", "stablelm2", "hunyuan", "megrez"), _QWEN2),
    "tekken": _TEKKEN,
    **dict.fromkeys(("gpt-4o", "llama4"), _GPT4O),
    "default": _DEFAULT,
    "deepseek-llm": _DEEPSEEK,
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
