"""The tokenizer of a model folder: for the `tokenizers` library, and for the runtime's loader."""

import json
from collections.abc import Mapping
from typing import Any

from inference.gguf.pretokenizers import byte_level
from inference.gguf.vocabulary import Vocabulary


def tokenizer_files(vocabulary: Vocabulary, *, context_tokens: int) -> Mapping[str, str]:
    """Return file name to contents."""
    return {
        "tokenizer.json": _dump(_tokenizer(vocabulary)),
        "tokenizer_config.json": _dump(_settings(vocabulary, context_tokens)),
        "chat_template.jinja": vocabulary.chat_template,
    }


def _tokenizer(vocabulary: Vocabulary) -> dict[str, Any]:
    tokens = vocabulary.tokens
    steps = list(vocabulary.pretokenizer.steps)
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": _added(vocabulary),
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": steps} if steps[1:] else steps[0],
        "post_processor": _post_processor(vocabulary),
        "decoder": byte_level(splits=True),
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": vocabulary.pretokenizer.ignores_merges,
            "vocab": {token: number for number, token in enumerate(tokens)},
            "merges": vocabulary.merges,
        },
    }


def _added(vocabulary: Vocabulary) -> list[dict[str, Any]]:
    return [
        {
            "id": number,
            "content": vocabulary.tokens[number],
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": number in vocabulary.special,
        }
        for number in sorted(vocabulary.special | vocabulary.user_defined)
    ]


def _post_processor(vocabulary: Vocabulary) -> dict[str, Any] | None:
    if not vocabulary.adds_bos or vocabulary.bos is None:
        return None
    bos = vocabulary.tokens[vocabulary.bos]
    start = {"SpecialToken": {"id": bos, "type_id": 0}}
    first = {"Sequence": {"id": "A", "type_id": 0}}
    second = {"Sequence": {"id": "B", "type_id": 1}}
    return {
        "type": "TemplateProcessing",
        "single": [start, first],
        "pair": [start, first, start, second],
        "special_tokens": {bos: {"id": bos, "ids": [vocabulary.bos], "tokens": [bos]}},
    }


def _settings(vocabulary: Vocabulary, context_tokens: int) -> dict[str, Any]:
    def text(number: int | None) -> str | None:
        return None if number is None else vocabulary.tokens[number]

    return {
        "tokenizer_class": "GPT2Tokenizer",
        "add_bos_token": vocabulary.adds_bos,
        "add_eos_token": False,
        "add_prefix_space": False,
        "bos_token": text(vocabulary.bos),
        "eos_token": text(vocabulary.ends[0]),
        "pad_token": text(vocabulary.padding),
        "unk_token": text(vocabulary.unknown),
        "model_max_length": context_tokens,
        "clean_up_tokenization_spaces": False,
        "chat_template": vocabulary.chat_template,
    }


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
