import shutil
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inference.errors import ModelDamaged, ModelUnsupported
from inference.gguf.families.registry import ARCHITECTURES
from inference.gguf.importer import describe, import_gguf
from tests.tiny_gguf import GgufBuilder, Shape, write_tiny_gguf

SMALL = Shape(layers=1)
HEAD_BYTES = 12_000  # the metadata without most of the vocabulary, which is as long again
SETTINGS = (
    "attention.causal",
    "attention.key_length",
    "attention.scale",
    "attention.sliding_window",
    "attention.sliding_window_pattern",
    "attn_logit_softcapping",
    "embedding_scale",
    "final_logit_softcapping",
    "logit_scale",
    "residual_scale",
    "rope.dimension_count",
    "rope.freq_base",
    "rope.freq_base_swa",
    "rope.scale_linear",
    "rope.scaling.attn_factor",
    "rope.scaling.factor",
    "rope.scaling.finetuned",
    "rope.scaling.original_context_length",
    "rope.scaling.type",
)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("good") / "good.gguf"
    return write_tiny_gguf(path, shape=SMALL, seed=3).read_bytes()


def refuse(path: Path, body: bytes, reason: str) -> None:
    path.write_bytes(body)
    with pytest.raises(ModelDamaged) as caught:
        import_gguf(path, path.with_name("model"))
    assert reason in str(caught.value.facts["reason"])
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def pair(key: str, kind: int, value: bytes) -> bytes:
    name = key.encode()
    return struct.pack("<Q", len(name)) + name + struct.pack("<I", kind) + value


def head(*, tensors: int = 0, pairs: int = 0, version: int = 3) -> bytes:
    return struct.pack("<4sIQQ", b"GGUF", version, tensors, pairs)


def string(text: bytes) -> bytes:
    return struct.pack("<Q", len(text)) + text


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "empty"),
        (b"GGUF", "too early"),
        (b"PK\x03\x04" + bytes(40), "not a GGUF"),
        (struct.pack(">4sIQQ", b"GGUF", 3, 0, 0), "big-endian"),
        (head(version=1), "version 1"),
        (head(pairs=2**63), "too many"),
        (head(tensors=2**63), "too many"),
        (head(pairs=1), "too early"),
        (head(pairs=1) + struct.pack("<Q", 2**60), "too long"),
        (head(pairs=1) + string(b"\xff\xfe") + bytes(12), "UTF-8"),
        (head(pairs=1) + pair("a", 99, b""), "unknown type"),
        (head(pairs=1) + pair("a", 8, struct.pack("<Q", 2**40)), "too long"),
        (head(pairs=1) + pair("a", 9, struct.pack("<IQ", 4, 2**62)), "too early"),
        (head(pairs=1) + pair("a", 9, struct.pack("<IQ", 8, 2**62)), "too many items"),
        (head(pairs=1) + pair("a", 9, struct.pack("<IQ", 8, 10**6)), "too early"),
        (head(pairs=1) + pair("a", 9, struct.pack("<IQQ", 8, 1, 2**64 - 1)), "too early"),
        (head(pairs=1) + pair("a", 9, struct.pack("<IQ", 9, 1)), "unknown type"),
        (head(pairs=2) + pair("a", 7, b"\1") * 2, "twice"),
        (head(tensors=1) + string(b"t") + struct.pack("<I", 2**31), "dimensions"),
        (head(tensors=1) + string(b"t") + struct.pack("<I", 0), "dimensions"),
        (head(tensors=1) + string(b"t") + struct.pack("<IQIQ", 1, 0, 0, 0), "shape"),
        (head(tensors=1) + string(b"t") + struct.pack("<IQIQ", 1, 33, 2, 0), "shape"),
        (head(tensors=1) + string(b"t") + struct.pack("<IQIQ", 1, 2**63, 0, 0), "outside"),
        (head(tensors=1) + string(b"t") + struct.pack("<IQIQ", 1, 1, 0, 2**63), "outside"),
        (head(tensors=1) + string(b"t") + struct.pack("<IQIQ", 1, 1, 0, 7), "outside"),
        (head(pairs=1) + pair("general.alignment", 4, bytes(4)), "alignment"),
    ],
)
def test_what_cannot_be_true_is_named_at_once(tmp_path: Path, body: bytes, reason: str) -> None:
    refuse(tmp_path / "bad.gguf", body, reason)


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("llama.block_count", 2**31, "absurd"),
        ("llama.block_count", 2000, "contradict"),
        ("llama.block_count", 2, "blk.1.attn"),
        ("llama.block_count", "two", "wrong type"),
        ("llama.embedding_length", 0, "absurd"),
        ("llama.embedding_length", 512, "unexpected shape"),
        ("llama.attention.head_count", 3, "contradict"),
        ("llama.attention.head_count", 2**24, "contradict"),
        ("llama.attention.key_length", 2**24, "contradict"),
        ("llama.rope.dimension_count", 128, "contradict"),
        ("llama.rope.freq_base", float("nan"), "finite"),
        ("llama.rope.freq_base", 0.0, "contradict"),
        ("llama.attention.layer_norm_rms_epsilon", float("inf"), "finite"),
        ("llama.context_length", None, "missing"),
        ("tokenizer.ggml.tokens", ["a"] * 1000, "different counts"),
        ("tokenizer.ggml.tokens", [], "impossible shape"),
        ("tokenizer.ggml.token_type", [1], "different counts"),
        ("tokenizer.ggml.token_type", ["a"] * 512, "wrong type"),
        ("tokenizer.ggml.merges", ["no such"], "merge"),
        ("tokenizer.ggml.eos_token_id", 2**31, "no token"),
        ("tokenizer.ggml.bos_token_id", "one", "wrong type"),
    ],
)
def test_contradictions_in_the_metadata_are_named(
    tmp_path: Path, key: str, value: object, reason: str
) -> None:
    path = write_tiny_gguf(
        tmp_path / "bad.gguf",
        shape=SMALL,
        metadata={key: value, "llama.attention.value_length": None},
    )

    refuse(path, path.read_bytes(), reason)


def test_a_scale_that_is_no_number_is_damage_and_nothing_is_left(tmp_path: Path) -> None:
    path = write_tiny_gguf(tmp_path / "bad.gguf", shape=SMALL, types=("Q8_0",))
    body = bytearray(path.read_bytes())
    at = body.rindex(_last_matrix(path))
    body[at : at + 2] = np.array([np.nan], "<f2").tobytes()

    refuse(path, bytes(body), "no number")


def _last_matrix(path: Path) -> bytes:
    from inference.gguf.reader import GgufFile

    with GgufFile(path) as file:
        tensor = file.tensors["blk.0.ffn_down.weight"]
        return file.map[tensor.start : tensor.start + tensor.length_bytes]


def outcome_of(path: Path) -> None:
    """Describe and import; anything but success or these two errors is a failure of the test."""
    shutil.rmtree(path.with_name("model"), ignore_errors=True)
    for step in (describe, lambda path: import_gguf(path, path.with_name("model"))):
        try:
            step(path)
        except (ModelDamaged, ModelUnsupported):
            assert not path.with_name("model").exists()


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(length=st.integers(0, 3_000_000))
def test_a_file_cut_anywhere_is_damaged(tmp_path: Path, good: bytes, length: int) -> None:
    cut = good[: length % (len(good) - 64)]
    path = tmp_path / "cut.gguf"
    path.write_bytes(cut)

    with pytest.raises(ModelDamaged):
        import_gguf(path, tmp_path / "model")


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    changes=st.lists(
        st.tuples(st.integers(0, HEAD_BYTES - 9), st.binary(min_size=1, max_size=8)),
        min_size=1,
        max_size=4,
    )
)
def test_random_bytes_in_the_head_never_end_in_another_error(
    tmp_path: Path, good: bytes, changes: list[tuple[int, bytes]]
) -> None:
    body = bytearray(good)
    for at, bad in changes:
        body[at : at + len(bad)] = bad
    path = tmp_path / "bad.gguf"
    path.write_bytes(body)

    outcome_of(path)


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    architecture=st.sampled_from(ARCHITECTURES),
    values=st.dictionaries(
        st.sampled_from(SETTINGS),
        st.one_of(
            st.floats(width=32),
            st.integers(0, 2**32 - 1),
            st.booleans(),
            st.text(max_size=5),
            st.lists(st.booleans(), min_size=1, max_size=3),
        ),
        min_size=1,
        max_size=3,
    ),
)
def test_no_value_of_a_familys_setting_ends_in_another_error(
    tmp_path: Path, architecture: str, values: dict[str, object]
) -> None:
    metadata = {f"{architecture}.{key}": value for key, value in values.items()}
    write_tiny_gguf(
        tmp_path / "bad.gguf", architecture=architecture, shape=SMALL, metadata=metadata
    )

    outcome_of(tmp_path / "bad.gguf")


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(body=st.binary(max_size=400))
def test_a_made_up_head_never_ends_in_another_error(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "bad.gguf"
    path.write_bytes(head(tensors=2, pairs=2) + body)

    outcome_of(path)


def test_a_file_without_tensors_is_damaged(tmp_path: Path) -> None:
    path = write_tiny_gguf(tmp_path / "full.gguf", shape=SMALL)
    pairs = {"general.architecture": "llama"}

    refuse(path, GgufBuilder(pairs).build(), "missing")
