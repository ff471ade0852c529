"""Text to token ids and back, with the `tokenizers` library.

Needs no native runtime, so the host and the application count alike. Two ways in: `encode` is for
text that may hold control tokens, which is the chat template's alone; `encode_plain` is for what
people and documents say, where `<|im_end|>` is nine characters like any other.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tokenizers

from inference.errors import ModelDamaged, ModelMissing, ModelUnsupported

FILE_NAME = "tokenizer.json"
CONFIG_NAME = "tokenizer_config.json"

_INCOMPLETE = "\N{REPLACEMENT CHARACTER}"


class Tokenizer:
    """A model's tokenizer; safe to use from any thread."""

    def __init__(self, backend: tokenizers.Tokenizer, config: dict[str, Any]) -> None:
        self._backend = backend
        self.config = config
        added = backend.get_added_tokens_decoder()
        # Runs of spaces are added tokens in some vocabularies, and ordinary text.
        control = {number: token for number, token in added.items() if token.content.strip()}
        self._control_ids = frozenset(control)
        self.special_ids = frozenset(number for number, token in added.items() if token.special)
        contents = sorted((token.content for token in control.values()), key=len, reverse=True)
        # A look-ahead finds occurrences that overlap.
        self._control = re.compile(
            f"(?={'|'.join(map(re.escape, contents))})" if contents else "(?!)"
        )

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

    def token_id(self, content: str) -> int | None:
        """Return the id of the token that is written exactly so, or None."""
        found = self._backend.token_to_id(content)
        return None if found is None else int(found)

    def encode(self, text: str) -> list[int]:
        """Return the ids of text whose control tokens are meant; nothing is added at either end."""
        # A batch of one, because only batches let go of the interpreter's lock: the window counts
        # its draft with this, and a long one would hold it up.
        (encoded,) = self._backend.encode_batch_fast([text], add_special_tokens=False)
        return list(encoded.ids)

    def encode_plain(self, text: str) -> list[int]:
        """Return ids that spell `text`, none of them a control token.

        The text is cut inside everything that looks like one, and the pieces are encoded apart.

        Raises:
            ModelUnsupported: A control token is a single character, which nothing can cut.
        """
        text = text.encode("utf-8", "replace").decode()
        ids: list[int] = []
        begin = 0
        for match in self._control.finditer(text):
            ids += self._encode_piece(text[begin : match.start() + 1])
            begin = match.start() + 1
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

    def _encode_piece(self, piece: str) -> list[int]:
        ids = self.encode(piece)
        if self._control_ids.isdisjoint(ids):
            return ids
        # The vocabulary's normalizer made one out of other characters.
        ids = [number for character in piece for number in self.encode(character)]
        if not self._control_ids.isdisjoint(ids):
            raise ModelUnsupported(what="a control token of one character")
        return ids


class StreamingDecoder:
    """Turns one id after the other into text and never gives half a code point away.

    What it gave, joined, is what `Tokenizer.decode` makes of all ids at once.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._window: list[int] = []
        self._given = 0  # characters of the window's text

    def push(self, token_id: int) -> str:
        """Take the next id and return what is certain now; often "" inside an emoji."""
        if token_id in self._tokenizer.special_ids:
            return ""
        self._window.append(token_id)
        text = self._tokenizer.decode(self._window)
        if text.endswith(_INCOMPLETE):
            return self._give(text[:-1])
        piece = self._give(text)
        # The last token stays as context: some decoders treat the first one of a text apart.
        self._window = [token_id]
        self._given = len(self._tokenizer.decode(self._window))
        return piece

    def finish(self) -> str:
        """Return what was held back, as it is."""
        return self._give(self._tokenizer.decode(self._window))

    def _give(self, text: str) -> str:
        piece = text[self._given :]
        self._given = max(self._given, len(text))
        return piece


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
