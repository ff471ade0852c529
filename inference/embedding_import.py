"""An embedding model's original file becomes a folder that `inference.embedder` runs."""

from collections.abc import Callable
from pathlib import Path

from inference import digests, manifest
from inference.digests import write_file
from inference.embedding_graph import Encoder, EncoderGraph
from inference.embedding_weights import EmbeddingFile
from inference.gguf.data_file import DataFile
from inference.gguf.frames import ImportReport, report_of
from inference.gguf.graph import DATA_FILE
from inference.gguf.staging import staged

GRAPH_FILE = "model.onnx"
TOKENIZER_FILE = "tokenizer.json"
ARCHITECTURE = "bert"
LONGEST_TOKENS = 256
"""What the model was trained for, by its card; what is longer is cut there."""

_NAME = "all-MiniLM-L6-v2"
_QUANTIZATION = "Q8_0"
_LICENCE = "apache-2.0"


def import_embedding(
    source: Path, folder: Path, *, progress: Callable[[int, int], None] | None = None
) -> ImportReport:
    """Make the folder `folder` from `source`; an existing one is replaced.

    Args:
        source: A safetensors file of a BERT encoder with its `tokenizer.json` behind it.
        folder: Does not exist until it is complete.
        progress: Called with (done_bytes, total_bytes) at both ends; it takes a second.

    Raises:
        ModelMissing: There is no such file.
        ModelDamaged: It is broken; nothing is left behind.
        ModelUnsupported: It is an encoder of another kind.
        WriteFailed: The folder could not be written; nothing is left behind.
    """
    report = progress or (lambda _done, _total: None)
    size_bytes = source.stat().st_size if source.is_file() else 0
    report(0, size_bytes)
    with EmbeddingFile(source) as file, staged(folder, needed_bytes=size_bytes) as partial:
        encoder = Encoder.of(file)
        with DataFile(partial / DATA_FILE) as data:
            graph = EncoderGraph(file, encoder, data).build()
            files = {DATA_FILE: data.finish()}
        files[GRAPH_FILE] = write_file(partial / GRAPH_FILE, graph.serialize())
        files[TOKENIZER_FILE] = write_file(partial / TOKENIZER_FILE, file.tokenizer)
        written = manifest.write(
            partial,
            facts={
                "id": folder.name,
                "name": _NAME,
                "architecture": ARCHITECTURE,
                "parameters": encoder.parameters,
                "quantization": _QUANTIZATION,
                "context_tokens": LONGEST_TOKENS,
                "source_sha256": digests.digest(source).sha256,
                "licence": _LICENCE,
            },
            files=files,
        )
    report(size_bytes, size_bytes)
    return report_of(written, folder)
