"""What a GGUF file says it is, without reading its weights: for lists, and for the manifest."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from inference.gguf.reader import GgufFile

_FILE_TYPES = {
    0: "F32",
    1: "F16",
    2: "Q4_0",
    3: "Q4_1",
    7: "Q8_0",
    8: "Q5_0",
    9: "Q5_1",
    14: "Q4_K_S",
    15: "Q4_K_M",
    16: "Q5_K_S",
    17: "Q5_K_M",
    18: "Q6_K",
    32: "BF16",
}


@dataclass(frozen=True, slots=True)
class GgufSummary:
    """One file.

    Attributes:
        name: What a person calls the model; the file's name where it does not say.
        parameters: How many weights it has.
        quantization: Such as Q4_K_M.
        context_tokens: The context window the model was trained for.
        bytes: Size of the file.
        licence: As the file says, such as apache-2.0; empty where it does not.
    """

    name: str
    architecture: str
    parameters: int
    quantization: str
    context_tokens: int
    bytes: int
    licence: str


def describe(source: Path) -> GgufSummary:
    """Return what `source` says about itself; milliseconds, whatever its size.

    Raises:
        ModelMissing: There is no such file.
        ModelDamaged: It is no GGUF file, or a broken one.
    """
    with GgufFile(source) as file:
        return summary_of(file)


def summary_of(file: GgufFile) -> GgufSummary:
    """Return what an open file says about itself."""
    metadata = file.metadata
    architecture = metadata.text("general.architecture")
    return GgufSummary(
        name=metadata.text("general.name", "") or file.path.stem,
        architecture=architecture,
        parameters=sum(tensor.weights for tensor in file.tensors.values()),
        quantization=_quantization(file),
        context_tokens=metadata.integer(f"{architecture}.context_length", 0),
        bytes=len(file.map),
        licence=metadata.text("general.license", ""),
    )


def _quantization(file: GgufFile) -> str:
    """Return the name the publisher gave the mixture, else the type most weights have."""
    named = _FILE_TYPES.get(file.metadata.integer("general.file_type", -1))
    if named:
        return named
    weights: Counter[str] = Counter()
    for tensor in file.tensors.values():
        weights[tensor.type.name] += tensor.weights
    return weights.most_common(1)[0][0] if weights else ""
