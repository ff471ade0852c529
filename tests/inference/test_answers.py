"""One request in steps: how it ends, goes on, and what it leaves to the next."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inference import drafts, model
from inference.answer import Answer
from inference.drafts import StepCosts
from inference.engine.protocol import Logits
from inference.errors import SchemaUnsupported
from inference.model import Model
from inference.prompt import PromptBuilder
from inference.types import (
    ChatMessage,
    Event,
    Finished,
    GenerationRequest,
    LoadModel,
    Sampling,
    TextDelta,
)

pytestmark = pytest.mark.engine

QUESTION = ChatMessage("user", "the hot water came first")
_SLOW = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.fixture(scope="module")
def tiny(tiny_model: Path) -> Iterator[Model]:
    loaded, _ = model.load(LoadModel(1, str(tiny_model)))
    yield loaded
    loaded.close()


@pytest.fixture(scope="module")
def starter(starter_model: Path) -> Iterator[Model]:
    loaded, _ = model.load(LoadModel(1, str(starter_model), context_tokens=2048))
    yield loaded
    loaded.close()


def run(loaded: Model, *messages: ChatMessage, **options: object) -> tuple[str, Finished]:
    """Run one answer to its end in the session `s`."""
    events: list[Event] = []
    request = GenerationRequest(1, "s", messages, **options)  # type: ignore[arg-type]
    answer = Answer(loaded, request, arrived_s=0.0, send=events.append, is_cancelled=lambda: False)
    while not answer.step():
        pass
    finished = events[-1]
    assert isinstance(finished, Finished)
    deltas = [event for event in events if isinstance(event, TextDelta)]
    return "".join(event.text for event in deltas if event.channel == "answer"), finished


@_SLOW
@given(
    seed=st.integers(0, 1 << 32),
    at=st.integers(0, 60),
    length=st.integers(1, 12),
    drafts=st.booleans(),
)
def test_an_answer_ends_before_its_stop_string(
    tiny: Model, seed: int, at: int, length: int, drafts: bool
) -> None:
    tiny.sessions.drop("s")
    free = Sampling(temperature=1, seed=seed, max_new_tokens=24)
    text, _ = run(tiny, QUESTION, sampling=free)
    stop = text[at : at + length]
    if not stop:
        return
    tiny.sessions.drop("s")
    stopping = Sampling(temperature=1, seed=seed, max_new_tokens=24, stop=(stop,))
    said, finished = run(tiny, QUESTION, sampling=stopping, drafts=drafts)

    assert said == text[: text.index(stop)]
    assert finished.reason == "stop"
    follow_up = [QUESTION, ChatMessage("assistant", said), ChatMessage("user", "and then?")]
    spelled = dict(tiny.sessions.get("s").spelled)
    ids = tiny.prompts.build(follow_up, spelled=spelled)
    assert f"assistant\n{said}<|im_end|>" in tiny.tokenizer.spell(ids)
    _, second = run(tiny, *follow_up, sampling=Sampling(max_new_tokens=2))
    assert second.cached_tokens >= finished.prompt_tokens


@_SLOW
@given(
    seed=st.integers(0, 1 << 32),
    caps=st.lists(st.integers(1, 9), min_size=2, max_size=4),
    is_kept=st.booleans(),
    drafts=st.booleans(),
)
def test_an_answer_goes_on_as_if_it_had_not_been_cut(
    tiny: Model, seed: int, caps: list[int], is_kept: bool, drafts: bool
) -> None:
    tiny.sessions.drop("s")
    question = ChatMessage("user", f"number {seed}")
    whole, uncut = run(tiny, question, sampling=Sampling(temperature=0, max_new_tokens=sum(caps)))
    whole_ids = tiny.sessions.get("s").spelled.get(whole)
    if uncut.reason != "length" or whole_ids is None:  # a control token was drawn
        return
    tiny.sessions.drop("s")
    text = ""
    for count, cap in enumerate(caps):
        if count and not text:  # half a character: there is nothing to go on from
            return
        messages = [question, ChatMessage("assistant", text)] if count else [question]
        spelled = tiny.sessions.get("s").spelled
        if not is_kept:
            tiny.sessions.drop("s")
            tiny.sessions.get("s").spelled = spelled
        more, finished = run(
            tiny,
            *messages,
            sampling=Sampling(temperature=0, max_new_tokens=cap),
            continues=bool(count),
            drafts=drafts,
        )
        text += more
        if count and is_kept:
            assert finished.cached_tokens == finished.prompt_tokens - 1

    assert text == whole
    assert tiny.sessions.get("s").spelled.get(text) == whole_ids


@pytest.mark.starter
@pytest.mark.parametrize("is_kept", [True, False])
def test_the_starter_goes_on_where_it_was_cut(starter: Model, is_kept: bool) -> None:
    question = ChatMessage("user", "List the days of the week.")
    starter.sessions.drop("s")
    whole, uncut = run(starter, question, sampling=Sampling(temperature=0, max_new_tokens=40))
    whole_ids = starter.sessions.get("s").spelled[whole]
    starter.sessions.drop("s")
    begin, cut = run(starter, question, sampling=Sampling(temperature=0, max_new_tokens=15))
    assert cut.reason == "length"
    if not is_kept:
        starter.sessions.drop("s")
    end, more = run(
        starter,
        question,
        ChatMessage("assistant", begin),
        sampling=Sampling(temperature=0, max_new_tokens=25),
        continues=True,
    )

    assert begin + end == whole
    assert more.reason == uncut.reason
    assert starter.sessions.get("s").spelled[whole] == whole_ids
    assert more.cached_tokens == (more.prompt_tokens - 1 if is_kept else 0)


def test_an_answer_that_said_nothing_yet_begins_anew(tiny: Model) -> None:
    sampling = Sampling(temperature=0, max_new_tokens=5)
    tiny.sessions.drop("s")
    fresh, first = run(tiny, QUESTION, sampling=sampling)
    nothing = ChatMessage("assistant", "")
    again, second = run(tiny, QUESTION, nothing, sampling=sampling, continues=True)

    assert (again, second.prompt_tokens) == (fresh, first.prompt_tokens)


@pytest.mark.parametrize("temperature", [0.0, 0.05])
def test_drafts_that_come_true_change_no_answer(
    tiny: Model, temperature: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drafts, "_COSTS", (1.0,))  # always worth it
    sampling = Sampling(temperature=temperature, top_k=3, seed=2, max_new_tokens=120)
    tiny.sessions.drop("s")
    plain, _ = run(tiny, QUESTION, sampling=sampling, ignore_eos=True)
    tiny.sessions.drop("s")
    drafted, finished = run(tiny, QUESTION, sampling=sampling, ignore_eos=True, drafts=True)

    assert (drafted, finished.generated_tokens) == (plain, 120)
    assert 0 < finished.accepted_tokens <= finished.drafted_tokens


def test_with_a_seed_the_speed_of_the_machine_decides_on_no_draft(
    tiny: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    drafted = set()
    for seconds in (0.1, 10.0):
        costs = StepCosts()
        for _ in range(100):
            for tokens in range(1, 9):
                costs.measured(tokens, 0.1 if tokens == 1 else seconds)
        monkeypatch.setattr(tiny, "controls", replace(tiny.controls, costs=costs))
        tiny.sessions.drop("s")
        sampling = Sampling(temperature=0, seed=2, max_new_tokens=120)
        _, finished = run(tiny, QUESTION, sampling=sampling, ignore_eos=True, drafts=True)
        drafted.add(finished.drafted_tokens)

    assert len(drafted) == 1
    assert drafted != {0}


def test_the_same_seed_gives_the_same_answer_with_every_rule(tiny: Model) -> None:
    texts = set()
    for seed in (5, 5, 6):
        tiny.sessions.drop("s")
        sampling = Sampling(
            temperature=1.2,
            top_k=0,
            top_p=0.98,
            min_p=0.001,
            repetition_penalty=1.2,
            seed=seed,
            max_new_tokens=20,
        )
        texts.add((seed, run(tiny, QUESTION, sampling=sampling)[0]))

    assert len(texts) == 2
    assert len({text for _, text in texts}) == 2


def test_repetition_is_penalized(tiny: Model) -> None:
    def repeats(penalty: float) -> int:
        tiny.sessions.drop("s")
        sampling = Sampling(temperature=0, max_new_tokens=40, repetition_penalty=penalty)
        _, finished = run(tiny, QUESTION, sampling=sampling, ignore_eos=True)
        ids = tiny.sessions.get("s").ids[finished.prompt_tokens :]
        return len(ids) - len(set(ids))

    assert repeats(5.0) < repeats(1.0)


def test_a_thought_is_apart_and_the_next_turn_goes_back_behind_the_question(
    tiny: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    template = (
        "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n"
        "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n<think>\n{% endif %}"
    )
    monkeypatch.setattr(tiny, "prompts", PromptBuilder(tiny.tokenizer, template))
    tiny.sessions.drop("s")
    sampling = Sampling(temperature=0, max_new_tokens=9)
    text, first = run(tiny, QUESTION, sampling=sampling, schema='{"const": "never"}')

    assert text == ""
    assert first.thought_tokens == first.generated_tokens
    assert 0 < first.thought_s <= first.decode_s + first.ttft_s
    assert "" not in tiny.sessions.get("s").spelled
    _, second = run(tiny, QUESTION, ChatMessage("assistant", "yes"), QUESTION, sampling=sampling)
    header = len(tiny.tokenizer.encode("<think>\n"))
    assert second.cached_tokens == first.prompt_tokens - header


PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 24},
        "kind": {"enum": ["invoice", "letter", "note"]},
    },
    "required": ["name", "kind"],
    "additionalProperties": False,
}
SCHEMAS = {
    "enum": {"enum": ["red", "green", "blue"]},
    "object": PERSON,
    "nested": {
        "type": "object",
        "properties": {"from": PERSON, "paid": {"type": "boolean"}, "note": {"type": "null"}},
        "required": ["from", "paid", "note"],
        "additionalProperties": False,
    },
    "array": {
        "type": "array",
        "items": {"type": "string", "maxLength": 12},
        "minItems": 2,
        "maxItems": 4,
    },
    "numbers": {
        "type": "object",
        "properties": {
            "count": {"type": "integer", "minimum": 3, "maximum": 40},
            "share": {"type": "number", "minimum": 0, "maximum": 1},
        },
        "required": ["count", "share"],
        "additionalProperties": False,
    },
}


def conforms(value: object, schema: dict[str, object]) -> bool:  # noqa: PLR0911 - one a keyword
    """Check the few keywords of the schemas above, by hand."""
    if "enum" in schema:
        return value in schema["enum"]  # type: ignore[operator]
    match schema["type"]:
        case "object":
            properties = schema["properties"]
            assert isinstance(properties, dict)
            return (
                isinstance(value, dict)
                and value.keys() == properties.keys()
                and all(conforms(value[name], each) for name, each in properties.items())
            )
        case "array":
            items = schema["items"]
            assert isinstance(items, dict)
            return (
                isinstance(value, list)
                and schema["minItems"] <= len(value) <= schema["maxItems"]  # type: ignore[operator]
                and all(conforms(each, items) for each in value)
            )
        case "string":
            return isinstance(value, str) and len(value) <= schema["maxLength"]  # type: ignore[operator]
        case "boolean":
            return isinstance(value, bool)
        case "null":
            return value is None
        case "integer" | "number" as kind:
            is_kind = type(value) is int or (kind == "number" and type(value) is float)
            return is_kind and schema["minimum"] <= value <= schema["maximum"]  # type: ignore[operator]
    return False


@pytest.mark.starter
@pytest.mark.parametrize("name", SCHEMAS)
@pytest.mark.parametrize("temperature", [0.0, 1.5])
def test_an_answer_follows_its_schema(starter: Model, name: str, temperature: float) -> None:
    schema = SCHEMAS[name]
    for seed in range(3):
        sampling = Sampling(temperature=temperature, top_p=1, seed=seed, max_new_tokens=400)
        text, finished = run(
            starter,
            ChatMessage("user", "Describe the letter of Ms. Meyer as JSON."),
            sampling=sampling,
            schema=json.dumps(schema),
            drafts=bool(seed % 2),
        )
        assert finished.reason == "stop"
        assert conforms(json.loads(text), schema), text  # type: ignore[arg-type]
        starter.sessions.drop("s")


@pytest.mark.starter
def test_a_cap_ends_a_guided_answer_early_and_it_can_go_on(starter: Model) -> None:
    question = ChatMessage("user", "Describe the letter of Ms. Meyer as JSON.")
    schema = json.dumps(SCHEMAS["nested"])
    starter.sessions.drop("s")
    begin, cut = run(
        starter, question, sampling=Sampling(temperature=0, max_new_tokens=7), schema=schema
    )
    assert cut.reason == "length"
    assert cut.generated_tokens == 7
    end, finished = run(
        starter,
        question,
        ChatMessage("assistant", begin),
        sampling=Sampling(temperature=0),
        schema=schema,
        continues=True,
    )

    assert finished.reason == "stop"
    assert conforms(json.loads(begin + end), SCHEMAS["nested"])  # type: ignore[arg-type]


@pytest.mark.starter
def test_what_the_schema_forces_is_computed_in_one_call(starter: Model) -> None:
    schema = json.dumps({"const": "a long text that nobody needs to think about at all"})
    _, finished = run(starter, QUESTION, sampling=Sampling(seed=1), schema=schema)

    assert finished.accepted_tokens == finished.drafted_tokens
    if starter.engine.verify_tokens > 1:
        assert finished.accepted_tokens > finished.generated_tokens / 2


@pytest.mark.parametrize(
    "schema",
    [
        "no JSON",
        "[1]",
        '{"type": 3}',
        "false",
        '{"not": {"type": "string"}}',
        '{"$ref": "http://a.b/c"}',
    ],
)
def test_a_schema_that_cannot_be_followed_says_so(tiny: Model, schema: str) -> None:
    with pytest.raises(SchemaUnsupported) as caught:
        run(tiny, QUESTION, schema=schema)
    assert caught.value.facts["reason"]


REPEATED = (
    "Say the main point of this in one sentence: the library takes a fee of 2 euros a week.",
    "What is this document about? Answer in one sentence: rules, fees, opening hours, lost books.",
    "Write three words about the sea, then a line about the weather of the coast in the winter.",
    "Explain in one sentence why a pump stops when sand and leaves have come into its filter.",
)


def test_with_a_seed_a_prompt_asked_again_is_computed_as_it_was_the_first_time(
    starter: Model,
) -> None:
    greedy = Sampling(temperature=0, seed=0, max_new_tokens=40)
    for text in REPEATED:
        starter.sessions.drop("s")
        question = ChatMessage("user", f"{text} {' '.join(REPEATED)}")
        fresh = first_logits(starter, question, sampling=greedy)
        said, _ = run(starter, question, sampling=greedy, drafts=True)
        again = first_logits(starter, question, sampling=greedy)

        assert (again == fresh).all()
        second, cached = run(starter, question, sampling=greedy, drafts=True)
        assert second == said
        assert cached.cached_tokens > 0


def first_logits(loaded: Model, *messages: ChatMessage, sampling: Sampling) -> Logits:
    """Return what the first token of an answer is drawn from."""
    request = GenerationRequest(1, "s", messages, sampling=sampling)
    answer = Answer(loaded, request, arrived_s=0, send=lambda _: None, is_cancelled=lambda: False)
    session = loaded.sessions.get("s")
    prompt_tokens = len(loaded.prompts.build(messages, spelled={}))
    while len(session.ids) < prompt_tokens:
        answer.step()
    logits: Logits = session.logits()[-1].copy()
    return logits
