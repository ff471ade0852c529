"""SentencePiece's BPE in the terms of the `tokenizers` library.

Its files have a score for each piece and no list of merges: of all neighbors that make a piece, the
one with the best score is joined first. So the merges are every way to make a piece of two others,
the best piece first. Of two pieces with one score SentencePiece takes the first in the text, and
merges the one with the smaller ids; published vocabularies give each piece a score of its own.
"""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby
from typing import Any

from inference.errors import ModelUnsupported
from inference.gguf.metadata import Metadata

SPACE = "\N{LOWER ONE EIGHTH BLOCK}"
"""What stands for a space inside pieces."""

SCORES = "tokenizer.ggml.scores"
_BYTES = 256


def check_pieces(metadata: Metadata, tokens: AbstractSet[str], size: int) -> None:
    """Check what a vocabulary of pieces must have.

    Raises:
        ModelUnsupported: Text that no piece covers would be lost.
        ModelDamaged: There are no scores, or not as many as pieces.
    """
    if metadata.count(SCORES) != size:
        raise metadata.damaged("tokens and their scores have different counts")
    metadata.floats(SCORES)
    if not all(f"<0x{byte:02X}>" in tokens for byte in range(_BYTES)):
        raise ModelUnsupported(what="a vocabulary without bytes")


def merges(
    tokens: Sequence[str], ids: Mapping[str, int], scores: Sequence[float], usable: Sequence[bool]
) -> Iterator[tuple[int, int]]:
    """Give pairs of ids, best first: by the score of what they make, then by their own ids.

    Args:
        tokens: Pieces by id.
        ids: The other way round.
        scores: By id; the higher, the earlier.
        usable: By id; whether text can become this piece.
    """
    wanted = sorted(
        (i for i in range(len(tokens)) if usable[i] and len(tokens[i]) > 1),
        key=scores.__getitem__,
        reverse=True,
    )
    for _, group in groupby(wanted, key=scores.__getitem__):
        yield from sorted(pair for made in group for pair in _ways(tokens[made], ids))


def _ways(piece: str, ids: Mapping[str, int]) -> Iterator[tuple[int, int]]:
    find = ids.get
    for cut in range(1, len(piece)):
        left = find(piece[:cut])
        if left is not None:
            right = find(piece[cut:])
            if right is not None:
                yield left, right


def steps(*, adds_space: bool) -> dict[str, Any]:
    """Return the steps around the model, for `tokenizers`."""
    normalizer: dict[str, Any] = _replace(" ", SPACE)
    decoders = [_replace(SPACE, " "), {"type": "ByteFallback"}, {"type": "Fuse"}]
    if adds_space:
        prepend = {"type": "Prepend", "prepend": SPACE}
        normalizer = {"type": "Sequence", "normalizers": [prepend, normalizer]}
        decoders.append({"type": "Strip", "content": " ", "start": 1, "stop": 0})
        pre_tokenizer = None
    else:
        # Changes nothing, because there are no spaces left; but with none, the runtime's own
        # tokenizer would cut as GPT-2's does.
        pre_tokenizer = {
            "type": "Split",
            "pattern": {"String": " "},
            "behavior": "MergedWithPrevious",
            "invert": False,
        }
    return {
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "decoder": {"type": "Sequence", "decoders": decoders},
    }


def _replace(old: str, new: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"String": old}, "content": new}
