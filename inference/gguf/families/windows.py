"""Which layers of a model see a window of tokens only, and which see all."""

from inference.gguf.metadata import Metadata


def local_layers(
    metadata: Metadata, architecture: str, layers: int, *, period: int
) -> tuple[bool, ...]:
    """Say of each layer whether the model's window holds in it.

    The last of every `period` layers sees all, unless the file has a number of its own, or one
    truth for each layer; 0 stands for none of them.

    Raises:
        ModelDamaged: What the file says cannot be.
    """
    key = f"{architecture}.attention.sliding_window_pattern"
    if metadata.is_array(key):
        local = metadata.flags(key)
        if len(local) != layers:
            raise metadata.damaged(f"{key} has another length than there are layers")
        return tuple(local)
    period = metadata.integer(key, period)
    if period < 0:
        raise metadata.damaged(f"{key} is absurd")
    return tuple(period == 0 or (layer + 1) % period != 0 for layer in range(layers))
