"""`snug models search` and `info`: what can be had, and what a model is and needs here.

Nothing of this reaches the network but `info --remote`, which asks the hub for one repository.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from app.cli.models_described import Described, Shop, size_and_speed
from app.cli.models_listing import VERDICTS
from app.cli.models_service import opened
from app.cli.output import Output
from app.errors import SourceUnknown
from app.messages import readable_bytes
from app.models.fit import Fit, Machine, judge_variant
from app.models.hub.values import RemoteModel, Variant
from app.models.hub.variants import choose, variants
from app.models.hub_catalog import UNCHECKED, matches, repository_of
from app.models.licences import licence
from app.paths import Paths

Run = Callable[[argparse.Namespace, Paths, Output], int]

_WIDTH = 18


@dataclass(frozen=True, slots=True)
class _Answer:
    """What the hub said.

    Attributes:
        chosen: Name of the variant that `add` would take on the processor; None for none.
    """

    model: RemoteModel
    found: tuple[tuple[Variant, Fit], ...]
    chosen: str | None


def register(action: Callable[[str, Run, str], argparse.ArgumentParser]) -> None:
    """Add the verbs."""
    searching = action("search", search, "look for a model by name, language, or what it does")
    searching.add_argument("text", nargs="*", metavar="TEXT", help="words; none lists everything")
    telling = action("info", info, "what a model is, and how it would run here")
    telling.add_argument("model", metavar="ID", help="an id, or owner/name of a repository")
    telling.add_argument(
        "--remote", action="store_true", help="ask the hub for its variants and their sizes"
    )
    telling.add_argument("--revision", default="main", help="the branch, tag or commit to ask for")


def search(options: argparse.Namespace, places: Paths, output: Output) -> int:
    """Print the models that match; a typed repository is named as such and nobody is asked."""
    text = " ".join(options.text)
    repository = repository_of(text)
    shop = Shop.of(places)
    found = [
        one
        for one in shop.all()
        if (one.is_in(repository) if repository else matches(text, one.words))
    ]
    if output.as_json:
        body = {"models": [one.as_json() for one in found], "repository": repository}
        output.result(body)
        return 0
    for one in found:
        output.line(f"{one.id:<{_WIDTH}} {one.title}, {size_and_speed(one)}")
        output.line(f"{'':<{_WIDTH}} {one.about}")
    if repository:
        output.line(f"{repository} is a repository. See what it holds, or add it:")
        output.line(f"    snug models info {repository} --remote")
        output.line(f"    snug models add {repository}")
    elif not found:
        output.line("Nothing Snug knows matches. A repository can be named as owner/name.")
    return 0


def info(options: argparse.Namespace, places: Paths, output: Output) -> int:
    """Print what is known of a model.

    Raises:
        SourceUnknown: Nothing is known by this name, and it is no repository.
        AppError: The hub was asked and did not answer.
    """
    shop = Shop.of(places)
    repository = repository_of(options.model)
    found = [one for one in shop.all() if options.model == one.id or one.is_in(repository)]
    if not found and not repository:
        raise SourceUnknown(source=options.model)
    repository = repository or found[0].repository
    answer = None
    if options.remote:
        if not repository:
            raise SourceUnknown(source=options.model)
        answer = _ask(repository, options.revision, found, shop.machine, places)
    if output.as_json:
        output.result(
            {
                "models": [one.as_json() | one.details() for one in found],
                "repository": repository,
                "remote": _answer_as_json(answer) if answer else None,
            }
        )
        return 0
    for one in found:
        _print_known(one, output)
    if not found:
        output.line(f"{repository}: a repository that is not in Snug's catalog.")
        if not answer:
            output.line("Add --remote to ask the hub what it holds.")
    if answer:
        _print_answer(answer, output)
    return 0


def _ask(
    repository: str, revision: str, found: list[Described], machine: Machine, places: Paths
) -> _Answer:
    with opened(places) as service:
        model = service.look_up(repository, revision).result()
    known = found[0] if len(found) == 1 else None
    held = variants(model, known.folder if known else "")
    best = choose(held, devices=("cpu",))
    kv_bytes = known.kv_bytes_per_token if known else 0
    return _Answer(
        model,
        tuple((one, judge_variant(one, machine, kv_bytes_per_token=kv_bytes)) for one in held),
        best.name if best else None,
    )


def _print_known(one: Described, output: Output) -> None:
    def fact(name: str, value: str) -> None:
        if value:
            output.line(f"  {name + ':':<14} {value}")

    output.line(f"{one.title} ({one.id})")
    output.line(f"  {one.about}" if one.about else "")
    fact("made from", one.repository or one.name)
    fact("good for", "; ".join(one.good_for))
    fact("not for", "; ".join(one.not_for))
    fact("languages", ", ".join(one.language_names))
    known = licence(one.licence)
    fact("licence", f"{known.name}, {known.address}" if known else one.licence)
    fact("access", "its owner wants to know who fetches it: a token is needed" * one.is_gated)
    fact("context", f"{one.context_tokens:,} tokens" if one.context_tokens else "")
    fact("here", f"{VERDICTS[one.fit.verdict]}, {size_and_speed(one)}")
    memory, disk = one.fit.memory_needed_bytes, one.fit.disk_needed_bytes
    fact("needs", f"{readable_bytes(memory)} of memory, {readable_bytes(disk)} on disk to add it")
    read = sorted({address for address in one.sources.values() if address != UNCHECKED})
    for address in read:
        fact("source", address)
    unread = sorted(name for name, address in one.sources.items() if address == UNCHECKED)
    fact("unchecked", ", ".join(unread))


def _print_answer(answer: _Answer, output: Output) -> None:
    model = answer.model
    gated = ", a token is needed" if model.is_gated else ""
    output.line(f"{model.repository} at {model.commit}, {model.licence or 'no licence'}{gated}")
    if not answer.found:
        output.line("It holds nothing that Snug can run.")
    for variant, verdict in answer.found:
        mark = "  (best for the processor)" if variant.name == answer.chosen else ""
        about = ", ".join(filter(None, (variant.device, variant.quantization)))
        output.line(f"  {variant.name or '.'}{mark}")
        output.line(
            f"      {about or variant.kind}, {len(variant.files)} files,"
            f" {readable_bytes(variant.bytes)}, {VERDICTS[verdict.verdict]}"
        )


def _answer_as_json(answer: _Answer) -> dict[str, Any]:
    return {
        "commit": answer.model.commit,
        "licence": answer.model.licence,
        "gated": answer.model.is_gated,
        "variants": [
            {
                "name": variant.name,
                "kind": variant.kind,
                "device": variant.device,
                "quantization": variant.quantization,
                "bytes": variant.bytes,
                "files": [{"path": file.path, "bytes": file.bytes} for file in variant.files],
                "fit": verdict.verdict,
                "chosen": variant.name == answer.chosen,
            }
            for variant, verdict in answer.found
        ],
    }
