"""`genai_config.json`: what ONNX Runtime GenAI must know beside the graph.

Threads are not in it: how many a model gets is decided when it is loaded.
"""

import json

from inference.gguf.families.dimensions import Dimensions
from inference.gguf.vocabulary import Vocabulary


def runtime_config(
    runtime_type: str,
    dimensions: Dimensions,
    vocabulary: Vocabulary,
    *,
    rows: int,
    context_tokens: int,
) -> str:
    """Return the file's contents; `rows` is the number of scores a position has."""
    decoder = {
        "session_options": {"log_id": "snug", "provider_options": []},
        "filename": "model.onnx",
        "head_size": dimensions.head_size,
        "hidden_size": dimensions.hidden,
        "num_attention_heads": dimensions.heads,
        "num_hidden_layers": dimensions.layers,
        "num_key_value_heads": dimensions.kv_heads,
        "inputs": {
            "input_ids": "input_ids",
            "attention_mask": "attention_mask",
            "past_key_names": "past_key_values.%d.key",
            "past_value_names": "past_key_values.%d.value",
        },
        "outputs": {
            "logits": "logits",
            "present_key_names": "present.%d.key",
            "present_value_names": "present.%d.value",
        },
    }
    model = {
        "type": runtime_type,
        "vocab_size": rows,
        "context_length": context_tokens,
        "bos_token_id": vocabulary.ends[0] if vocabulary.bos is None else vocabulary.bos,
        "eos_token_id": list(vocabulary.ends),
        "pad_token_id": vocabulary.padding,
        "decoder": decoder,
    }
    search = {
        "do_sample": False,
        "max_length": context_tokens,
        "min_length": 0,
        "num_beams": 1,
        "num_return_sequences": 1,
        "past_present_share_buffer": True,
        "repetition_penalty": 1.0,
        "temperature": 1.0,
        "top_k": 50,
        "top_p": 1.0,
    }
    return json.dumps({"model": model, "search": search}, indent=1)
