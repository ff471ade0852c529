"""llama: Llama 1 to 3, SmolLM2, TinyLlama, Mistral 7B and what else calls itself so."""

import numpy as np
from numpy.typing import NDArray

from inference.gguf.families.decoder import Decoder

_FACTORS = "rope_freqs.weight"


class Llama(Decoder):
    """The common decoder; Llama 3.1 and later bring factors for their frequencies along."""

    runtime_type = "llama"
    pairs_rotary_rows = True

    def frequencies(self) -> NDArray[np.float64]:
        """Return the common frequencies, divided by the file's own factors where it has them."""
        frequencies = super().frequencies()
        if _FACTORS in self.weights:
            frequencies = frequencies / self.weights.vector(_FACTORS, len(frequencies))
        return frequencies
