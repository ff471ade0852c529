"""Runs llama.cpp for `snug bench`, by path and with an interpreter that has `llama_cpp`.

It imports nothing of Snug and nothing of Snug imports it. Arguments: file, threads, context window.
Every line of input is a task, `load 0 0` or `run PROMPT NEW`, and every line of output its times as
JSON. All options but threads and context window are as llama-cpp-python has them by default.
"""

import importlib
import json
import sys
import time
from typing import Any

_STRIDE = 7919
_MARGIN = 500


def _load(package: Any, path: str, threads: int, context_tokens: int) -> Any:
    return package.Llama(
        path, n_ctx=context_tokens, n_threads=threads, n_threads_batch=threads, verbose=False
    )


def _run(model: Any, prompt_tokens: int, new_tokens: int) -> dict[str, float]:
    size = model.n_vocab()
    ids = [(index * _STRIDE) % (size - 2 * _MARGIN) + _MARGIN for index in range(prompt_tokens)]
    model.reset()
    began_s = time.perf_counter()
    model.eval(ids)
    token = model.sample(temp=0.0)
    first_s = time.perf_counter()
    for _ in range(new_tokens - 1):
        model.eval([token])
        token = model.sample(temp=0.0)
    return {"prefill_s": first_s - began_s, "decode_s": time.perf_counter() - first_s}


def main() -> None:
    """Answer tasks until the input ends."""
    path, threads, context_tokens = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    package = importlib.import_module("llama_cpp")
    model = _load(package, path, threads, context_tokens)
    _say({"version": package.__version__})
    for line in sys.stdin:
        verb, prompt_tokens, new_tokens = line.split()
        if verb == "run":
            _say(_run(model, int(prompt_tokens), int(new_tokens)))
            continue
        model.close()
        began_s = time.perf_counter()
        model = _load(package, path, threads, context_tokens)
        _say({"load_s": time.perf_counter() - began_s})


def _say(facts: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
