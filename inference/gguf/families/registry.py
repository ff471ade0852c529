"""Which families there are; a new one is a module and a line here."""

from inference.errors import ModelUnsupported
from inference.gguf.cursor import shown
from inference.gguf.families.decoder import Decoder
from inference.gguf.families.gemma2 import Gemma2
from inference.gguf.families.gemma3 import Gemma3
from inference.gguf.families.granite import Granite
from inference.gguf.families.llama import Llama
from inference.gguf.families.mistral import Mistral
from inference.gguf.families.phi3 import Phi3
from inference.gguf.families.qwen2 import Qwen2
from inference.gguf.families.qwen3 import Qwen3
from inference.gguf.families.smollm3 import SmolLm3
from inference.gguf.metadata import Metadata

_FAMILIES: dict[str, type[Decoder]] = {
    "gemma2": Gemma2,
    "gemma3": Gemma3,
    "granite": Granite,
    "llama": Llama,
    "mistral3": Mistral,
    "phi3": Phi3,
    "qwen2": Qwen2,
    "qwen3": Qwen3,
    "smollm3": SmolLm3,
}
ARCHITECTURES = tuple(_FAMILIES)
"""What `general.architecture` may be."""

_MODEL = "model"
_SPECIAL_KEYS = (
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
    _check_whole_model(metadata)
    architecture = metadata.text("general.architecture")
    family = _FAMILIES.get(architecture)
    if family is None:
        raise ModelUnsupported(
            what=f"architecture {shown(architecture)}", supported=", ".join(ARCHITECTURES)
        )
    for key in _SPECIAL_KEYS:
        name = f"{architecture}.{key}"
        if key not in family.honors and name in metadata and metadata.number(name) != 0:
            raise ModelUnsupported(what=name)
    if not metadata.flag(f"{architecture}.attention.causal", default=True):
        raise ModelUnsupported(what="attention to later tokens")
    _check_scaling(metadata, architecture, family)
    return family


def _check_whole_model(metadata: Metadata) -> None:
    kind = metadata.text("general.type", _MODEL)
    if kind != _MODEL:
        raise ModelUnsupported(what=f"a file of the kind {shown(kind)}")
    files = metadata.integer("split.count", 1)
    if files > 1:
        raise ModelUnsupported(what=f"a model in {files} files")


def _check_scaling(metadata: Metadata, architecture: str, family: type[Decoder]) -> None:
    prefix = f"{architecture}.rope.scaling"
    kind = metadata.text(f"{prefix}.type", "none")
    if kind not in family.rope_scalings and metadata.number(f"{prefix}.factor", 0.0) not in (0, 1):
        raise ModelUnsupported(what=f"rope scaling {shown(kind)}")
