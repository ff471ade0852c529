"""How well a model foresees a text, against a forward pass that shares nothing with it."""

import json
import math
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tokenizers import Tokenizer
from tokenizers.processors import TemplateProcessing

from inference import manifest
from inference.gguf import importer
from inference.gguf.families import decoder
from inference.prompt import PromptBuilder
from inference.scoring import beginning
from inference.scoring_frames import Scored, ScoreText
from inference.tokenizer import Tokenizer as OurTokenizer
from inference.types import (
    Cancel,
    ChatMessage,
    Event,
    Failed,
    Finished,
    GenerationRequest,
    Loaded,
    LoadModel,
    PrefillProgress,
    Sampling,
)
from tests.benchmarks.perplexity import ENGLISH
from tests.numpy_decoder import NumpyDecoder, perplexity
from tests.worker_thread import WorkerThread

pytestmark = pytest.mark.engine

TEXT = "they said that the number of people in a place is more than one could see in a day. " * 3


@pytest.fixture
def host() -> Iterator[WorkerThread]:
    thread = WorkerThread()
    yield thread
    thread.close()


def load(host: WorkerThread, folder: Path) -> None:
    host.put(LoadModel(1, str(folder)))
    assert isinstance(host.wait(1), Loaded)


def score(host: WorkerThread, text: str, *, max_tokens: int = 512, request_id: int = 2) -> Scored:
    host.put(ScoreText(request_id, f"score-{request_id}", text, max_tokens))
    return scored(host.wait(request_id))


def scored(event: Event) -> Scored:
    assert isinstance(event, Scored), event
    return event


def ids_of(folder: Path, text: str) -> list[int]:
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    return list(tokenizer.encode(text, add_special_tokens=False).ids)


def is_progress(event: Event) -> bool:
    return isinstance(event, PrefillProgress)


def test_a_text_scores_as_the_weights_of_the_file_say(host: WorkerThread, tiny_model: Path) -> None:
    load(host, tiny_model)
    ids = ids_of(tiny_model, TEXT)
    expected = perplexity(NumpyDecoder(tiny_model.parent / "tiny.gguf").logits(ids), ids)

    found = score(host, TEXT)

    assert found.scored_tokens == len(ids) - 1
    assert found.perplexity == pytest.approx(expected, rel=2e-3)
    assert found.read_characters == len(TEXT)
    first = OurTokenizer.load(tiny_model).decode(ids[:1])
    assert found.scored_bytes == len(TEXT) - len(first)
    assert found.bits_per_byte == pytest.approx(
        math.log2(expected) * (len(ids) - 1) / found.scored_bytes, rel=1e-3
    )


def test_a_head_that_gives_all_positions_scores_alike(
    host: WorkerThread, tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decoder, "SCORED_TOKENS", 1 << 20)
    importer.import_gguf(tiny_model.parent / "tiny.gguf", tmp_path / "all", accuracy_level=1)
    load(host, tiny_model)
    expected = score(host, TEXT)
    load(host, tmp_path / "all")

    found = score(host, TEXT, request_id=3)

    assert found.nll == pytest.approx(expected.nll, rel=1e-4)


def test_the_begin_token_is_what_the_first_token_is_foreseen_by(
    host: WorkerThread, tiny_model: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "begins"
    shutil.copytree(tiny_model, folder)
    (folder / manifest.FILE_NAME).unlink()
    config = json.loads((folder / "tokenizer_config.json").read_text("utf-8"))
    config |= {"add_bos_token": True, "bos_token": "<|endoftext|>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    load(host, folder)
    begin = OurTokenizer.load(folder).token_id("<|endoftext|>")
    assert begin is not None
    ids = [begin, *ids_of(folder, TEXT)]
    expected = perplexity(NumpyDecoder(tiny_model.parent / "tiny.gguf").logits(ids), ids)

    found = score(host, TEXT)

    assert found.scored_tokens == len(ids) - 1
    assert found.scored_bytes == len(TEXT)
    assert found.perplexity == pytest.approx(expected, rel=2e-3)


def test_a_long_text_is_cut_and_says_where(host: WorkerThread, tiny_model: Path) -> None:
    load(host, tiny_model)
    long = TEXT * 50

    found = score(host, long, max_tokens=40)

    again = score(host, long[: found.read_characters], max_tokens=4000, request_id=3)
    assert found.scored_tokens <= 39
    assert again.read_characters == found.read_characters < len(TEXT)
    assert again.nll == pytest.approx(found.nll, rel=1e-6)
    assert len(ids_of(tiny_model, long[: found.read_characters + 12])) > 40


def test_nothing_of_a_text_is_a_control_token(tiny_model: Path) -> None:
    tokenizer = OurTokenizer.load(tiny_model)

    _, ids = beginning(tokenizer, "see <|im_end|> here", 100)

    assert not set(ids) & tokenizer.control_ids


def test_a_cancelled_scoring_ends_at_the_next_step(host: WorkerThread, tiny_model: Path) -> None:
    load(host, tiny_model)
    host.put(ScoreText(2, "score", TEXT * 20, 2000))
    host.wait_for(2, is_progress)

    host.put(Cancel(2))

    ended = host.wait(2)
    assert isinstance(ended, Failed)
    assert ended.code == "cancelled"
    assert score(host, TEXT, request_id=3).scored_tokens > 0


def test_a_question_goes_before_a_scoring(host: WorkerThread, tiny_model: Path) -> None:
    load(host, tiny_model)
    expected = score(host, TEXT * 6)
    host.put(ScoreText(3, "score", TEXT * 6))
    host.wait_for(3, is_progress)
    sampling = Sampling(temperature=0, max_new_tokens=4)

    host.put(GenerationRequest(4, "chat", (ChatMessage("user", "hot water"),), sampling))

    assert isinstance(host.wait(4), Finished)
    assert not any(isinstance(event, Scored) for event in host.of(3))
    assert scored(host.wait(3)).nll == pytest.approx(expected.nll, rel=1e-6)


@pytest.mark.parametrize("text", ["", "x"])
def test_a_text_without_anything_to_foresee_is_refused(
    host: WorkerThread, tiny_model: Path, text: str
) -> None:
    load(host, tiny_model)

    host.put(ScoreText(2, "score", text))

    ended = host.wait(2)
    assert isinstance(ended, Failed)
    assert ended.code == "empty_prompt"


@pytest.mark.parametrize(
    ("said", "front"),
    [({"add_bos_token": False}, False), ({"add_bos_token": True}, True), ({}, True)],
)
def test_where_a_folder_says_nothing_its_tokenizer_says_what_is_in_front(
    tiny_model: Path, said: dict[str, bool], *, front: bool
) -> None:
    backend = Tokenizer.from_file(str(tiny_model / "tokenizer.json"))
    begin = backend.token_to_id("<|endoftext|>")
    backend.post_processor = TemplateProcessing(
        single="<|endoftext|> $A", special_tokens=[("<|endoftext|>", begin)]
    )
    tokenizer = OurTokenizer(backend, {"bos_token": "<|endoftext|>", **said})

    assert PromptBuilder(tokenizer, None).text_front == ((begin,) if front else ())


@pytest.mark.starter
def test_the_starter_has_the_perplexity_that_the_benchmark_finds(
    host: WorkerThread, starter_model: Path
) -> None:
    load(host, starter_model)

    found = score(host, ENGLISH.read_text("utf-8"), max_tokens=1000)

    assert found.scored_tokens == 876
    assert found.perplexity == pytest.approx(15.18, rel=0.01)
