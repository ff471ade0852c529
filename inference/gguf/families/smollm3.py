"""smollm3: SmolLM 3, Llama's decoder in which every fourth layer knows no positions."""

from inference.gguf.families.llama import Llama

# Not in the files; llama.cpp has it in its code as well.
_PERIOD = 4


class SmolLm3(Llama):
    """Layers 4, 8, 12 and so on do not rotate."""

    runtime_type = "smollm3"

    def rotary(self, layer: int) -> tuple[str, str]:
        """Return the caches, or empty names in a layer that does not rotate."""
        return ("", "") if (layer + 1) % _PERIOD == 0 else super().rotary(layer)
