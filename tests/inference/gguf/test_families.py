"""The imported graphs against a plain numpy forward pass, where both multiply in float32."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from inference.gguf.families.decoder import SCORED_TOKENS
from inference.gguf.families.registry import ARCHITECTURES
from inference.gguf.importer import import_gguf
from tests.benchmarks.perplexity import mean_divergence
from tests.numpy_decoder import NumpyDecoder
from tests.runtime_logits import runtime_logits
from tests.tiny_gguf import ALL_TYPES, Shape, write_tiny_gguf

pytestmark = pytest.mark.engine

TOLERANCE = 1e-3
Logits = NDArray[np.float32]
Compare = Callable[..., tuple[Logits, Logits]]
WINDOWED = {"mistral3.attention.sliding_window": 16}


@pytest.fixture
def compare(tmp_path: Path) -> Compare:
    """Write a model, import it, and return its scores by numpy and by the runtime."""

    def run(
        *,
        ids: Sequence[int],
        chunk_tokens: int = SCORED_TOKENS,
        context_tokens: int | None = None,
        **model: Any,
    ) -> tuple[Logits, Logits]:
        path = write_tiny_gguf(tmp_path / "tiny.gguf", **model)
        import_gguf(path, tmp_path / "tiny", accuracy_level=1, context_tokens=context_tokens)
        found = runtime_logits(tmp_path / "tiny", list(ids), chunk_tokens=chunk_tokens)
        return NumpyDecoder(path, context_tokens=context_tokens or 0).logits(list(ids)), found

    return run


def some_ids(count: int = 48, seed: int = 0) -> list[int]:
    return [int(each) for each in np.random.default_rng(seed).integers(3, 500, count)]


def assert_same(pair: tuple[Logits, Logits]) -> None:
    expected, found = pair
    assert expected.std() > 0.1
    assert np.abs(expected - found).max() <= TOLERANCE * expected.std()


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("seed", [1, 2])
def test_random_models_with_all_types_mixed(
    compare: Compare, architecture: str, tied: bool, seed: int
) -> None:
    assert_same(compare(ids=some_ids(seed=seed), architecture=architecture, tied=tied, seed=seed))


@pytest.mark.parametrize("kind", ALL_TYPES)
@pytest.mark.parametrize("tied", [True, False])
def test_each_type_as_embedding_output_and_body(compare: Compare, kind: str, tied: bool) -> None:
    assert_same(compare(ids=some_ids(), types=(kind,), tied=tied, shape=Shape(layers=1)))


@pytest.mark.parametrize(("heads", "kv_heads", "head_size"), [(4, 4, 64), (8, 1, 32), (4, 2, 128)])
def test_heads_of_every_grouping(
    compare: Compare, heads: int, kv_heads: int, head_size: int
) -> None:
    shape = Shape(heads=heads, kv_heads=kv_heads, head_size=head_size)

    assert_same(compare(ids=some_ids(), shape=shape))


@pytest.mark.parametrize("architecture", ["llama", "qwen2", "qwen3", "smollm3"])
def test_heads_of_which_a_part_is_rotated(compare: Compare, architecture: str) -> None:
    metadata = {f"{architecture}.rope.dimension_count": 32}

    assert_same(compare(ids=some_ids(), architecture=architecture, metadata=metadata))


def test_biases_on_rows_that_are_reordered(compare: Compare) -> None:
    assert_same(compare(ids=some_ids(), architecture="llama", biases=True))


def test_a_sliding_window(compare: Compare) -> None:
    metadata = {"llama.attention.sliding_window": 9}

    assert_same(compare(ids=some_ids(), metadata=metadata))


def test_frequency_factors_of_newer_llamas(compare: Compare) -> None:
    factors = np.linspace(1, 8, 32, dtype=np.float32)

    assert_same(compare(ids=some_ids(), tensors={"rope_freqs.weight": factors}))


@pytest.mark.parametrize("architecture", ["llama", "qwen2", "phi3"])
@pytest.mark.parametrize(
    "scaling",
    [
        {"scaling.type": "linear", "scaling.factor": 4.0},
        {"scaling.factor": 4.0},
        {"scaling.factor": 0.0},
        {"scaling.type": "none", "scaling.factor": 4.0},
        {"scale_linear": 4.0},
    ],
    ids=str,
)
def test_linear_scaling_of_positions(
    compare: Compare, architecture: str, scaling: dict[str, Any]
) -> None:
    metadata = {f"{architecture}.rope.{key}": value for key, value in scaling.items()}

    assert_same(compare(ids=some_ids(), architecture=architecture, metadata=metadata))


@pytest.mark.parametrize(
    ("architecture", "key", "value"),
    [
        ("gemma2", "attention.sliding_window_pattern", 3),
        ("gemma2", "attention.sliding_window_pattern", 1),
        ("gemma2", "attention.sliding_window_pattern", 0),
        ("gemma3", "attention.sliding_window_pattern", 4),
        ("gemma3", "rope.freq_base_swa", 50_000.0),
        ("gemma3", "final_logit_softcapping", 3.0),
        ("mistral3", "attention.sliding_window", 16),
        ("granite", "residual_scale", 0.0),
        ("phi3", "attention.sliding_window", 0),
    ],
)
def test_what_a_file_says_goes_before_what_is_usual(
    compare: Compare, architecture: str, key: str, value: object
) -> None:
    metadata = {f"{architecture}.{key}": value}

    assert_same(compare(ids=some_ids(), architecture=architecture, metadata=metadata))


@pytest.mark.parametrize(
    ("architecture", "changed"),
    [
        ("llama", {"rope.freq_base": 20_000.0}),
        ("mistral3", {"attention.sliding_window": 17}),
        ("qwen3", {"rope.freq_base": 20_000.0}),
        ("gemma2", {"attention.sliding_window": 17}),
        ("gemma2", {"attention.sliding_window_pattern": 3}),
        ("gemma2", {"attn_logit_softcapping": 0.0}),
        ("gemma2", {"final_logit_softcapping": 0.0}),
        ("gemma3", {"attention.sliding_window": 17}),
        ("gemma3", {"attention.sliding_window_pattern": 7}),
        ("gemma3", {"rope.freq_base_swa": 20_000.0}),
        ("gemma3", {"rope.scaling.type": "none"}),
        ("granite", {"embedding_scale": 1.0}),
        ("granite", {"residual_scale": 0.25}),
        ("granite", {"attention.scale": 0.125}),
        ("granite", {"logit_scale": 1.0}),
        ("smollm3", {"no_rope_every": 0}),
        ("smollm3", {"no_rope_every": 3}),
    ],
)
def test_a_wrong_setting_gives_other_scores(
    tmp_path: Path, architecture: str, changed: dict[str, Any]
) -> None:
    path = write_tiny_gguf(tmp_path / "tiny.gguf", architecture=architecture, metadata=WINDOWED)
    ids = some_ids()
    import_gguf(path, tmp_path / "tiny", accuracy_level=1)

    found = runtime_logits(tmp_path / "tiny", ids)

    assert_same((NumpyDecoder(path).logits(ids), found))
    expected = NumpyDecoder(path, changed).logits(ids)
    assert np.abs(expected - found).max() > 20 * TOLERANCE * expected.std()


def test_a_list_says_which_layers_have_the_window(compare: Compare) -> None:
    key = "gemma2.attention.sliding_window_pattern"

    assert_same(compare(ids=some_ids(), architecture="gemma2", metadata={key: [False, True, True]}))


def test_caps_and_window_of_gemma_2_where_the_file_leaves_them_out(compare: Compare) -> None:
    keys = ("attn_logit_softcapping", "final_logit_softcapping", "attention.sliding_window")
    metadata = dict.fromkeys((f"gemma2.{key}" for key in keys), None)

    assert_same(compare(ids=some_ids(), architecture="gemma2", metadata=metadata))


@pytest.mark.parametrize(("architecture", "layers"), [("gemma2", 46), ("gemma3", 62)])
def test_the_largest_gemmas_scale_attention_by_hidden_size_and_heads(
    compare: Compare, architecture: str, layers: int
) -> None:
    shape = Shape(layers=layers, hidden=64, feed_forward=64, heads=2, kv_heads=1, head_size=64)

    assert_same(compare(ids=some_ids(24), architecture=architecture, shape=shape, types=("Q8_0",)))


def test_a_granite_without_positions(compare: Compare) -> None:
    metadata = {"granite.rope.scaling.finetuned": False}

    assert_same(compare(ids=some_ids(), architecture="granite", metadata=metadata))


@pytest.mark.parametrize(("context_tokens", "which"), [(64, "short"), (65, "long")])
def test_the_context_of_the_folder_chooses_the_factors_of_phi_3(
    compare: Compare, tmp_path: Path, context_tokens: int, which: str
) -> None:
    metadata = {
        "phi3.rope.scaling.original_context_length": 64,
        "phi3.rope.scaling.type": "longrope",
        "phi3.rope.scaling.factor": 32.0,
    }
    tensors = {
        "rope_factors_short.weight": np.linspace(1, 2, 24, dtype=np.float32),
        "rope_factors_long.weight": np.linspace(2, 40, 24, dtype=np.float32),
    }

    pair = compare(
        ids=some_ids(),
        architecture="phi3",
        metadata=metadata,
        tensors=tensors,
        context_tokens=context_tokens,
    )

    assert_same(pair)
    other = NumpyDecoder(tmp_path / "tiny.gguf", context_tokens=129 - context_tokens)
    assert np.abs(other.logits(some_ids()) - pair[1]).max() > 100 * TOLERANCE


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_with_the_fast_products_a_family_predicts_the_same(
    tmp_path: Path, architecture: str
) -> None:
    path = write_tiny_gguf(tmp_path / "tiny.gguf", architecture=architecture)
    ids = some_ids()
    import_gguf(path, tmp_path / "tiny")

    found = runtime_logits(tmp_path / "tiny", ids)

    assert mean_divergence(NumpyDecoder(path).logits(ids), found) <= 0.01


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_one_call_scores_its_last_positions_and_leaves_zeros_before_them(
    compare: Compare, architecture: str
) -> None:
    ids = some_ids()

    expected, found = compare(ids=ids, chunk_tokens=len(ids), architecture=architecture)

    assert not found[:-SCORED_TOKENS].any()
    assert_same((expected[-SCORED_TOKENS:], found[-SCORED_TOKENS:]))


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_single_steps_give_what_one_call_gives(compare: Compare, architecture: str) -> None:
    assert_same(compare(ids=some_ids(20), chunk_tokens=1, architecture=architecture))


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
