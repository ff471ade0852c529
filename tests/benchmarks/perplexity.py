"""Perplexity of an imported model against the very weights of its file in float32.

    python -m tests.benchmarks.perplexity FILE.gguf [--tokens N] [--german]

Imports the file as Snug does, lets the runtime score a fixed text, and computes the same with numpy
from the dequantised weights, a layer at a time: a 1.5B model takes some minutes and 4 GB of memory.
Prints both perplexities, their difference in percent, the mean Kullback-Leibler divergence of the
next token, and how often both put the same token first. `tests/inference/gguf/test_perplexity.py`
does this for the starter; the difference must stay within 0.5 %. Chance alone moves it by a quarter
of a percent on a text of this length; the divergence is the sharper measure.
"""

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from inference.gguf.importer import import_gguf
from tests.numpy_decoder import NumpyDecoder, perplexity
from tests.runtime_logits import runtime_logits

ENGLISH = Path(__file__).with_name("english.txt")
GERMAN = Path(__file__).with_name("german.txt")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two ways to score one text.

    Attributes:
        expected: Perplexity of the file's weights in float32.
        found: Perplexity of the imported model in the runtime.
        divergence: Mean Kullback-Leibler divergence of the next token, in nats.
        agreement: Share of positions at which both put the same token first.
        tokens: Length of the text.
    """

    expected: float
    found: float
    divergence: float
    agreement: float
    tokens: int

    @property
    def difference(self) -> float:
        """How far the imported model is off, as a share of the expected perplexity."""
        return abs(self.found / self.expected - 1)

    def __str__(self) -> str:
        return (
            f"{self.tokens} tokens: float32 {self.expected:.3f}, imported {self.found:.3f}"
            f" ({100 * self.difference:.2f} % off), KL {self.divergence:.4f},"
            f" same first choice {100 * self.agreement:.1f} %"
        )


def compare(source: Path, folder: Path, *, text: Path = ENGLISH, tokens: int) -> Comparison:
    """Score the start of `text` with a GGUF file and with the folder made from it."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    ids = tokenizer.encode(text.read_text("utf-8"), add_special_tokens=False).ids[:tokens]
    expected = NumpyDecoder(source).logits(ids)
    found = runtime_logits(folder, ids)
    return Comparison(
        expected=perplexity(expected, ids),
        found=perplexity(found, ids),
        divergence=mean_divergence(expected, found),
        agreement=float((expected.argmax(-1) == found.argmax(-1)).mean()),
        tokens=len(ids),
    )


def mean_divergence(expected: NDArray[np.float32], found: NDArray[np.float32]) -> float:
    """Return the mean Kullback-Leibler divergence of the next token, in nats."""
    right, tested = _log_shares(expected), _log_shares(found)
    return float((np.exp(right) * (right - tested)).sum(-1).mean())


def _log_shares(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    shifted = logits.astype(np.float64) - logits.max(-1, keepdims=True)
    shares: NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    return shares


def main() -> None:
    """Run the comparison on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("--tokens", type=int, default=1000)
    parser.add_argument("--german", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "model"
        import_gguf(arguments.source, folder)
        text = GERMAN if arguments.german else ENGLISH
        print(compare(arguments.source, folder, text=text, tokens=arguments.tokens))  # noqa: T201


if __name__ == "__main__":
    main()
