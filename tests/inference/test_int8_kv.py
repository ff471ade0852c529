"""The KV cache of 8-bit numbers: near the usual one everywhere in a text, and never in the way."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inference import int8_kv, int8_record, manifest, model
from inference.engine import genai, model_config
from inference.engine.genai import GenaiEngine
from inference.errors import InferenceError, ModelDamaged
from inference.gguf.importer import import_gguf
from inference.int8_record import CODEC, GRAPH_FILE, RECORD_FILE, SCALES_FILE, Int8Record
from inference.types import Loaded, LoadModel
from tests.inference.engine import exercise
from tests.tiny_gguf import Shape, write_tiny_gguf

pytestmark = pytest.mark.engine


@pytest.fixture
def copy(tiny_model: Path, tmp_path: Path) -> Path:
    """A copy of the tiny model that a test may change."""
    return Path(shutil.copytree(tiny_model, tmp_path / "copy"))


def load(folder: Path, **wishes: Any) -> Loaded:
    loaded, event = model.load(LoadModel(1, str(folder), **{"kv_bits": 8, **wishes}))
    loaded.close()
    return event


def record_of(folder: Path) -> Int8Record:
    record = int8_record.read(folder, genai.versions())
    assert record is not None
    return record


def engines(folder: Path) -> tuple[GenaiEngine, GenaiEngine]:
    """Return the model with either cache; the scales must be there."""
    config = model_config.read(folder)
    usual, smaller = (
        GenaiEngine(folder, config, device=exercise.PROCESSOR, threads=1, spins=False, graph=graph)
        for graph in ("", GRAPH_FILE)
    )
    return usual, smaller


def test_the_first_wish_measures_and_the_next_ones_do_not(copy: Path) -> None:
    usual = load(copy, kv_bits=32)
    assert (usual.kv_bits, usual.kv_reason) == (32, "")
    assert not (copy / SCALES_FILE).exists()

    first = load(copy)
    assert (first.kv_bits, first.kv_reason) == (8, "")
    assert first.kv_token_bytes * 4 == usual.kv_token_bytes
    assert 0 < (record_of(copy).kl or 0) < int8_record.MOST_KL
    written_ns = (copy / SCALES_FILE).stat().st_mtime_ns

    assert load(copy).kv_bits == 8
    assert (copy / SCALES_FILE).stat().st_mtime_ns == written_ns


@pytest.mark.starter
def test_the_starter_stays_near_deep_in_a_text(starter_model: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(starter_model, tmp_path / "starter"))
    assert load(folder).kv_bits == 8
    ids = exercise.some_ids(folder, 2064)
    scores = []
    for engine in engines(folder):
        cache = engine.new_cache(len(ids))
        for begin in range(0, 2048, 256):
            cache.append(ids[begin : begin + 256])
        rows = []
        for each in ids[2048:]:
            cache.append([each])
            rows.append(cache.logits()[0].copy())
        scores.append(np.array(rows))

    # With scales that fit the text they were measured on, and not every place, it is above 0.2.
    assert int8_kv.divergence(*scores) < 0.05


@pytest.mark.parametrize("check", exercise.CHECKS, ids=lambda check: check.__name__)
def test_the_engine_does_the_same_with_it(
    check: Callable[[GenaiEngine, list[int]], None], copy: Path
) -> None:
    load(copy)
    check(engines(copy)[1], exercise.some_ids(copy))


def test_logits_are_close_but_not_the_same(copy: Path) -> None:
    load(copy)
    ids = exercise.some_ids(copy, 64)
    rows = []
    for engine in engines(copy):
        cache = engine.new_cache(len(ids))
        cache.append(ids)
        rows.append(cache.logits().copy())
    assert 0 < exercise.apart(*rows) < 0.2


def test_what_is_kept_is_what_was_computed(copy: Path) -> None:
    usual = exercise.load(copy)
    ids = exercise.some_ids(copy, 200)
    layers = list(usual.kept(ids))
    shape = (2, 200, 64)
    assert [(keys.shape, values.shape) for keys, values in layers] == [(shape, shape)] * 2
    # Whatever comes later changes nothing of what came first.
    for (keys, values), (fewer_keys, fewer_values) in zip(
        layers, usual.kept(ids[:50]), strict=True
    ):
        assert np.allclose(keys[:, :50], fewer_keys, atol=1e-4)
        assert np.allclose(values[:, :50], fewer_values, atol=1e-4)


def test_scales_that_were_damaged_are_measured_again(copy: Path) -> None:
    load(copy)
    good = (copy / SCALES_FILE).read_bytes()
    for damaged in (b"", bytes(len(good)), None):
        if damaged is None:
            (copy / SCALES_FILE).unlink()
        else:
            (copy / SCALES_FILE).write_bytes(damaged)
        assert load(copy).kv_bits == 8
        assert (copy / SCALES_FILE).read_bytes() == good


@pytest.mark.parametrize("body", [b"", b"{}", b'{"type": "Int8Record", "kl": "none"}'])
def test_a_record_that_cannot_be_read_is_none(copy: Path, body: bytes) -> None:
    load(copy)
    (copy / RECORD_FILE).write_bytes(body)
    assert int8_record.read(copy, genai.versions()) is None
    assert load(copy).kv_bits == 8
    assert record_of(copy).is_good


@pytest.mark.parametrize(
    ("kl", "reason"), [(0.011, "answers would change"), (None, "cannot compute it")]
)
def test_a_bad_verdict_is_remembered_for_this_runtime(
    copy: Path, kl: float | None, reason: str
) -> None:
    load(copy)
    record = replace(record_of(copy), kl=kl)
    (copy / RECORD_FILE).write_bytes(CODEC.encode(record))

    loaded = load(copy)
    assert loaded.kv_bits == 32
    assert reason in loaded.kv_reason
    assert not int8_record.is_offered(copy, genai.versions())

    (copy / RECORD_FILE).write_bytes(CODEC.encode(replace(record, runtime={"other": "1.0"})))
    assert int8_record.is_offered(copy, genai.versions())
    assert load(copy).kv_bits == 8


def test_a_runtime_that_refuses_the_graph_runs_the_usual_one(
    copy: Path,
) -> None:
    """Version 0.13.1 of the runtime does so, by an error like that of a damaged graph."""
    (copy / GRAPH_FILE).write_bytes(b"no graph")
    manifest.write(copy, facts={})

    loaded = load(copy)
    assert loaded.kv_bits == 32
    assert "cannot compute it" in loaded.kv_reason
    assert record_of(copy).kl is None
    assert not int8_record.is_offered(copy, genai.versions())


def test_the_older_generation_of_the_runtime_refuses_it(second_runtime: Path, copy: Path) -> None:
    load_it = (
        "import sys; from inference import model; from inference.types import LoadModel;"
        "_, loaded = model.load(LoadModel(1, sys.argv[1], device='cpu', kv_bits=8));"
        "print(loaded.kv_bits, loaded.kv_reason)"
    )
    done = subprocess.run(
        [second_runtime, "-c", load_it, copy],
        env=os.environ | {"PYTHONPATH": str(exercise.ROOT)},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stdout.strip() == "32 the runtime cannot compute it"
    assert load(copy).kv_bits == 8  # another runtime is asked again


def test_a_model_without_the_graph_has_the_usual_cache(copy: Path) -> None:
    (copy / GRAPH_FILE).unlink()
    manifest.write(copy, facts={})

    assert not int8_record.is_offered(copy, genai.versions())
    loaded = load(copy)
    assert (loaded.kv_bits, loaded.device.reason) == (32, "")
    assert "adding the model again" in loaded.kv_reason
    assert not (copy / RECORD_FILE).exists()


def test_the_manifest_covers_the_graph(copy: Path) -> None:
    assert GRAPH_FILE in manifest.read(copy).files
    load(copy)
    manifest.verify(copy)  # what was measured is no part of it
    body = bytearray((copy / GRAPH_FILE).read_bytes())
    body[len(body) // 2] ^= 1
    (copy / GRAPH_FILE).write_bytes(body)
    with pytest.raises(ModelDamaged):
        manifest.verify(copy)


def test_nothing_is_measured_with_damaged_weights(copy: Path) -> None:
    body = bytearray((copy / "model.onnx.data").read_bytes())
    body[len(body) // 2] ^= 1
    (copy / "model.onnx.data").write_bytes(body)

    with pytest.raises(InferenceError):
        load(copy)
    assert not (copy / SCALES_FILE).exists()


def test_a_folder_that_cannot_be_written_has_the_usual_cache(copy: Path) -> None:
    # A folder in the file's place: permissions would not stop every user.
    (copy / SCALES_FILE).mkdir()

    loaded = load(copy)
    assert loaded.kv_bits == 32
    assert "cannot be written" in loaded.kv_reason


def test_heads_that_are_rotated_in_part_have_no_such_graph(tmp_path: Path) -> None:
    source = write_tiny_gguf(
        tmp_path / "tiny.gguf",
        shape=Shape(layers=1),
        metadata={"llama.rope.dimension_count": 32},
    )
    import_gguf(source, tmp_path / "model")
    assert not (tmp_path / "model" / GRAPH_FILE).exists()


def test_both_graphs_share_the_weights(tiny_model: Path) -> None:
    sizes = {path.name: path.stat().st_size for path in tiny_model.iterdir()}
    assert sizes[GRAPH_FILE] < sizes["model.onnx"] * 1.2 + 4096
    config = json.loads((tiny_model / "genai_config.json").read_text())
    assert config["model"]["decoder"]["filename"] == "model.onnx"
