"""The folders of every family, as the host uses them: settings, rewinding, and the small cache."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inference import int8_record, model
from inference.engine import genai, model_config
from inference.engine.genai import GenaiEngine
from inference.gguf.families.registry import ARCHITECTURES
from inference.gguf.importer import import_gguf
from inference.int8_record import GRAPH_FILE
from inference.types import LoadModel
from tests.inference.engine import exercise
from tests.tiny_gguf import write_tiny_gguf

pytestmark = pytest.mark.engine

WHOLE_HEADS = {"phi3": {"phi3.rope.dimension_count": 64}}
RUNTIME_TYPES = {"gemma3": "gemma3_text", "mistral3": "mistral", "phi3": "llama"}


@pytest.fixture(scope="module")
def folder_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Returns the imported folder of an architecture, made once."""
    made: dict[str, Path] = {}

    def get(architecture: str) -> Path:
        if architecture not in made:
            source = tmp_path_factory.mktemp(architecture) / "tiny.gguf"
            metadata = WHOLE_HEADS.get(architecture)
            write_tiny_gguf(source, architecture=architecture, metadata=metadata)
            made[architecture] = source.with_name("model")
            import_gguf(source, made[architecture])
        return made[architecture]

    return get


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_runtime_is_told_what_it_must_know(
    folder_of: Callable[[str], Path], architecture: str
) -> None:
    config: dict[str, Any] = json.loads((folder_of(architecture) / "genai_config.json").read_text())

    told = config["model"]
    assert told["type"] == RUNTIME_TYPES.get(architecture, architecture)
    assert told["context_length"] == config["search"]["max_length"] == 2048
    assert told["eos_token_id"] == [2, 0]
    assert config["search"]["past_present_share_buffer"]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("graph", ["", GRAPH_FILE], ids=["usual", "int8"])
def test_the_host_loads_and_rewinds_it(
    folder_of: Callable[[str], Path], architecture: str, graph: str
) -> None:
    folder = folder_of(architecture)
    loaded, event = model.load(LoadModel(1, str(folder), kv_bits=8))
    loaded.close()
    assert (event.kv_bits, event.kv_reason) == (8, "")
    engine = GenaiEngine(
        folder,
        model_config.read(folder),
        device=exercise.PROCESSOR,
        threads=1,
        spins=False,
        graph=graph,
    )
    ids = exercise.some_ids(folder, 60)

    cache = engine.new_cache(len(ids))
    cache.append(ids)
    whole = cache.logits().copy()
    cache.rewind(20)
    cache.append(ids[20:])

    assert exercise.apart(whole, cache.logits()) <= exercise.TOLERANCE


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_small_cache_predicts_the_same(
    folder_of: Callable[[str], Path], architecture: str
) -> None:
    folder = folder_of(architecture)
    loaded, _ = model.load(LoadModel(1, str(folder), kv_bits=8))
    loaded.close()

    record = int8_record.read(folder, genai.versions())

    assert record is not None
    assert record.kl is not None
    assert 0 < record.kl < int8_record.MOST_KL


def test_heads_that_are_rotated_in_part_have_no_small_cache(tmp_path: Path) -> None:
    source = write_tiny_gguf(tmp_path / "tiny.gguf", architecture="phi3")

    import_gguf(source, tmp_path / "model")

    assert not (tmp_path / "model" / GRAPH_FILE).exists()
    loaded, event = model.load(LoadModel(1, str(tmp_path / "model"), kv_bits=8))
    loaded.close()
    assert event.kv_bits == 32
    assert event.kv_reason
