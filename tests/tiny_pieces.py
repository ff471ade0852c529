"""Small vocabularies of SentencePiece's kind for tests, and an encoder written by hand.

The encoder joins, as SentencePiece does, the two neighbors whose joint piece has the best score,
the first such pair of a text, until no two make a piece. It knows no merges.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

SPACE = "\u2581"
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, BYTE = 1, 2, 3, 4, 6

_LETTERS = f"{SPACE}abcdeot.'0\u00e9\u4f60"
_WORDS = (
    f"the {SPACE}the {SPACE}to ted bed abe {SPACE}a {SPACE}ab abc bcd cde dead {SPACE}dead"
    f" {SPACE * 2} {SPACE * 3} 00 000 ... {SPACE}. \u4f60\u4f60 user model {SPACE}user system"
)


@dataclass
class Pieces:
    """A vocabulary.

    Attributes:
        control: Written as they are in prompts; the first three are unknown, BOS and EOS.
        user_defined: Text that is never cut.
        adds_space: As the metadata says, or does not say.
    """

    control: Sequence[str]
    user_defined: Sequence[str] = ()
    adds_space: bool | None = None
    tokens: list[str] = field(init=False)
    kinds: list[int] = field(init=False)
    scores: list[float] = field(init=False)

    def __post_init__(self) -> None:
        letters = {*_LETTERS, *"abcdefghijklmnopqrstuvwxyz<|>[]/_INST:\n"}
        words = _WORDS.split(" ")
        begun = (word[:length] for word in words for length in range(2, len(word) + 1))
        # No piece goes on behind a space, as in the real ones.
        pairs = (
            first + second
            for first, second in product(_LETTERS, repeat=2)
            if second != SPACE or first == SPACE
        )
        # In an order of its own, so that a piece may be better than those it is made of.
        joined = sorted(dict.fromkeys([*begun, *pairs]), key=lambda piece: piece[::-1])
        parts = [
            (self.control[:1], UNKNOWN),
            (self.control[1:], CONTROL),
            (self.user_defined, USER_DEFINED),
            ([f"<0x{byte:02X}>" for byte in range(256)], BYTE),
            (joined, NORMAL),
            (sorted(letters.difference(self.user_defined)), NORMAL),
        ]
        self.tokens = [token for tokens, _ in parts for token in tokens]
        self.kinds = [kind for tokens, kind in parts for _ in tokens]
        self.scores = [
            -float(number) if kind == NORMAL else 0.0 for number, kind in enumerate(self.kinds)
        ]

    def metadata(self, template: str | None) -> dict[str, Any]:
        """Return what `write_tiny_gguf` adds to or takes from its own metadata."""
        own = {
            "model": "llama",
            "pre": "default",
            "tokens": self.tokens,
            "token_type": self.kinds,
            "scores": self.scores,
            "merges": None,
            "unknown_token_id": 0,
            "bos_token_id": 1,
            "eos_token_id": 2,
            "padding_token_id": 0,
            "add_bos_token": True,
            "add_space_prefix": self.adds_space,
        }
        pairs: dict[str, Any] = {f"tokenizer.ggml.{key}": value for key, value in own.items()}
        return {**pairs, "tokenizer.chat_template": template}

    def encode(self, text: str, *, begins: bool) -> list[int]:
        """Return the ids of a text without control tokens.

        Args:
            text: What is encoded.
            begins: A space stands in front of it, if this vocabulary puts one there.
        """
        ids: list[int] = []
        text = (SPACE if begins and text else "") + text.replace(" ", SPACE)
        own = sorted(self.user_defined, key=len, reverse=True)
        at = begin = 0
        while at < len(text):
            found = next((token for token in own if text.startswith(token, at)), None)
            if found is None:
                at += 1
                continue
            ids += [*self._merged(text[begin:at]), self.tokens.index(found)]
            at = begin = at + len(found)
        return ids + self._merged(text[begin:])

    def _merged(self, text: str) -> list[int]:
        known = {
            token: number
            for number, token in enumerate(self.tokens)
            if self.kinds[number] in (NORMAL, USER_DEFINED)
        }
        parts = list(text)
        while True:
            found = [
                (-self.scores[known[pair]], at)
                for at in range(len(parts) - 1)
                if (pair := parts[at] + parts[at + 1]) in known
            ]
            if not found:
                return [number for part in parts for number in self._ids(part, known)]
            at = min(found)[1]
            parts[at : at + 2] = [parts[at] + parts[at + 1]]

    def _ids(self, part: str, known: dict[str, int]) -> list[int]:
        if part in known:
            return [known[part]]
        return [self.tokens.index(f"<0x{byte:02X}>") for byte in part.encode()]
