"""A GGUF file becomes a model folder for ONNX Runtime GenAI, without quantising anything again.

The graph is built twice: first without writing, which claims every tensor and so refuses by name
what is not supported or left over, then into the folder. Runs in a process of its own (`job`),
because numpy holds memory and the file may be hostile.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Self

import numpy as np

from inference import digests, manifest
from inference.digests import FileDigest, write_file
from inference.errors import Cancelled, ModelDamaged
from inference.gguf.blocks import LAYOUTS
from inference.gguf.data_file import DataFile
from inference.gguf.embedding import EMBEDDING
from inference.gguf.families.decoder import Decoder
from inference.gguf.families.dimensions import Dimensions
from inference.gguf.families.registry import family_of
from inference.gguf.frames import ImportReport, report_of
from inference.gguf.graph import DATA_FILE, Graph
from inference.gguf.int8_kv_graph import int8_kv_graph
from inference.gguf.packer import DryPacker, FilePacker, Packer
from inference.gguf.products import Products
from inference.gguf.reader import GgufFile
from inference.gguf.runtime_config import runtime_config
from inference.gguf.staging import staged
from inference.gguf.summary import GgufSummary, describe, summary_of
from inference.gguf.tokenizer_files import tokenizer_files
from inference.gguf.vocabulary import Vocabulary
from inference.gguf.weights import Weights
from inference.int8_record import GRAPH_FILE as INT8_GRAPH_FILE

__all__ = ["GgufSummary", "describe", "import_gguf"]

EXACT_LEVEL = 1
"""At this accuracy level the runtime multiplies in float32, and minimums are kept exactly."""

_FAST_LEVEL = 4
# Room for positions is cheap; how much of it is offered is decided at each load.
_USUAL_CONTEXT_TOKENS = 32_768
_FLOAT_BYTES = 4
_MARGIN_BYTES = 16 << 20


def import_gguf(
    source: Path,
    folder: Path,
    *,
    accuracy_level: int = _FAST_LEVEL,
    context_tokens: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ImportReport:
    """Make the model folder `folder` from the file `source`; an existing one is replaced.

    Args:
        source: A GGUF file.
        folder: Does not exist until it is complete.
        accuracy_level: Of MatMulNBits; 1 is exact and slow, for tests.
        context_tokens: Context window to make room for, at most what the model was trained for;
            None takes 32,768 or less.
        progress: Called with (done_bytes, total_bytes) of the file's weights.

    Raises:
        ModelMissing: There is no such file.
        ModelDamaged: It is broken; nothing is left behind.
        ModelUnsupported: It holds something that is not supported; nothing was written.
        WriteFailed: The folder could not be written; nothing is left behind.
    """
    with GgufFile(source) as file, np.errstate(all="ignore"):
        model = _Model.read(file, context_tokens, accuracy_level)
        model.build(Graph(), DryPacker()).check_all_claimed()
        with (
            _digest_beside(source) as source_digest,
            staged(folder, needed_bytes=model.needed_bytes()) as partial,
        ):
            files = _write_model(model, partial, progress or (lambda _done, _total: None))
            facts = _facts(model, folder.name, _result(source_digest, source.name))
            written = manifest.write(partial, facts=facts, files=files)
        return report_of(written, folder)


@dataclass(frozen=True, slots=True)
class _Model:
    file: GgufFile
    family: type[Decoder]
    dimensions: Dimensions
    vocabulary: Vocabulary
    rows: int
    context_tokens: int
    accuracy_level: int

    @classmethod
    def read(cls, file: GgufFile, context_tokens: int | None, accuracy_level: int) -> Self:
        metadata = file.metadata
        family = family_of(metadata)
        dimensions = Dimensions.read(metadata, metadata.text("general.architecture"))
        embedding = file.tensors.get(EMBEDDING)
        if embedding is None:
            raise metadata.damaged(f"tensor {EMBEDDING} is missing")
        return cls(
            file=file,
            family=family,
            dimensions=dimensions,
            vocabulary=Vocabulary.read(metadata, rows=embedding.shape[0]),
            rows=embedding.shape[0],
            context_tokens=min(dimensions.trained_tokens, context_tokens or _USUAL_CONTEXT_TOKENS),
            accuracy_level=accuracy_level,
        )

    def build(self, graph: Graph, packer: Packer) -> Weights:
        weights = Weights(self.file)
        products = Products(graph, weights, packer, accuracy_level=self.accuracy_level)
        self.family(
            products, dimensions=self.dimensions, context_tokens=self.context_tokens
        ).build()
        return weights

    def needed_bytes(self) -> int:
        """Return an upper bound of the folder's size."""
        angles = self.context_tokens * self.dimensions.rotary_size * self.family.rotary_bases
        total = _MARGIN_BYTES + angles * _FLOAT_BYTES
        for name, tensor in self.file.tensors.items():
            layout = LAYOUTS.get(tensor.type.name)
            if layout is None:
                total += tensor.length_bytes
                continue
            # Scales, then minimums; those of an embedding once for lookups and once for products.
            floats = 1
            if layout.has_minimum:
                floats = 3 if name == EMBEDDING else 2
            total += layout.packed_bytes(tensor.weights)
            total += tensor.weights // layout.block * floats * _FLOAT_BYTES
        return total


def _write_model(
    model: _Model, folder: Path, progress: Callable[[int, int], None]
) -> dict[str, FileDigest]:
    total = sum(tensor.length_bytes for tensor in model.file.tensors.values())
    graph = Graph()
    with DataFile(folder / DATA_FILE) as data:
        packer = FilePacker(
            model.file,
            data,
            exact=model.accuracy_level == EXACT_LEVEL,
            progress=lambda done: progress(done, total),
        )
        model.build(graph, packer)
        digests = {DATA_FILE: data.finish()}
    config = runtime_config(
        model.family.runtime_type,
        model.dimensions,
        model.vocabulary,
        rows=model.rows,
        context_tokens=model.context_tokens,
    )
    bodies: dict[str, bytes | Iterable[bytes]] = {
        **tokenizer_files(
            model.vocabulary, model.file.metadata, context_tokens=model.context_tokens
        ),
        "genai_config.json": config.encode(),
        "model.onnx": graph.serialize(),
    }
    if smaller := int8_kv_graph(graph, model.dimensions):
        bodies[INT8_GRAPH_FILE] = smaller.serialize()
    for name, body in bodies.items():
        digests[name] = write_file(folder / name, body)
    progress(total, total)
    return digests


@contextmanager
def _digest_beside(source: Path) -> Iterator["Future[FileDigest]"]:
    """Hash the source on a second core while it is converted: hashlib lets go of the GIL."""
    stop = Event()
    with ThreadPoolExecutor(1, "digest") as executor:
        try:
            yield executor.submit(digests.digest, source, cancelled=stop)
        finally:
            stop.set()


def _result(source_digest: "Future[FileDigest]", name: str) -> str:
    try:
        return source_digest.result().sha256
    except (OSError, Cancelled) as error:
        raise ModelDamaged(file=name, reason="it cannot be read") from error


def _facts(model: _Model, folder_name: str, source_sha256: str) -> dict[str, str | int]:
    summary = summary_of(model.file)
    return {
        "id": folder_name,
        "name": summary.name,
        "architecture": summary.architecture,
        "parameters": summary.parameters,
        "quantization": summary.quantization,
        "context_tokens": model.context_tokens,
        "source_sha256": source_sha256,
        "licence": summary.licence,
    }
