"""What a model folder says about keeping its KV cache in 8-bit numbers.

The importer writes the graph. The host measures its scales when they are first wished for, and
whether answers stay the same with them; both are kept beside the graph. The manifest is about what
was imported and stays as it is: the record names the digest of the scales itself.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from inference.digests import FileDigest, unsealed
from inference.errors import BadFrame
from inference.frames import Codec

GRAPH_FILE: Final = "model.int8kv.onnx"
SCALES_FILE: Final = "model.int8kv.scales"
RECORD_FILE: Final = "int8kv.json"

MOST_KL: Final = 0.01
"""Further from the float32 cache than this, in nats a token, answers are not the same any more."""


@dataclass(frozen=True, slots=True)
class Int8Record:
    """What was measured.

    Attributes:
        runtime: Packages of the runtime and their versions; another runtime is asked again.
        kl: Kullback-Leibler divergence from the float32 cache in nats, the mean over the tokens of
            a text that the scales were not measured on; None where the runtime refused the graph.
        scales: Of the file with the scales.
    """

    runtime: dict[str, str]
    kl: float | None
    scales: FileDigest

    @property
    def is_good(self) -> bool:
        """Whether it may be used."""
        return self.kl is not None and self.kl <= MOST_KL


CODEC = Codec((Int8Record,))


def read(folder: Path, runtime: dict[str, str]) -> Int8Record | None:
    """Return what was measured with this runtime, or None where nothing was, or it is broken."""
    try:
        record: Int8Record = CODEC.decode(unsealed((folder / RECORD_FILE).read_bytes()))
    except (OSError, BadFrame, ValueError):
        return None
    return record if record.runtime == runtime else None


def is_offered(folder: Path, runtime: dict[str, str]) -> bool:
    """Return whether a model may be asked for an 8-bit cache: it has the graph, and no bad marks.

    Reads the disk, a few bytes.
    """
    if not (folder / GRAPH_FILE).is_file():
        return False
    record = read(folder, runtime)
    return record is None or record.is_good
