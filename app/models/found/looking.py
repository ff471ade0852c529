"""Looks at the models that other programs have on this machine, and changes nothing.

Milliseconds a file: only the head of a GGUF file is read, without numpy.
"""

from collections.abc import Iterator
from itertools import chain

from app.models.found import gpt4all, jan, lm_studio, ollama, reading
from app.models.found.homes import Homes
from app.models.found.values import Candidate, FoundModel
from inference.errors import InferenceError, ModelMissing, ModelUnsupported
from inference.gguf.cursor import shown
from inference.gguf.reader import GgufFile
from inference.gguf.summary import GgufSummary, summary_of

ARCHITECTURES = frozenset(
    ("gemma2", "gemma3", "granite", "llama", "mistral3", "phi3", "qwen2", "qwen3", "smollm3")
)
"""What the importer takes, as far as a name says. A set of its own, as the importer needs numpy."""

_MAX_MODELS = 2000
_PROJECTOR_ARCHITECTURE = "clip"
_MODEL = "model"


def look(homes: Homes) -> tuple[FoundModel, ...]:
    """Return the models of other programs, by program and name; blocks, so not for the window.

    A file that two programs share, or that has two names, is there once. One that cannot be read or
    run is there with its error.
    """
    found: dict[object, FoundModel] = {}
    for candidate in chain.from_iterable(_candidates(homes)):
        if len(found) >= _MAX_MODELS:
            break
        error = candidate.error
        key = (reading.identity(candidate.file) or candidate.file, str(error) if error else "")
        if key not in found and (model := _model(candidate)):
            found[key] = model
    return tuple(sorted(found.values(), key=lambda model: (model.program, model.name.lower())))


def _candidates(homes: Homes) -> Iterator[Iterator[Candidate]]:
    yield lm_studio.candidates(homes.lm_studio)
    yield ollama.candidates(homes.ollama)
    yield jan.candidates(homes.jan)
    yield gpt4all.candidates(homes.gpt4all)


def _model(candidate: Candidate) -> FoundModel | None:
    """Look at one file; None for what is no model of its own."""
    summary, error = None, candidate.error
    if error is None:
        try:
            summary, error = _read(candidate)
        except InferenceError as problem:
            error = problem
        if summary and summary.architecture == _PROJECTOR_ARCHITECTURE:
            return None
    return FoundModel(
        candidate.program,
        candidate.name,
        candidate.file,
        summary,
        error,
        candidate.licence or (summary.licence if summary else ""),
    )


def _read(candidate: Candidate) -> tuple[GgufSummary, ModelUnsupported | None]:
    if reading.identity(candidate.file) is None:
        raise ModelMissing(model=candidate.name)
    with GgufFile(candidate.file) as file:
        summary = summary_of(file)
        return summary, _refusal(file, summary)


def _refusal(file: GgufFile, summary: GgufSummary) -> ModelUnsupported | None:
    """Return what the importer would refuse, as far as it can be told in milliseconds."""
    kind = file.metadata.text("general.type", _MODEL)
    parts = file.metadata.integer("split.count", 1)
    strange = sorted({each.type.name for each in file.tensors.values() if not each.length_bytes})
    if kind != _MODEL:
        return ModelUnsupported(what=f"a file of the kind {shown(kind)}")
    if parts > 1:
        return ModelUnsupported(what=f"a model in {parts} files")
    if summary.architecture not in ARCHITECTURES:
        supported = ", ".join(sorted(ARCHITECTURES))
        return ModelUnsupported(
            what=f"architecture {shown(summary.architecture)}", supported=supported
        )
    if not summary.parameters:
        return ModelUnsupported(what="a file without weights")
    return ModelUnsupported(what=f"tensor type {strange[0]}") if strange else None
