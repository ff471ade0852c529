"""What the importer refuses: by name, and before a byte is written."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.messages import describe
from inference.errors import ModelDamaged, ModelUnsupported
from inference.gguf.families.registry import ARCHITECTURES
from inference.gguf.importer import import_gguf
from inference.gguf.reader import GgufFile
from tests.tiny_gguf import Shape, write_tiny_gguf

SMALL = Shape(layers=1)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_tiny_gguf(tmp_path / "tiny.gguf", shape=SMALL)


@pytest.mark.parametrize(
    ("metadata", "what"),
    [
        ({"general.architecture": "mamba"}, "architecture mamba"),
        ({"general.architecture": "x\n" * 100_000}, "architecture x?x?x"),
        ({"general.type": "adapter"}, "a file of the kind adapter"),
        ({"split.count": 3}, "a model in 3 files"),
        ({"llama.attention.causal": False}, "attention to later tokens"),
        ({"llama.expert_count": 8}, "llama.expert_count"),
        ({"llama.logit_scale": 0.5}, "llama.logit_scale"),
        ({"llama.attention.head_count_kv": [2, 2]}, "llama.attention.head_count_kv that differs"),
        ({"llama.attention.value_length": 32}, "values of another size"),
        ({"llama.rope.scaling.type": "yarn", "llama.rope.scaling.factor": 4.0}, "scaling yarn"),
        ({"tokenizer.ggml.model": "bert"}, "tokenizer bert"),
        ({"tokenizer.ggml.pre": "made-up"}, "pre-tokenizer made-up"),
    ],
)
def test_what_is_not_supported_is_named_before_a_byte_is_written(
    tmp_path: Path, metadata: dict[str, Any], what: str
) -> None:
    source = write_tiny_gguf(tmp_path / "tiny.gguf", shape=SMALL, metadata=metadata)

    refuse(source, what)


def test_a_tensor_nobody_uses_is_named(tmp_path: Path) -> None:
    extra = {"blk.0.ffn_gate_exps.weight": np.zeros((2, 256), np.float32)}
    source = write_tiny_gguf(tmp_path / "tiny.gguf", shape=SMALL, tensors=extra)

    refuse(source, "tensor blk.0.ffn_gate_exps.weight")


@pytest.mark.parametrize(("number", "name"), [(23, "IQ4_XS"), (10, "Q2_K"), (99, "number 99")])
def test_a_tensor_type_is_named(source: Path, number: int, name: str) -> None:
    with GgufFile(source) as file:
        tensor = file.tensors["blk.0.ffn_norm.weight"]
    body = bytearray(source.read_bytes())
    at = body.index(tensor.name.encode()) + len(tensor.name) + 4 + 8
    body[at : at + 4] = number.to_bytes(4, "little")
    source.write_bytes(body)

    refuse(source, f"tensor type {name}")


def test_a_norm_in_blocks_is_named(source: Path) -> None:
    with GgufFile(source) as file:
        tensor = file.tensors["blk.0.ffn_norm.weight"]
    body = bytearray(source.read_bytes())
    at = body.index(tensor.name.encode()) + len(tensor.name) + 4 + 8
    body[at : at + 4] = (8).to_bytes(4, "little")
    source.write_bytes(body)

    refuse(source, "tensor blk.0.ffn_norm.weight of type Q8_0")


def refuse(source: Path, what: str) -> None:
    with pytest.raises(ModelUnsupported) as caught:
        import_gguf(source, source.with_name("model"))
    assert what in str(caught.value.facts["what"])
    assert [each.name for each in source.parent.iterdir()] == [source.name]


def test_an_unknown_architecture_is_told_with_those_that_are_known(tmp_path: Path) -> None:
    metadata = {"general.architecture": "mamba"}
    source = write_tiny_gguf(tmp_path / "tiny.gguf", shape=SMALL, metadata=metadata)

    with pytest.raises(ModelUnsupported) as caught:
        import_gguf(source, tmp_path / "model")

    message = describe(caught.value).message
    assert "mamba" in message
    assert all(architecture in message for architecture in ARCHITECTURES)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize(
    ("key", "value", "what"),
    [
        ("expert_count", 8, "expert_count"),
        ("attention.temperature_scale", 0.1, "attention.temperature_scale"),
        ("attention.temperature_length", 8192, "attention.temperature_length"),
        ("attention.head_count", [4], "attention.head_count that differs by layer"),
        ("attention.head_count_kv", [2], "attention.head_count_kv that differs by layer"),
        ("feed_forward_length", [512], "feed_forward_length that differs by layer"),
        ("attention.value_length", 32, "values of another size than keys"),
    ],
)
def test_no_family_does_what_it_does_not_know(
    tmp_path: Path, architecture: str, key: str, value: object, what: str
) -> None:
    metadata = {f"{architecture}.{key}": value}
    source = write_tiny_gguf(
        tmp_path / "tiny.gguf", architecture=architecture, shape=SMALL, metadata=metadata
    )

    refuse(source, what)


@pytest.mark.parametrize(
    ("architecture", "kind"),
    [
        pair
        for pair in product(ARCHITECTURES, ("yarn", "longrope", "made-up"))
        if pair != ("phi3", "longrope")
    ],
)
def test_a_scaling_that_a_family_does_not_know_is_named(
    tmp_path: Path, architecture: str, kind: str
) -> None:
    prefix = f"{architecture}.rope.scaling"
    metadata = {f"{prefix}.type": kind, f"{prefix}.factor": 4.0}
    source = write_tiny_gguf(
        tmp_path / "tiny.gguf", architecture=architecture, shape=SMALL, metadata=metadata
    )

    refuse(source, f"rope scaling {kind}")


@pytest.mark.parametrize("architecture", ["llama", "qwen2", "mistral3", "gemma2", "phi3"])
@pytest.mark.parametrize("key", ["logit_scale", "embedding_scale", "residual_scale"])
def test_a_factor_of_another_family_is_named(tmp_path: Path, architecture: str, key: str) -> None:
    metadata = {f"{architecture}.{key}": 0.5}
    source = write_tiny_gguf(
        tmp_path / "tiny.gguf", architecture=architecture, shape=SMALL, metadata=metadata
    )

    refuse(source, f"{architecture}.{key}")


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_family_refuses_a_tensor_it_does_not_use(tmp_path: Path, architecture: str) -> None:
    extra = {"blk.0.attn_sinks.weight": np.zeros(4, np.float32)}
    source = write_tiny_gguf(
        tmp_path / "tiny.gguf", architecture=architecture, shape=SMALL, tensors=extra
    )

    refuse(source, "tensor blk.0.attn_sinks.weight")


def test_frequencies_that_are_no_numbers_are_damage(tmp_path: Path) -> None:
    factors = {"rope_freqs.weight": np.zeros(32, np.float32)}
    source = write_tiny_gguf(tmp_path / "tiny.gguf", shape=SMALL, tensors=factors)

    with pytest.raises(ModelDamaged):
        import_gguf(source, tmp_path / "model")


@pytest.mark.parametrize(
    ("architecture", "key", "value"),
    [
        ("granite", "residual_scale", 1e10),
        ("gemma2", "attention.sliding_window_pattern", [True, False]),
        ("gemma2", "attention.sliding_window_pattern", [1]),
        ("gemma3", "rope.freq_base_swa", 0.5),
        ("phi3", "rope.scaling.original_context_length", 1),
    ],
)
def test_a_setting_that_cannot_be_is_damage(
    tmp_path: Path, architecture: str, key: str, value: object
) -> None:
    factors = {f"rope_factors_{which}.weight": np.ones(24, "<f4") for which in ("short", "long")}
    source = write_tiny_gguf(
        tmp_path / "tiny.gguf",
        architecture=architecture,
        shape=SMALL,
        metadata={f"{architecture}.{key}": value},
        tensors=factors if architecture == "phi3" else None,
    )

    with pytest.raises(ModelDamaged):
        import_gguf(source, tmp_path / "model")
