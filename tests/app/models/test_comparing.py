"""Comparisons with real models: a tiny one, imported with two precisions."""

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from app.children import Verb
from app.errors import ComparisonTight, ModelUnknown
from app.models.comparing import Comparison
from app.models.comparing_job import CompareJob
from app.models.comparing_values import ComparisonReport, Contender, Measured, Trial
from app.models.comparing_words import sentences
from app.models.device_values import Decision
from app.models.installed import InstalledModel, InstalledModels
from app.models.task import Task
from app.settings import Settings
from inference.child import Child
from inference.devices import processor_target
from inference.errors import Cancelled, DeviceUnavailable, WorkerDied
from inference.scoring_frames import Scored
from tests.numpy_decoder import NumpyDecoder, perplexity
from tests.tiny_gguf import write_tiny_gguf

pytestmark = pytest.mark.engine

GB = 1 << 30
TEXT = "they said that the number of people in a place is more than one could see in a day. " * 20
TWO = (Contender("tiny"), Contender("other", "cpu"))


@pytest.fixture(scope="module")
def models(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from inference.gguf import importer

    folder = tmp_path_factory.mktemp("compared")
    shutil.copytree(tiny_model, folder / "tiny")
    other = write_tiny_gguf(folder.parent / "other.gguf", seed=5, types=("Q4_0",))
    importer.import_gguf(other, folder / "other", accuracy_level=1)
    return folder


def decide(_model: InstalledModel, _wish: str) -> Decision:
    return Decision(processor_target())


def comparison(
    models: Path,
    launch: Callable[[Verb], Child],
    *,
    free_bytes: int = 8 * GB,
    decide: Callable[[InstalledModel, str], Decision] = decide,
) -> Comparison:
    return Comparison(
        lambda: launch("host"),
        InstalledModels(models),
        Settings,
        decide=decide,
        free=lambda _pid: free_bytes,
    )


def test_two_models_are_measured_one_after_the_other(
    models: Path, launch: Callable[[Verb], Child]
) -> None:
    updates: list[ComparisonReport] = []
    trial = Trial(("hot water", "the first number"), TEXT, answer_tokens=12, text_tokens=60)

    report = comparison(models, launch).run(TWO, trial, task=Task(), on_update=updates.append)

    first, second = report.measured
    for each in report.measured:
        assert (each.stage, each.error) == ("done", None)
        assert each.load_s > 0
        assert each.peak_bytes > 10_000_000
        assert each.ttft_s > 0
        assert each.prefill_tokens_per_s > 0
        assert each.decode_tokens_per_s > 0
        assert len(each.answers) == 2
        assert all(answer.finished is not None for answer in each.answers)
    assert [answer.text for answer in first.answers] != [answer.text for answer in second.answers]
    assert first.scored is not None
    assert second.scored is not None
    assert first.scored.scored_tokens <= 59
    assert second.scored.read_characters == first.scored.read_characters < len(TEXT)
    both = [
        report
        for report in updates
        if [each.stage for each in report.measured].count("waiting") == 0
        and report.measured[0].stage != "done"
    ]
    assert not both, "the second began before the first had ended"
    assert any("differ" in sentence for sentence in sentences(report))


def test_the_text_is_foreseen_as_the_file_says(
    models: Path, tiny_model: Path, launch: Callable[[Verb], Child]
) -> None:
    report = comparison(models, launch).run(
        (Contender("tiny"),), Trial((), TEXT, text_tokens=100), task=Task()
    )

    (measured,) = report.measured
    assert measured.scored is not None
    from tokenizers import Tokenizer

    read = TEXT[: measured.scored.read_characters]
    tokenizer = Tokenizer.from_file(str(tiny_model / "tokenizer.json"))
    ids = list(tokenizer.encode(read, add_special_tokens=False).ids)
    expected = perplexity(NumpyDecoder(tiny_model.parent / "tiny.gguf").logits(ids), ids)
    assert measured.scored.perplexity == pytest.approx(expected, rel=2e-3)


def test_the_same_model_twice_gives_the_same_answers(
    models: Path, launch: Callable[[Verb], Child]
) -> None:
    same = (Contender("tiny", "cpu"), Contender("tiny", "cpu"))

    report = comparison(models, launch).run(
        same, Trial(("hot water",), TEXT, answer_tokens=8, text_tokens=40), task=Task()
    )

    said = sentences(report)
    assert "All answers are the same, word for word." in said
    assert "Both read your text about as well." in said


def test_stopping_keeps_what_was_measured(models: Path, launch: Callable[[Verb], Child]) -> None:
    task = Task()
    updates: list[ComparisonReport] = []

    def look(report: ComparisonReport) -> None:
        updates.append(report)
        if report.measured[1].stage == "answering":
            task.stop()

    with pytest.raises(Cancelled):
        comparison(models, launch).run(
            TWO, Trial(("hot water",), answer_tokens=8), task=task, on_update=look
        )

    first, second = updates[-1].measured
    assert first.stage == "done"
    assert first.decode_tokens_per_s > 0
    assert second.stage == "stopped"


def test_too_little_memory_is_said_before_anything_is_loaded(
    models: Path, launch: Callable[[Verb], Child]
) -> None:
    updates: list[ComparisonReport] = []

    with pytest.raises(ComparisonTight) as caught:
        comparison(models, launch, free_bytes=1000).run(
            TWO, Trial(("hot water",)), task=Task(), on_update=updates.append
        )

    assert caught.value.facts["free_bytes"] == 1000
    assert not updates


def test_a_person_may_go_on_although_memory_is_short(
    models: Path, launch: Callable[[Verb], Child]
) -> None:
    trial = Trial(("hot water",), answer_tokens=4, accepts_memory=True)

    report = comparison(models, launch, free_bytes=1000).run(TWO[:1], trial, task=Task())

    assert report.measured[0].stage == "done"


def test_an_unknown_model_is_refused(models: Path, launch: Callable[[Verb], Child]) -> None:
    with pytest.raises(ModelUnknown):
        comparison(models, launch).run((Contender("nobody"),), Trial(("x",)), task=Task())


def test_one_that_cannot_run_says_so_and_the_other_is_measured(
    models: Path, launch: Callable[[Verb], Child]
) -> None:
    def choose(model: InstalledModel, wish: str) -> Decision:
        if model.id == "tiny":
            raise DeviceUnavailable(device="gpu", reason="it is not there")
        return decide(model, wish)

    report = comparison(models, launch, decide=choose).run(
        TWO, Trial(("hot water",), answer_tokens=4), task=Task()
    )

    first, second = report.measured
    assert (first.stage, second.stage) == ("failed", "done")
    assert isinstance(first.error, DeviceUnavailable)


def test_a_host_that_dies_costs_its_own_contender_only(
    models: Path, launch: Callable[[Verb], Child]
) -> None:
    hosts: list[Child] = []

    def start(verb: Verb) -> Child:
        hosts.append(launch(verb))
        if len(hosts) == 1:
            hosts[0].kill()
        return hosts[-1]

    report = comparison(models, start).run(TWO, Trial(("hot water",), answer_tokens=4), task=Task())

    first, second = report.measured
    assert isinstance(first.error, WorkerDied)
    assert second.stage == "done"


def test_a_job_ends_with_what_it_has(models: Path, launch: Callable[[Verb], Child]) -> None:
    reached = threading.Event()

    def work(task: Task, on_report: Callable[[ComparisonReport], None]) -> ComparisonReport:
        def tell(report: ComparisonReport) -> None:
            on_report(report)
            if report.measured[0].stage == "answering":
                reached.set()

        trial = Trial(("hot water " * 20,) * 50, answer_tokens=200)
        return comparison(models, launch).run(TWO, trial, task=task, on_update=tell)

    job = CompareJob(work)
    job.start()
    assert reached.wait(60)
    job.stop()
    view = job.wait(60)

    assert (view.stage, view.is_last) == ("stopped", True)
    assert view.report is not None
    assert view.report.measured[0].load_s > 0


def test_a_job_that_is_refused_says_why(models: Path, launch: Callable[[Verb], Child]) -> None:
    job = CompareJob(
        lambda task, tell: comparison(models, launch, free_bytes=1).run(
            TWO, Trial(("x",)), task=task, on_update=tell
        )
    )
    job.start()

    view = job.wait(60)

    assert view.stage == "failed"
    assert isinstance(view.error, ComparisonTight)


def measured(title: str, *, bits: float = 1.0, peak_bytes: int = GB, read: int = 8) -> Measured:
    nll = bits * 8 * 0.6931471805599453
    return Measured(
        Contender(title),
        title,
        "Q4_0",
        1,
        peak_bytes=peak_bytes,
        scored=Scored(1, nll, 4, 8, read, 0.1),
    )


def report_of(*each: Measured) -> ComparisonReport:
    return ComparisonReport((), 4096, each)


def test_sentences_say_by_how_much() -> None:
    left, right = measured("A", bits=1.0, peak_bytes=3 * GB), measured("B", bits=0.88)

    assert sentences(report_of(left, right)) == (
        "B takes 2.1 GB less memory.",
        "B reads your text better by 12 %.",
    )


def test_texts_of_which_different_parts_were_read_are_not_compared() -> None:
    said = sentences(report_of(measured("A"), measured("B", bits=0.5, read=7)))

    assert said == ("They did not read the same part of your text, so that says nothing.",)
