"""qwen2: Qwen 2 and 2.5 and their coders; biases are taken wherever a file has them."""

from inference.gguf.families.decoder import Decoder


class Qwen2(Decoder):
    """The common decoder; rows of q and k lie as the runtime wants them."""

    runtime_type = "qwen2"
