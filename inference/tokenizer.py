"""Text to token ids and back, with the `tokenizers` library.

Needs no native runtime, so the host and the application count alike. Two ways in: `encode` is for
text that may hold control tokens, which is the chat template's alone; `encode_plain` is for what
people and documents say, where `<|im_end|>` is nine characters like any other.

Some vocabularies of pieces put a space in front of every text, as the first word's own. A prompt is
encoded in parts, and only those at which a word begins may have it; so the library is kept from
adding it, and it is added here.
"""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import normalizers, pre_tokenizers

from inference.errors import ModelDamaged, ModelMissing, ModelUnsupported

FILE_NAME = "tokenizer.json"
CONFIG_NAME = "tokenizer_config.json"

_INCOMPLETE = "\N{REPLACEMENT CHARACTER}"


class Tokenizer:
    """A model's tokenizer; safe to use from any thread."""

    def __init__(self, backend: tokenizers.Tokenizer, config: dict[str, Any]) -> None:
        self._spaces = _take_leading_space(backend)
        self._backend = backend
        self.config = config
        added = backend.get_added_tokens_decoder()
        # Runs of spaces are added tokens in some vocabularies, and ordinary text.
        control = {number: token for number, token in added.items() if token.content.strip()}
        self._control_ids = frozenset(control)
        self.special_ids = frozenset(number for number, token in added.items() if token.special)
        self._control = _Marks(token.content for token in control.values())

    @classmethod
    def load(cls, folder: Path) -> "Tokenizer":
        """Return the tokenizer of a model folder.

        Raises:
            ModelMissing: A file of it is not there.
            ModelDamaged: A file of it cannot be read.
        """
        try:
            backend = tokenizers.Tokenizer.from_buffer((folder / FILE_NAME).read_bytes())
        except OSError as error:
            raise ModelMissing(model=folder.name) from error
        except ValueError as error:
            raise ModelDamaged(file=FILE_NAME, reason="it is not a tokenizer") from error
        backend.no_padding()
        backend.no_truncation()
        return cls(backend, _read_config(folder))

    @property
    def vocab_size(self) -> int:
        """One more than the largest id of the vocabulary, added tokens included."""
        return int(self._backend.get_vocab_size(with_added_tokens=True))

    @property
    def control_ids(self) -> frozenset[int]:
        """Every added token that is more than spaces: none of them ever comes from plain text."""
        return self._control_ids

    @property
    def front_id(self) -> int | None:
        """The id that the file itself says stands in front of every text, or None."""
        ids = self._backend.encode("", add_special_tokens=True).ids
        return int(ids[0]) if ids else None

    @property
    def adds_space(self) -> bool:
        """Whether a text has a space in front that is not in it."""
        return self._spaces != "never"

    @property
    def adds_space_again(self) -> bool:
        """Whether what stands behind a control token has one too."""
        return self._spaces == "always"

    def token_id(self, content: str) -> int | None:
        """Return the id of the token that is written exactly so, or None."""
        found = self._backend.token_to_id(content)
        return None if found is None else int(found)

    def encode(self, text: str, *, begins: bool = True) -> list[int]:
        """Return the ids of text whose control tokens are meant; nothing is added at either end.

        Args:
            text: Part of a prompt.
            begins: It stands where `adds_space` counts: at the start, or behind a control token.
        """
        if not self.adds_space:
            return self._encode(text)
        ids: list[int] = []
        for part in self._parts(text):
            if isinstance(part, int):
                ids.append(part)
                begins = self.adds_space_again
            else:
                ids += self._encode(part if part.startswith(" ") or not begins else f" {part}")
                begins = False
        return ids

    def encode_plain(self, text: str, *, begins: bool = True) -> list[int]:
        """Return ids that spell `text`, none of them a control token.

        The text is cut inside everything that looks like one, and the pieces are encoded apart.

        Args:
            text: What somebody said.
            begins: As `encode` has it.

        Raises:
            ModelUnsupported: A control token is a single character, which nothing can cut.
        """
        text = text.encode("utf-8", "replace").decode()
        if self.adds_space and begins and text:
            text = f" {text}"
        ids: list[int] = []
        begin = 0
        for start in self._control.find(text):
            ids += self._encode_piece(text[begin : start + 1])
            begin = start + 1
        return ids + self._encode_piece(text[begin:])

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of `ids`, special tokens left out."""
        return str(self._backend.decode(list(ids), skip_special_tokens=True))

    def spell(self, ids: Sequence[int]) -> str:
        """Return the text of `ids`, special tokens as they are written."""
        return str(self._backend.decode(list(ids), skip_special_tokens=False))

    def as_json(self) -> str:
        """Return the whole tokenizer as the `tokenizers` library writes it."""
        return str(self._backend.to_str())

    def _encode(self, text: str) -> list[int]:
        # A batch of one, because only batches let go of the interpreter's lock: the window counts
        # its draft with this, and a long one would hold it up.
        (encoded,) = self._backend.encode_batch_fast([text], add_special_tokens=False)
        return list(encoded.ids)

    def _parts(self, text: str) -> Iterator[int | str]:
        """Give the control tokens of a text, and what stands between them."""
        (encoded,) = self._backend.encode_batch([text], add_special_tokens=False)
        begin = 0
        for number, (start, end) in zip(encoded.ids, encoded.offsets, strict=True):
            if number in self._control_ids:
                if start > begin:
                    yield text[begin:start]
                yield number
                begin = end
        if begin < len(text):
            yield text[begin:]

    def _encode_piece(self, piece: str) -> list[int]:
        ids = self._encode(piece)
        if self._control_ids.isdisjoint(ids):
            return ids
        # The vocabulary's normalizer made one out of other characters.
        ids = [number for character in piece for number in self._encode(character)]
        if not self._control_ids.isdisjoint(ids):
            raise ModelUnsupported(what="a control token of one character")
        return ids


class _Marks:
    """Finds the texts of control tokens; vocabularies have thousands, too many for a pattern."""

    def __init__(self, contents: Iterator[str]) -> None:
        self._contents = frozenset(contents)
        self._lengths = sorted({len(each) for each in self._contents})
        firsts = {re.escape(each[0]) for each in self._contents}
        self._first = re.compile(f"[{''.join(sorted(firsts))}]" if firsts else "(?!)")

    def find(self, text: str) -> Iterator[int]:
        """Give where one begins, those that overlap others as well."""
        for match in self._first.finditer(text):
            start = match.start()
            if any(text[start : start + length] in self._contents for length in self._lengths):
                yield start


class StreamingDecoder:
    """Turns one id after the other into text and never gives half a code point away.

    What it gave, joined, is what `Tokenizer.decode` makes of all ids at once; but where a model
    writes single bytes that are no UTF-8, characters that were given already stay.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._window: list[int] = []
        self._context = 0  # ids of the window whose text was given
        self._given = 0  # characters of the window's text

    def push(self, token_id: int) -> str:
        """Take the next id and return what is certain now; often "" inside an emoji."""
        if token_id in self._tokenizer.special_ids:
            return ""
        self._window.append(token_id)
        text = self._tokenizer.decode(self._window)
        if text.endswith(_INCOMPLETE):
            return self._give(text.rstrip(_INCOMPLETE))
        piece = self._give(text)
        # What was last stays as context, because some decoders treat the first token of a text
        # apart; all bytes of a character, because the last alone would spoil those that follow.
        self._window = self._window[self._context :]
        self._context = len(self._window)
        self._given = len(self._tokenizer.decode(self._window))
        return piece

    def finish(self) -> str:
        """Return what was held back, as it is."""
        return self._give(self._tokenizer.decode(self._window))

    def _give(self, text: str) -> str:
        piece = text[self._given :]
        self._given = max(self._given, len(text))
        return piece


def _take_leading_space(backend: tokenizers.Tokenizer) -> str:
    """Keep a tokenizer from putting a space in front of texts, and say how it would have.

    Returns:
        "never", "first" (at the start), or "always" (behind control tokens as well).
    """
    normalizer, pre_tokenizer = backend.normalizer, backend.pre_tokenizer
    found = "never"
    if isinstance(normalizer, normalizers.Prepend):
        normalizer = normalizers.Sequence([normalizer])
    if isinstance(normalizer, normalizers.Sequence):
        steps = [normalizer[index] for index in range(len(normalizer))]
        kept = [step for step in steps if not isinstance(step, normalizers.Prepend)]
        if len(kept) < len(steps):
            backend.normalizer = normalizers.Sequence(kept)
            found = "always"
    if isinstance(pre_tokenizer, pre_tokenizers.Metaspace):
        found = found if found == "always" else str(pre_tokenizer.prepend_scheme)
        pre_tokenizer.prepend_scheme = "never"
        backend.pre_tokenizer = pre_tokenizer
    return found


def _read_config(folder: Path) -> dict[str, Any]:
    try:
        config = json.loads((folder / CONFIG_NAME).read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ModelDamaged(file=CONFIG_NAME, reason="it is not JSON") from error
    if not isinstance(config, dict):
        raise ModelDamaged(file=CONFIG_NAME, reason="it is not an object")
    return config
