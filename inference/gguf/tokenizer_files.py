"""The tokenizer of a model folder: for the `tokenizers` library, and for the runtime's loader.

Tokens and merges are written as they come out of the file: as lists of Python objects those of a
large vocabulary would take more memory than the largest tensor.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from json.encoder import encode_basestring
from typing import Any

from inference.gguf import sentencepiece
from inference.gguf.metadata import Metadata
from inference.gguf.pretokenizers import byte_level
from inference.gguf.vocabulary import Vocabulary, each_merge, each_token, mergeable

_VOCABULARY, _MERGES = "vocabulary goes here", "merges go here"
_AT_ONCE = 4096


def tokenizer_files(
    vocabulary: Vocabulary, metadata: Metadata, *, context_tokens: int
) -> Mapping[str, Iterable[bytes]]:
    """Return file name to contents, in pieces; those of the tokenizer are made as they are taken.

    A base model has no chat template, and its folder none either.
    """
    files: dict[str, Iterable[bytes]] = {
        "tokenizer.json": _tokenizer(vocabulary, metadata),
        "tokenizer_config.json": [_dump(_settings(vocabulary, context_tokens)).encode()],
    }
    if vocabulary.chat_template is not None:
        files["chat_template.jinja"] = [vocabulary.chat_template.encode()]
    return files


def _tokenizer(vocabulary: Vocabulary, metadata: Metadata) -> Iterator[bytes]:
    # A token of the file may be called like a place; the last ones are the places.
    rest, end = _dump(_frame(vocabulary)).rsplit(f'"{_MERGES}"', 1)
    begin, middle = rest.rsplit(f'"{_VOCABULARY}"', 1)
    yield begin.encode()
    yield b"{"
    yield from _joined(
        f"{encode_basestring(token)}:{number}" for number, token in enumerate(each_token(metadata))
    )
    yield b"}" + middle.encode() + b"["
    yield from _joined(_merges(vocabulary, metadata))
    yield b"]" + end.encode()


def _merges(vocabulary: Vocabulary, metadata: Metadata) -> Iterator[str]:
    if vocabulary.kind == "byte-level":
        return map(encode_basestring, each_merge(metadata))
    return _piece_merges(vocabulary, metadata)


def _piece_merges(vocabulary: Vocabulary, metadata: Metadata) -> Iterator[str]:
    tokens = list(each_token(metadata))
    ids = {token: number for number, token in enumerate(tokens)}
    scores = metadata.floats(sentencepiece.SCORES)
    usable = mergeable(metadata, vocabulary.size)
    write: Callable[[str], str] = encode_basestring
    for left, right in sentencepiece.merges(tokens, ids, scores, usable):
        yield f"[{write(tokens[left])},{write(tokens[right])}]"


def _joined(items: Iterator[str]) -> Iterator[bytes]:
    comma = ""
    while some := list(islice(items, _AT_ONCE)):
        yield (comma + ",".join(some)).encode()
        comma = ","


def _frame(vocabulary: Vocabulary) -> dict[str, Any]:
    """Return the tokenizer with names in the places of the vocabulary and the merges."""
    way = vocabulary.pretokenizer
    pieces = way is None
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": _added(vocabulary),
        **_steps(vocabulary),
        "post_processor": _post_processor(vocabulary),
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": vocabulary.text(vocabulary.unknown) if pieces else None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": pieces,
            "byte_fallback": pieces,
            "ignore_merges": way is not None and way.ignores_merges,
            "vocab": _VOCABULARY,
            "merges": _MERGES,
        },
    }


def _steps(vocabulary: Vocabulary) -> dict[str, Any]:
    if vocabulary.pretokenizer is None:
        return sentencepiece.steps(adds_space=vocabulary.adds_space)
    steps = list(vocabulary.pretokenizer.steps)
    return {
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": steps} if steps[1:] else steps[0],
        "decoder": byte_level(splits=True),
    }


def _added(vocabulary: Vocabulary) -> list[dict[str, Any]]:
    return [
        {
            "id": number,
            "content": vocabulary.texts[number],
            "single_word": False,
            "lstrip": False,
            "rstrip": number in vocabulary.eats_space,
            "normalized": False,
            "special": number in vocabulary.special,
        }
        for number in sorted(vocabulary.special | vocabulary.user_defined)
    ]


def _post_processor(vocabulary: Vocabulary) -> dict[str, Any] | None:
    bos = vocabulary.text(vocabulary.bos)
    if not vocabulary.adds_bos or bos is None:
        return None
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
    settings = {
        "tokenizer_class": _class_name(vocabulary),
        "add_bos_token": vocabulary.adds_bos,
        "add_eos_token": False,
        "add_prefix_space": vocabulary.adds_space,
        "bos_token": vocabulary.text(vocabulary.bos),
        "eos_token": vocabulary.text(vocabulary.ends[0]),
        "pad_token": vocabulary.text(vocabulary.padding),
        "unk_token": vocabulary.text(vocabulary.unknown),
        "model_max_length": context_tokens,
        "clean_up_tokenization_spaces": False,
    }
    if vocabulary.chat_template is not None:
        settings["chat_template"] = vocabulary.chat_template
    return settings


def _class_name(vocabulary: Vocabulary) -> str:
    """Return what makes the runtime's own tokenizer treat spaces as this vocabulary does."""
    if vocabulary.kind == "byte-level":
        return "GPT2Tokenizer"
    return "LlamaTokenizer" if vocabulary.adds_space else "GemmaTokenizer"


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
