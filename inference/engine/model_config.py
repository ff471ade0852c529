"""What `genai_config.json` says about a model, checked by hand where it enters."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inference.errors import InferenceError, ModelDamaged, ModelMissing

FILE_NAME = "genai_config.json"

_KV_VALUE_BYTES = 4
_KEYS_AND_VALUES = 2


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """The facts about a model that the host works with.

    Attributes:
        context_tokens: The largest context window.
        vocab_size: Ids from 0 up to this are valid.
        eos_ids: Any of them ends an answer.
        layers: How many layers keep keys and values.
        kv_token_bytes: Memory that one token's keys and values take, in float32.
        shares_kv: A run writes into the buffer it reads from, behind what was there.
    """

    context_tokens: int
    vocab_size: int
    eos_ids: frozenset[int]
    layers: int
    kv_token_bytes: int
    shares_kv: bool


def read(folder: Path) -> ModelConfig:
    """Return the configuration of a model folder.

    Raises:
        ModelMissing: The folder or the file is not there.
        ModelDamaged: The file cannot be read.
    """
    try:
        raw = (folder / FILE_NAME).read_bytes()
    except OSError as error:
        raise ModelMissing(model=folder.name) from error
    try:
        described = json.loads(raw)
        return _parse(described["model"], described.get("search", {}))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _damaged() from error


def _parse(model: dict[str, Any], search: dict[str, Any]) -> ModelConfig:
    decoder = model["decoder"]
    eos = model["eos_token_id"]
    config = ModelConfig(
        context_tokens=int(model["context_length"]),
        vocab_size=int(model["vocab_size"]),
        eos_ids=frozenset(map(int, eos if isinstance(eos, list) else [eos])),
        layers=int(decoder["num_hidden_layers"]),
        kv_token_bytes=_KEYS_AND_VALUES
        * _KV_VALUE_BYTES
        * int(decoder["num_hidden_layers"])
        * int(decoder["num_key_value_heads"])
        * int(decoder["head_size"]),
        shares_kv=search.get("past_present_share_buffer") is True,
    )
    if config.context_tokens < 1 or config.vocab_size < 1:
        raise _damaged()
    return config


def _damaged() -> InferenceError:
    return ModelDamaged(file=FILE_NAME, reason="it does not describe a model")
