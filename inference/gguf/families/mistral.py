"""mistral3: Ministral 3, where it does not change the temperature of attention with the position.

Mistral's earlier models call themselves llama.
"""

from inference.gguf.families.llama import Llama


class Mistral(Llama):
    """Llama's decoder."""

    runtime_type = "mistral"
