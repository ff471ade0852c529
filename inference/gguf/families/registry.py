"""Which families there are; a new one is a module and a line here."""

from inference.errors import ModelUnsupported
from inference.gguf.cursor import shown
from inference.gguf.families.decoder import Decoder
from inference.gguf.families.llama import Llama
from inference.gguf.families.qwen2 import Qwen2
from inference.gguf.metadata import Metadata

_FAMILIES: dict[str, type[Decoder]] = {"llama": Llama, "qwen2": Qwen2}
_REFUSED_KEYS = (
    "expert_count",
    "attention.temperature_scale",
    "attention.temperature_length",
    "attn_logit_softcapping",
    "final_logit_softcapping",
    "attention.clamp_kqv",
    "attention.max_alibi_bias",
    "logit_scale",
    "embedding_scale",
    "residual_scale",
    "attention.scale",
)


def family_of(metadata: Metadata) -> type[Decoder]:
    """Return the decoder of a file's architecture.

    Raises:
        ModelUnsupported: There is none, or the file asks of a known one what it does not do.
    """
    architecture = metadata.text("general.architecture")
    family = _FAMILIES.get(architecture)
    if family is None:
        raise ModelUnsupported(what=f"architecture {shown(architecture)}")
    for key in _REFUSED_KEYS:
        name = f"{architecture}.{key}"
        if name in metadata and metadata.number(name) != 0:
            raise ModelUnsupported(what=name)
    return family
