"""The imported graphs against a plain numpy forward pass, where both multiply in float32."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from inference.gguf.families.decoder import SCORED_TOKENS
from inference.gguf.importer import import_gguf
from tests.benchmarks.perplexity import mean_divergence
from tests.numpy_decoder import NumpyDecoder
from tests.runtime_logits import runtime_logits
from tests.tiny_gguf import ALL_TYPES, Shape, write_tiny_gguf

pytestmark = pytest.mark.engine

TOLERANCE = 1e-3
Logits = NDArray[np.float32]
Compare = Callable[..., tuple[Logits, Logits]]


@pytest.fixture
def compare(tmp_path: Path) -> Compare:
    """Write a model, import it, and return its scores by numpy and by the runtime."""

    def run(
        *, ids: Sequence[int], chunk_tokens: int = SCORED_TOKENS, **model: Any
    ) -> tuple[Logits, Logits]:
        path = write_tiny_gguf(tmp_path / "tiny.gguf", **model)
        import_gguf(path, tmp_path / "tiny", accuracy_level=1)
        found = runtime_logits(tmp_path / "tiny", list(ids), chunk_tokens=chunk_tokens)
        return NumpyDecoder(path).logits(list(ids)), found

    return run


def some_ids(count: int = 48, seed: int = 0) -> list[int]:
    return [int(each) for each in np.random.default_rng(seed).integers(3, 500, count)]


def assert_same(pair: tuple[Logits, Logits]) -> None:
    expected, found = pair
    assert expected.std() > 0.1
    assert np.abs(expected - found).max() <= TOLERANCE * expected.std()


@pytest.mark.parametrize("architecture", ["llama", "qwen2"])
@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_random_models_with_all_types_mixed(
    compare: Compare, architecture: str, tied: bool, seed: int
) -> None:
    assert_same(compare(ids=some_ids(seed=seed), architecture=architecture, tied=tied, seed=seed))


@pytest.mark.parametrize("kind", ALL_TYPES)
def test_each_type_as_embedding_tied_output_and_body(compare: Compare, kind: str) -> None:
    assert_same(compare(ids=some_ids(), types=(kind,), shape=Shape(layers=1)))


@pytest.mark.parametrize(("heads", "kv_heads", "head_size"), [(4, 4, 64), (8, 1, 32), (4, 2, 128)])
def test_heads_of_every_grouping(
    compare: Compare, heads: int, kv_heads: int, head_size: int
) -> None:
    shape = Shape(heads=heads, kv_heads=kv_heads, head_size=head_size)

    assert_same(compare(ids=some_ids(), shape=shape))


def test_biases_on_rows_that_are_reordered(compare: Compare) -> None:
    assert_same(compare(ids=some_ids(), architecture="llama", biases=True))


def test_a_sliding_window(compare: Compare) -> None:
    metadata = {"llama.attention.sliding_window": 9}

    assert_same(compare(ids=some_ids(), metadata=metadata))


def test_frequency_factors_of_newer_llamas(compare: Compare) -> None:
    factors = np.linspace(1, 8, 32, dtype=np.float32)

    assert_same(compare(ids=some_ids(), tensors={"rope_freqs.weight": factors}))


@pytest.mark.parametrize("architecture", ["llama", "qwen2"])
def test_linear_scaling_of_positions(compare: Compare, architecture: str) -> None:
    scaling = {"type": "linear", "factor": 4.0}
    metadata = {f"{architecture}.rope.scaling.{key}": value for key, value in scaling.items()}

    assert_same(compare(ids=some_ids(), architecture=architecture, metadata=metadata))


def test_the_comparison_would_notice_a_wrong_setting(compare: Compare, tmp_path: Path) -> None:
    _, found = compare(ids=some_ids(), metadata={"llama.rope.freq_base": 10_000.0})
    expected, _ = compare(ids=some_ids(), metadata={"llama.rope.freq_base": 20_000.0})

    assert np.abs(expected - found).max() > 100 * TOLERANCE * expected.std()


def test_one_call_scores_its_last_positions_and_leaves_zeros_before_them(compare: Compare) -> None:
    ids = some_ids()

    expected, found = compare(ids=ids, chunk_tokens=len(ids))

    assert not found[:-SCORED_TOKENS].any()
    assert_same((expected[-SCORED_TOKENS:], found[-SCORED_TOKENS:]))


def test_single_steps_give_what_one_call_gives(compare: Compare) -> None:
    assert_same(compare(ids=some_ids(20), chunk_tokens=1))


@pytest.mark.parametrize("kind", ["Q4_1", "Q4_K", "Q5_1", "Q5_K"])
def test_the_fast_form_of_minimums_predicts_what_the_exact_one_does(
    tmp_path: Path, kind: str
) -> None:
    shape = Shape(layers=1, hidden=1024, feed_forward=2048, heads=16, kv_heads=8)
    path = write_tiny_gguf(tmp_path / "tiny.gguf", types=(kind,), shape=shape)
    ids = some_ids()

    report = import_gguf(path, tmp_path / "fast")
    exact = import_gguf(path, tmp_path / "exact", accuracy_level=1)

    assert report.folder_bytes < exact.folder_bytes
    fast = runtime_logits(tmp_path / "fast", ids)
    assert mean_divergence(NumpyDecoder(path).logits(ids), fast) <= 0.01
