"""The ways GGUF stores a tensor's numbers, by name and size; knows no numpy."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TensorType:
    """How many bytes a run of weights takes.

    Attributes:
        name: As the GGUF world writes it, such as Q4_K.
        weights: Weights in one block.
        block_bytes: Bytes of one block; 0 for a type that is known by name only.
    """

    name: str
    weights: int = 1
    block_bytes: int = 0


_TYPES = {
    0: TensorType("F32", 1, 4),
    1: TensorType("F16", 1, 2),
    2: TensorType("Q4_0", 32, 18),
    3: TensorType("Q4_1", 32, 20),
    6: TensorType("Q5_0", 32, 22),
    7: TensorType("Q5_1", 32, 24),
    8: TensorType("Q8_0", 32, 34),
    9: TensorType("Q8_1"),
    10: TensorType("Q2_K"),
    11: TensorType("Q3_K"),
    12: TensorType("Q4_K", 256, 144),
    13: TensorType("Q5_K", 256, 176),
    14: TensorType("Q6_K", 256, 210),
    15: TensorType("Q8_K"),
    16: TensorType("IQ2_XXS"),
    17: TensorType("IQ2_XS"),
    18: TensorType("IQ3_XXS"),
    19: TensorType("IQ1_S"),
    20: TensorType("IQ4_NL"),
    21: TensorType("IQ3_S"),
    22: TensorType("IQ2_S"),
    23: TensorType("IQ4_XS"),
    24: TensorType("I8"),
    25: TensorType("I16"),
    26: TensorType("I32"),
    27: TensorType("I64"),
    28: TensorType("F64"),
    29: TensorType("IQ1_M"),
    30: TensorType("BF16", 1, 2),
    34: TensorType("TQ1_0"),
    35: TensorType("TQ2_0"),
    39: TensorType("MXFP4"),
}


def tensor_type(number: int) -> TensorType:
    """Return the type GGUF calls `number`; one nobody knows is named by its number."""
    return _TYPES.get(number) or TensorType(f"number {number}")
