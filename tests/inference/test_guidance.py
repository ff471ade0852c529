"""Which tokens a schema lets through, without a model."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from inference.errors import SchemaUnsupported
from inference.guidance import Grammars, Guide
from inference.tokenizer import Tokenizer

EOS = 2


@pytest.fixture(scope="module")
def tokenizer(tiny_model: Path) -> Tokenizer:
    return Tokenizer.load(tiny_model)


@pytest.fixture(scope="module")
def grammars(tokenizer: Tokenizer) -> Grammars:
    # As many logits as a head has that is padded.
    size = tokenizer.vocab_size + 40
    return Grammars(tokenizer, vocab_size=size, eos_ids=frozenset({EOS}))


def follow(guide: Guide, *, seed: int, most: int = 400) -> list[int]:
    """Draw anything that is allowed until the end."""
    random = np.random.default_rng(seed)
    drawn: list[int] = []
    while not guide.is_complete and len(drawn) < most:
        token = int(random.choice(np.flatnonzero(guide.allowed())))
        if token == EOS:
            break
        guide.push(token)
        drawn.append(token)
    return drawn


@pytest.mark.parametrize("seed", range(8))
def test_whatever_is_drawn_follows_the_schema(
    grammars: Grammars, tokenizer: Tokenizer, seed: int
) -> None:
    schema = {
        "type": "object",
        "properties": {
            "kind": {"enum": ["letter", "note"]},
            "lines": {"type": "array", "items": {"type": "boolean"}, "maxItems": 3},
        },
        "required": ["kind", "lines"],
        "additionalProperties": False,
    }
    ids = follow(grammars.guide(json.dumps(schema)), seed=seed)

    value = json.loads(tokenizer.decode(ids))
    assert value.keys() == {"kind", "lines"}
    assert value["kind"] in ("letter", "note")
    assert len(value["lines"]) <= 3
    assert all(isinstance(line, bool) for line in value["lines"])
    assert tokenizer.control_ids.isdisjoint(ids)


def test_an_answer_may_end_only_where_it_is_whole(grammars: Grammars, tokenizer: Tokenizer) -> None:
    guide = grammars.guide('{"type": "integer"}')
    assert not guide.allowed()[EOS]
    guide.push(tokenizer.encode("7")[0])

    assert guide.allowed()[EOS]
    assert not guide.allowed()[tokenizer.vocab_size :].any()


def test_what_must_come_is_known(grammars: Grammars, tokenizer: Tokenizer) -> None:
    guide = grammars.guide('{"const": "invoice"}')
    forced = guide.forced()

    assert '"invoice"'.startswith(tokenizer.decode(forced))
    assert len(forced) > 1
    for token in forced:
        assert np.flatnonzero(guide.allowed()).tolist() == [token]
        guide.push(token)


def test_what_is_begun_is_gone_on_with_where_it_follows(
    grammars: Grammars, tokenizer: Tokenizer
) -> None:
    schema = '{"enum": ["letter", "note"]}'
    begun = tokenizer.encode('"le')

    ids = follow(grammars.guide(schema, begun), seed=1)
    assert tokenizer.decode([*begun, *ids]) == '"letter"'
    with pytest.raises(SchemaUnsupported):
        grammars.guide(schema, tokenizer.encode('"fax'))


def test_nobody_pays_for_the_library_without_a_schema() -> None:
    code = "import sys, inference.worker; print('llguidance' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.strip() == "False"
