"""The embedding model: as close to float32 as promised, and walled in a process of its own."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from app.children import Verb
from inference.child import Child
from inference.embedder import Embedder
from inference.embedding import EmbeddingClient
from inference.embedding_import import import_embedding
from inference.embedding_weights import EmbeddingFile
from inference.errors import ModelDamaged, ModelMissing

TEXTS = (
    "How do I change my password?",
    "Resetting a forgotten login secret",
    "The cat sat on the mat.",
    "Total compensation is not to exceed the amount in Exhibit B, payable in arrears. " * 8,
)


def float_vectors(original: Path, ids: list[list[int]]) -> NDArray[np.float32]:
    """BERT as its paper has it, in float32, a text at a time."""
    with EmbeddingFile(original) as file:

        def tensor(name: str) -> NDArray[np.float32]:
            return file.tensor(name, file.shape(name))

        def linear(x: NDArray[np.float32], name: str) -> NDArray[np.float32]:
            return np.asarray(x @ tensor(f"{name}.weight").T + tensor(f"{name}.bias"))

        def norm(x: NDArray[np.float32], name: str) -> NDArray[np.float32]:
            x = x - x.mean(-1, keepdims=True)
            x = x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
            return np.asarray(x * tensor(f"{name}.weight") + tensor(f"{name}.bias"))

        erf = np.vectorize(math.erf)
        found = []
        for one in ids:
            x = tensor("embeddings.word_embeddings.weight")[one]
            x = x + tensor("embeddings.position_embeddings.weight")[: len(one)]
            x = x + tensor("embeddings.token_type_embeddings.weight")[0]
            x = norm(x, "embeddings.LayerNorm")
            for layer in range(6):
                name = f"encoder.layer.{layer}"
                query, key, value = (
                    linear(x, f"{name}.attention.self.{part}")
                    .reshape(len(one), 12, 32)
                    .transpose(1, 0, 2)
                    for part in ("query", "key", "value")
                )
                scores = np.exp(query @ key.transpose(0, 2, 1) / math.sqrt(32))
                scores /= scores.sum(-1, keepdims=True)
                mixed = (scores @ value).transpose(1, 0, 2).reshape(len(one), 384)
                x = norm(
                    x + linear(mixed, f"{name}.attention.output.dense"),
                    f"{name}.attention.output.LayerNorm",
                )
                wide = linear(x, f"{name}.intermediate.dense")
                wide = wide * 0.5 * (1 + erf(wide / math.sqrt(2)))
                x = norm(x + linear(wide, f"{name}.output.dense"), f"{name}.output.LayerNorm")
            mean = x.mean(0)
            found.append(mean / np.linalg.norm(mean))
    return np.array(found, np.float32)


def test_it_is_as_close_to_float32_as_promised(
    embedding_model: Path, embedding_original: Path
) -> None:
    embedder = Embedder(embedding_model)
    ids = [encoding.ids for encoding in embedder._tokenizer.encode_batch(list(TEXTS))]
    expected = float_vectors(embedding_original, ids)
    assert (embedder.embed(TEXTS) * expected).sum(1).min() > 0.99


def test_what_means_the_same_is_near_and_what_does_not_is_far(embedding_model: Path) -> None:
    vectors = Embedder(embedding_model).embed(TEXTS)
    cosines = vectors @ vectors.T
    assert cosines[0, 1] > 0.4
    assert abs(cosines[0, 2]) < 0.15
    assert np.allclose(np.diag(cosines), 1, atol=1e-5)


def test_a_vector_does_not_depend_on_its_neighbors(embedding_model: Path) -> None:
    embedder = Embedder(embedding_model)
    together = embedder.embed(TEXTS)
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    assert (together * alone).sum(1).min() > 0.9999


def test_the_process_embeds_and_ends_when_idle(
    embedding_model: Path, launch: Callable[[Verb], Child]
) -> None:
    started: list[Child] = []

    def start() -> Child:
        started.append(launch("embed"))
        return started[-1]

    client = EmbeddingClient(start, lambda: embedding_model, idle_s=0.2)
    vectors = client.embed(TEXTS * 9)
    started[0]._process.wait(20)
    again = client.embed(TEXTS)
    client.close()
    assert vectors.shape == (36, 384)
    assert len(started) == 2
    assert np.allclose(again, vectors[:4], atol=1e-3)


def test_without_a_model_it_says_so() -> None:
    def start() -> Child:
        raise AssertionError

    client = EmbeddingClient(start, lambda: None)
    with pytest.raises(ModelMissing):
        client.embed(["text"])
    client.close()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff" * 64,
        (2).to_bytes(8, "little") + b"[]",
        (64).to_bytes(8, "little")
        + b'{"a":{"dtype":"F32","shape":[9],"data_offsets":[0,1000]}}'.ljust(64),
    ],
)
def test_a_broken_original_leaves_nothing(tmp_path: Path, body: bytes) -> None:
    (tmp_path / "source").write_bytes(body)
    with pytest.raises((ModelDamaged, ModelMissing)):
        import_embedding(tmp_path / "source", tmp_path / "embedding")
    assert [path.name for path in tmp_path.iterdir()] == ["source"]
