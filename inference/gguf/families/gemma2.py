"""gemma2: Gemma 2, with caps; every second layer sees all."""

from inference.gguf.families.gemma import Gemma


class Gemma2(Gemma):
    """What Gemma has in common, and the numbers of its published configurations."""

    runtime_type = "gemma2"
    window_tokens = 4096
    window_period = 2
    layers_of_largest = 46
    usual_attention_cap = 50.0
    usual_final_cap = 30.0
