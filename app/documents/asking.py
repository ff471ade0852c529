"""Answers a question from passages, or says where the closest ones are, or that there are none.

The rule was measured: a yes or no whether the passages hold the answer, then one plain sentence in
their words, then a check by code, then the source found by code. What a model says counts only if
it passed a self-test in this language, and stands only if it passed the check; else the passages
speak for themselves. A model that is offered a way out takes it too often, so refusing is the
code's part.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from app.documents.ability import Ability, AbilityBook, measure
from app.documents.ask_prompts import AskPrompts, ask_prompts_for
from app.documents.completing import Completing
from app.documents.grounding import Source, answer_faults, cleaned, sources_of
from app.documents.lexical import terms
from app.documents.orders import without_orders
from app.documents.retrieval import Passage, Retrieved, best_sentences
from app.documents.usage import Usage
from app.documents.values import Citation
from app.documents.words import language_of
from app.documents.writer import first_sentence
from app.ports import TextGenerator
from inference.errors import Fact, InferenceError

Verdict = Literal["answered", "closest", "not_in_documents"]
AskStage = Literal["testing", "writing"]
AskNote = Literal[
    "ask_written",
    "ask_no_model",
    "ask_not_able",
    "ask_language",
    "ask_unsure",
    "ask_failed",
    "ask_not_found",
    "ask_not_seen",
    "ask_missing",
    "ask_no_library",
]

_GATE_TOKENS = 6
_SESSION = "ask-documents"
# Cosines below these were never seen with an answer (facts of the trial: lowest 0.26).
_FAR = 0.24
_FEWEST_SHARED = 0.34
_ANSWERING = "answering"


@dataclass(frozen=True, slots=True)
class DocumentAnswer:
    """What came of a question.

    Attributes:
        text: The model's sentence where `verdict` is `answered`; else empty.
        citations: What the answer rests on, or the closest passages.
        note: Who answered and why: a code of `app.messages` whose facts are `note_facts`.
        tried: What the model said and the check refused; for tests and benchmarks, never shown.
    """

    verdict: Verdict
    text: str
    citations: tuple[Citation, ...]
    note: AskNote
    note_facts: dict[str, Fact] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    tried: str = ""
    faults: tuple[str, ...] = ()


class Asker:
    """Answers questions; one at a time, on the caller's thread.

    Args:
        generator: The model in use; None answers with passages only.
        abilities: Which models passed the self-test.
    """

    def __init__(self, generator: TextGenerator | None, abilities: AbilityBook) -> None:
        self._generator = generator
        self._abilities = abilities

    def ask(
        self,
        question: str,
        retrieved: Retrieved,
        *,
        cancelled: threading.Event,
        on_stage: Callable[[AskStage, int, int], None] | None = None,
    ) -> DocumentAnswer:
        """Answer `question` from what was retrieved; blocks for seconds.

        Raises:
            Cancelled: `cancelled` was set.
        """
        passages = retrieved.passages
        absent = _absent(question, retrieved)
        if absent is not None:
            return absent
        language = language_of(" ".join(passage.text for passage in passages))
        prompts = ask_prompts_for(language)
        if self._generator is None or not self._generator.model_id:
            return _closest(question, passages, "ask_no_model")
        if prompts is None:
            return _closest(question, passages, "ask_language")
        asked = _Asked(self._generator, prompts, cancelled, on_stage)
        try:
            return asked.run(question, passages, self._abilities)
        except InferenceError as error:
            if cancelled.is_set():
                raise
            return _closest(question, passages, "ask_failed", facts={"code": error.code})


class _Asked:
    """One question that is put to a model."""

    def __init__(
        self,
        generator: TextGenerator,
        prompts: AskPrompts,
        cancelled: threading.Event,
        on_stage: Callable[[AskStage, int, int], None] | None,
    ) -> None:
        self._model_id = generator.model_id
        self._prompts = prompts
        self._model = Completing(generator, session_id=_SESSION, cancelled=cancelled)
        self._on_stage = on_stage

    def run(
        self, question: str, passages: Sequence[Passage], abilities: AbilityBook
    ) -> DocumentAnswer:
        """Test where that was never done, then ask."""
        facts: dict[str, Fact] = {"model": self._model_id}
        if not self._ability(abilities).is_enough:
            return _closest(question, passages, "ask_not_able", self._model.usage, facts)
        self._tell("writing", 0, 0)
        texts = [without_orders(passage.text) for passage in passages]
        if not self._holds_answer(texts, question):
            # That it is nowhere is not for a model to say.
            return _closest(question, passages, "ask_not_seen", self._model.usage, facts)
        said = self._answer(texts, question)
        sources = sources_of(said, question, passages)
        found = answer_faults(said, question, sources, self._prompts.language)
        if found:
            return DocumentAnswer(
                "closest",
                "",
                _citations_of(question, passages),
                "ask_unsure",
                facts,
                self._model.usage,
                tried=said,
                faults=found,
            )
        cited = _cited(sources, len(said))
        return DocumentAnswer("answered", said, cited, "ask_written", facts, self._model.usage)

    def _ability(self, abilities: AbilityBook) -> Ability:
        """Return how the model did in the self-test, which is made where it never was."""
        key = f"{self._prompts.language}:{_ANSWERING}"
        known = abilities.get(self._model_id, key)
        if known is None:
            known = measure(
                self._prompts.probes,
                lambda probe: probe.is_met_by(self._answer(probe.passages, probe.question)),
                lambda done, total: self._tell("testing", done, total),
            )
            abilities.put(self._model_id, key, known)
        return known

    def _holds_answer(self, passages: Sequence[str], question: str) -> bool:
        said = self._model.complete(
            self._prompts.gate(passages, question),
            most_tokens=_GATE_TOKENS,
            has_enough=lambda text: len(text.split()) > 1 or text.rstrip().endswith("."),
        )
        return self._prompts.is_yes(said)

    def _answer(self, passages: Sequence[str], question: str) -> str:
        said = self._model.complete(
            self._prompts.answer(passages, question),
            most_tokens=self._prompts.most_tokens,
            has_enough=lambda text: first_sentence(text) not in ("", text.strip()),
        )
        return cleaned(first_sentence(said))

    def _tell(self, stage: AskStage, done: int, total: int) -> None:
        if self._on_stage:
            self._on_stage(stage, done, total)


def _absent(question: str, retrieved: Retrieved) -> DocumentAnswer | None:
    """Return the answer that the documents do not hold it, where code can tell."""
    passages = retrieved.passages
    citations = _citations_of(question, passages)
    if retrieved.missing:
        words = ", ".join(retrieved.missing)
        return DocumentAnswer("not_in_documents", "", citations, "ask_missing", {"words": words})
    if not passages or _is_far(question, retrieved):
        return DocumentAnswer("not_in_documents", "", citations, "ask_not_found")
    return None


def _is_far(question: str, retrieved: Retrieved) -> bool:
    """Tell whether even the best passage has little to do with the question."""
    asked = set(terms(question))
    shared = max(len(asked & set(terms(each.text))) for each in retrieved.passages)
    has_words = shared >= _FEWEST_SHARED * len(asked)
    if retrieved.by == "words":
        return bool(asked) and not has_words
    nearest = max(passage.similarity for passage in retrieved.passages)
    return nearest < _FAR and not has_words


def _closest(
    question: str,
    passages: Sequence[Passage],
    note: AskNote,
    usage: Usage | None = None,
    facts: dict[str, Fact] | None = None,
) -> DocumentAnswer:
    citations = _citations_of(question, passages)
    return DocumentAnswer("closest", "", citations, note, facts or {}, usage or Usage())


def _citations_of(question: str, passages: Sequence[Passage]) -> tuple[Citation, ...]:
    """Return the passages with the sentences marked that have most to do with the question."""
    best = set(best_sentences(question, passages))
    return tuple(
        _citation(number, passage, tuple(each for each in passage.sentences if each in best))
        for number, passage in enumerate(passages, 1)
    )


def _cited(sources: Sequence[Source], at: int) -> tuple[Citation, ...]:
    """Return one citation for each passage that an answer rests on."""
    marked: dict[int, tuple[Passage, list[str]]] = {}
    for source in sources:
        marked.setdefault(id(source.passage), (source.passage, []))[1].append(source.sentence)
    return tuple(
        _citation(number, passage, tuple(sentences), at)
        for number, (passage, sentences) in enumerate(marked.values(), 1)
    )


def _citation(number: int, passage: Passage, marked: tuple[str, ...], at: int = -1) -> Citation:
    return Citation(
        number=number,
        document_id=passage.document_id,
        name=passage.name,
        place=passage.place,
        passage=passage.text,
        marked=marked,
        at=at,
    )
