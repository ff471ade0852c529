"""Scores of a model folder from the runtime itself, for comparisons."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from inference import quiet
from inference.gguf.families.decoder import SCORED_TOKENS


def runtime_logits(
    folder: Path, ids: list[int], *, chunk_tokens: int = SCORED_TOKENS, threads: int = 2
) -> NDArray[np.float32]:
    """Return float32[len(ids), vocabulary]; rows that a call does not score are zeros.

    Args:
        chunk_tokens: Tokens a call; at most `SCORED_TOKENS` for the scores of every position.
    """
    assert quiet.ENVIRONMENT
    import onnxruntime_genai as runtime

    config = runtime.Config(str(folder))
    session = f'{{"intra_op_num_threads": {threads}}}'
    config.overlay(f'{{"model": {{"decoder": {{"session_options": {session}}}}}}}')
    parameters = runtime.GeneratorParams(model := runtime.Model(config))
    parameters.set_search_options(max_length=len(ids) + 1)
    generator = runtime.Generator(model, parameters)
    parts = []
    for start in range(0, len(ids), chunk_tokens):
        generator.append_tokens(ids[start : start + chunk_tokens])
        parts.append(np.array(generator.get_output("logits"))[0])
    return np.concatenate(parts)
