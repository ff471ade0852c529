"""Answers that follow a JSON Schema: which tokens may come next is llguidance's to say.

The library gets the vocabulary and the schema as texts; it opens no file and no connection.
"""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from inference.errors import SchemaUnsupported
from inference.tokenizer import Tokenizer

if TYPE_CHECKING:
    import llguidance
    from llguidance._lib import JsonCompileOptions

# One way to put spaces, or a small model goes on with them for ever.
_FORM: "JsonCompileOptions" = {
    "whitespace_flexible": False,
    "item_separator": ", ",
    "key_separator": ": ",
}
_SILENT = 0


class Grammars:
    """Makes guides for one model; what the vocabulary costs is paid with the first.

    Args:
        vocab_size: As many logits as there are.
        eos_ids: What the model ends an answer with.
    """

    def __init__(self, tokenizer: Tokenizer, *, vocab_size: int, eos_ids: frozenset[int]) -> None:
        self._tokenizer = tokenizer
        self._vocab_size = vocab_size
        self._eos_ids = sorted(eos_ids)
        self._vocabulary: llguidance.LLTokenizer | None = None

    def guide(self, schema: str, begun: Sequence[int] = ()) -> "Guide":
        """Return what leads one answer.

        Args:
            schema: JSON Schema, as JSON text.
            begun: Ids of the answer that are there already.

        Raises:
            SchemaUnsupported: It is no schema, cannot be met or holds what cannot be followed; or
                `begun` does not follow it.
        """
        import llguidance  # noqa: PLC0415 - 80 ms that every start of the host would pay

        try:
            json.loads(schema)
            grammar = llguidance.LLMatcher.grammar_from_json_schema(schema, overrides=_FORM)
        except ValueError as error:
            raise SchemaUnsupported(reason="it is not JSON") from error
        if self._vocabulary is None:
            self._vocabulary = self._make_vocabulary()
        matcher = llguidance.LLMatcher(self._vocabulary, grammar, log_level=_SILENT)
        if matcher.is_error():
            raise SchemaUnsupported(reason=_first_line(matcher.get_error()))
        if begun and not matcher.consume_tokens(list(begun)):
            raise SchemaUnsupported(reason="the answer so far does not follow it")
        return Guide(matcher)

    def _make_vocabulary(self) -> "llguidance.LLTokenizer":
        import llguidance  # noqa: PLC0415 - as above

        return llguidance.LLTokenizer(
            self._tokenizer.as_json(),
            n_vocab=self._vocab_size,
            eos_token=self._eos_ids,
            slices=llguidance.LLTokenizer.json_slices(),
        )


class Guide:
    """Follows one answer through its grammar."""

    def __init__(self, matcher: "llguidance.LLMatcher") -> None:
        self._matcher = matcher

    @property
    def is_complete(self) -> bool:
        """Whether nothing but the end can follow."""
        return bool(self._matcher.is_stopped())

    def allowed(self) -> NDArray[np.bool_]:
        """Return bool[vocabulary]: what may come next, an end token among it where it may end."""
        bits = np.frombuffer(self._matcher.compute_bitmask(), np.uint8)
        return np.unpackbits(bits, bitorder="little").view(np.bool_)

    def forced(self) -> list[int]:
        """Return the tokens that must come next; often none."""
        return list(self._matcher.compute_ff_tokens())

    def push(self, token_id: int) -> None:
        """Take the next token of the answer, which `allowed` holds."""
        if not self._matcher.consume_token(token_id):
            raise SchemaUnsupported(reason=_first_line(self._matcher.get_error()))


def _first_line(message: str) -> str:
    return message.partition("\n")[0][:200]
