"""Summarizes documents: evidence first, and a model's words only where they pass.

The document's own sentences stand at once. A model that passed the self-test in the document's
language then puts one passage after the other into one sentence; what passes the check takes the
place of the sentence it came from, what does not is never shown.
"""

import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass

from app.documents.ability import Ability, AbilityBook, measure_ability, measure_job
from app.documents.checking import about_faults, faults
from app.documents.digesting import digest
from app.documents.document import ReadDocument
from app.documents.evidence import Digest, Evidence
from app.documents.jobs import Job, JobPrompts, prompts_of
from app.documents.joint import Digested, join
from app.documents.options import SummaryOptions
from app.documents.progress import WrittenSoFar, key_of
from app.documents.prompts import Prompts, prompts_for
from app.documents.running import Run
from app.documents.summary import Summary, SummaryView
from app.documents.translating import translate
from app.documents.writer import Writer
from app.models import catalog
from app.ports import SummaryProgress, TextGenerator
from inference.child import Child
from inference.errors import Cancelled, Fact, InferenceError

_POINTS_FOR_ABOUT = 14
_DEFAULT = SummaryOptions()
# Tables are the document's own words: a sentence made shorter would not be the row's evidence.
_WRITTEN_STYLES = frozenset(("points", "paragraph", "minutes"))


@dataclass(frozen=True, slots=True)
class Summaries:
    """One summary a document, and the joint one where there are several."""

    each: tuple[Summary, ...]
    joint: Summary | None


class Summarizer:
    """Makes summaries; one at a time, on the caller's thread."""

    def __init__(
        self,
        generator: TextGenerator | None,
        abilities: AbilityBook,
        *,
        launch: Callable[[], Child],
        progress: SummaryProgress | None = None,
    ) -> None:
        """Write with `generator` where it is able; `launch` starts a document process.

        `progress` keeps what was written, so that a run that was cut off is gone on with.
        """
        self._generator = generator
        self._abilities = abilities
        self._launch = launch
        self._progress = progress

    def run(
        self,
        document: ReadDocument,
        *,
        on_update: Callable[[SummaryView], None],
        cancelled: threading.Event,
        options: SummaryOptions = _DEFAULT,
        seed: int = 0,
    ) -> Summary:
        """Summarize `document`; blocks, so it belongs on a worker thread.

        Once the evidence stands, cancelling and a failing model end the writing and not the
        summary: it is returned as far as it got, with a note that says so.

        Raises:
            DocumentError: The document process could not digest it.
            Cancelled: `cancelled` was set before there was anything to show.
        """
        return self._run(document, on_update, cancelled, options, seed)[0]

    def run_all(
        self,
        documents: Sequence[ReadDocument],
        *,
        on_update: Callable[[int, SummaryView], None],
        cancelled: threading.Event,
        options: SummaryOptions = _DEFAULT,
        seed: int = 0,
    ) -> Summaries:
        """Summarize each of `documents`, and all of them jointly where there are several.

        `on_update` gets the document's index, from 0. It raises what `run` does; cancelled while a
        later document was read, it returns what there is.
        """
        done: list[Digested] = []
        for index, document in enumerate(documents):

            def tell(view: SummaryView, index: int = index) -> None:
                on_update(index, view)

            try:
                summary, digested = self._run(document, tell, cancelled, options, seed)
            except Cancelled:
                if not done:
                    raise
                break
            done.append(Digested(document, digested, summary))
        each = tuple(item.summary for item in done)
        return Summaries(each, join(done, options) if len(done) > 1 else None)

    def _run(
        self,
        document: ReadDocument,
        on_update: Callable[[SummaryView], None],
        cancelled: threading.Event,
        options: SummaryOptions,
        seed: int,
    ) -> tuple[Summary, Digest]:
        run = Run(document, on_update, options)
        digested = digest(
            document,
            launch=self._launch,
            options=options,
            on_stage=lambda name, done, total: run.tell(
                "reading" if name == "reading" else "choosing", done, total
            ),
            cancelled=cancelled,
        )
        run.start(digested)
        generator = self._generator
        model_id = generator.model_id if generator else ""
        if not digested.evidence:
            return run.end("summary_nothing"), digested
        prompts = prompts_for(digested.language)
        if generator is None or not model_id or prompts is None:
            run.keep_language(options.language, model_id)
            if not model_id:
                return run.end("summary_no_model"), digested
            return run.end("summary_language", model=model_id), digested
        key = key_of(document.sha256, options, self._abilities.sha256(model_id))
        written = WrittenSoFar(self._progress, key)
        writer = Writer(generator, prompts, cancelled=cancelled, seed=seed, written=written)
        tester = Writer(generator, prompts, cancelled=cancelled, seed=seed)
        work = _Work(run, digested, prompts, writer, tester, model_id, options)
        try:
            return self._write(work), digested
        except Cancelled:
            return run.end("summary_stopped", writer), digested
        except InferenceError:
            return run.end("summary_failed", writer, model=model_id), digested

    def _write(self, work: "_Work") -> Summary:
        run, prompts, model_id = work.run, work.prompts, work.model_id
        ability = self._known(
            work,
            Job("summary", prompts.language),
            lambda: measure_ability(work.tester, prompts, on_probe=work.tell_probe),
        )
        facts: dict[str, Fact] = {
            "model": model_id,
            "passed": ability.passed,
            "asked": ability.asked,
        }
        is_table = work.options.style not in _WRITTEN_STYLES
        if ability.is_enough and not is_table:
            run.begin_writing()
            _write_statements(work)
            _write_about(work)
            run.end_writing()
        self._translate(work)
        if is_table:
            return run.end("summary_no_writing", work.writer, **facts)
        if ability.is_enough:
            return run.end("summary_written", work.writer, **facts)
        able = [entry.id for entry in catalog.entries() if prompts.language in entry.summaries]
        if able and model_id not in able:
            facts["able"] = able[0]
        return run.end("summary_not_able", work.writer, **facts)

    def _translate(self, work: "_Work") -> None:
        """Put the statements into the language wished for, where the model can do that."""
        wished, own = work.options.language, work.digested.language
        if wished in ("", own):
            return
        job = Job("translation", own, wished)
        prompts = prompts_of(job)
        if prompts is None:
            work.run.keep_language(wished, work.model_id)
            return
        ability = self._known(
            work,
            job,
            lambda: measure_job(work.tester, prompts, on_probe=work.tell_probe),
        )
        if not ability.is_enough:
            work.run.keep_language(wished, work.model_id, ability)
            return
        _translate_statements(work, prompts)

    def _known(self, work: "_Work", job: Job, measure: Callable[[], Ability]) -> Ability:
        """Return how the model did in the test of `job`, and test it where nobody has."""
        known = self._abilities.get(work.model_id, job.key)
        if known is None:
            known = measure()
            self._abilities.put(work.model_id, job.key, known)
        return known


@dataclass(frozen=True, slots=True)
class _Work:
    """What writing one summary needs; `tester` writes without leaving a trace."""

    run: Run
    digested: Digest
    prompts: Prompts
    writer: Writer
    tester: Writer
    model_id: str
    options: SummaryOptions

    def tell_probe(self, done: int, total: int) -> None:
        self.run.tell("testing", done, total)


def _write_statements(work: _Work) -> None:
    """Replace one statement after the other by the model's, where it passes."""
    digested, run = work.digested, work.run
    total = len(digested.evidence)
    first = _first_of_each_passage(digested.evidence)
    with closing(work.writer.main_points(digested.title, list(first.values()))) as sentences:
        for index, evidence in first.items():
            run.tell("writing", index + 1, total)
            written = next(sentences)
            # Passages that overlap can come back as the same sentence.
            if not written or run.is_said(written):
                continue
            if not faults(written, evidence.passage, digested.language):
                run.replace_text(index, written)
    run.tell("writing", total, total)


def _write_about(work: _Work) -> None:
    """Add the sentence on the whole document, where it passes."""
    digested, run = work.digested, work.run
    points = tuple(statement.text for statement in run.known.statements[:_POINTS_FOR_ABOUT])
    source = " ".join((digested.title, *digested.sections, *points))
    about = work.writer.about(digested.title, points)
    if not about_faults(about, work.prompts.about_begins, source, digested.language):
        run.set_about(about)


def _translate_statements(work: _Work, prompts: JobPrompts) -> None:
    statements = work.run.known.statements
    done = 0
    for index, statement in enumerate(statements):
        work.run.tell("translating", index + 1, len(statements))
        translated = translate(statement.text, work.writer, prompts)
        if translated:
            work.run.replace_text(index, translated, is_translated=True)
            done += 1
    work.run.note_translated(work.options.language, work.model_id, done)


def _first_of_each_passage(evidence: Sequence[Evidence]) -> dict[int, Evidence]:
    """Return by index what to write from: two choices out of one passage would say the same."""
    first: dict[int, Evidence] = {}
    passages: set[tuple[str, ...]] = set()
    for index, each in enumerate(evidence):
        if each.passage and each.passage not in passages:
            first[index] = each
            passages.add(each.passage)
    return first
