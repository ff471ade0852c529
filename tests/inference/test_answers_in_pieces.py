"""Whole answers of models whose vocabularies put a space in front of every text."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from inference import model
from inference.gguf.importer import import_gguf
from inference.model import Model
from inference.types import ChatMessage, LoadModel, Sampling
from tests.inference.test_answers import run
from tests.tiny_gguf import write_tiny_gguf
from tests.tiny_pieces import Pieces

pytestmark = pytest.mark.engine

_TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}{% if m['role'] == 'user' %}"
    "{{ '[INST] ' + m['content'] + ' [/INST]' }}{% else %}{{ ' ' + m['content'] + eos_token }}"
    "{% endif %}{% endfor %}"
)
_CONTROL = ("<unk>", "<s>", "</s>", "[INST]", "[/INST]")
_SLOW = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
QUESTION = ChatMessage("user", "the dead bed")


def load(folder: Path, template: str | None) -> Model:
    pieces = Pieces(control=_CONTROL)
    write_tiny_gguf(folder / "tiny.gguf", metadata=pieces.metadata(template))
    import_gguf(folder / "tiny.gguf", folder / "tiny", accuracy_level=1)
    loaded, event = model.load(LoadModel(1, str(folder / "tiny")))
    assert event.is_instruct is (template is not None)
    return loaded


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Model]:
    loaded = load(tmp_path_factory.mktemp("pieces"), _TEMPLATE)
    yield loaded
    loaded.close()


@_SLOW
@given(seed=st.integers(0, 1 << 32))
def test_the_next_prompt_goes_on_with_the_answer_as_it_was_drawn(tiny: Model, seed: int) -> None:
    tiny.sessions.drop("s")
    sampling = Sampling(temperature=1, seed=seed, max_new_tokens=24)
    text, finished = run(tiny, QUESTION, sampling=sampling)
    drawn = tiny.sessions.get("s").spelled.get(text, [])  # none where a control token was drawn

    follow_up = [QUESTION, ChatMessage("assistant", text), ChatMessage("user", "to bed")]
    _, second = run(tiny, *follow_up, sampling=Sampling(max_new_tokens=2))

    # The last token of an answer was drawn and not yet computed.
    assert second.cached_tokens >= finished.prompt_tokens + max(len(drawn) - 1, 0)


@_SLOW
@given(seed=st.integers(0, 1 << 32), at=st.integers(0, 30), length=st.integers(1, 6))
def test_an_answer_ends_before_its_stop_string(
    tiny: Model, seed: int, at: int, length: int
) -> None:
    tiny.sessions.drop("s")
    sampling = Sampling(temperature=1, seed=seed, max_new_tokens=24)
    text, _ = run(tiny, QUESTION, sampling=sampling)
    stop = text[at : at + length]
    assume(stop)
    tiny.sessions.drop("s")

    said, _ = run(tiny, QUESTION, sampling=replace(sampling, stop=(stop,)))

    assert said == text[: text.index(stop)]
    spelled = tiny.sessions.get("s").spelled.get(said, [])
    assert tiny.tokenizer.decode(spelled) in {said, ""}


def test_a_base_model_says_so_and_answers_all_the_same(tmp_path: Path) -> None:
    loaded = load(tmp_path, None)

    text, finished = run(loaded, QUESTION, sampling=Sampling(temperature=1, max_new_tokens=24))
    loaded.close()

    assert finished.generated_tokens > 0
    assert "\n\nUser:" not in text
