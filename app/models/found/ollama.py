"""Ollama: manifests that name blobs by their SHA-256.

`manifests/<registry>/<namespace>/<model>/<tag>`, in newer versions also `manifests-v2`, where they
are links to blobs: JSON with layers, each with a media type and a digest, whose content is
`blobs/sha256-<digest>`. A list of manifests has one for each runner. Source: `manifest/paths.go`
and `manifest/manifest.go` of `ollama/ollama`; media types from its `server/images.go`.

The template layer is in a language of its own and left alone: the GGUF file has the publisher's.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.models.found import reading
from app.models.found.homes import Place
from app.models.found.values import Candidate
from inference.errors import InferenceError, ModelUnsupported
from inference.gguf.cursor import shown

_ROOTS = ("manifests-v2", "manifests")
_DEPTH = 4
_DIGEST = re.compile(r"sha256[:-]([0-9a-fA-F]{64})")
_LAYER = "application/vnd.ollama.image."
_LIST = "application/vnd.ollama.manifest.list.v2+json"
_MAX_LAYERS = 256
_MAX_CHILDREN = 8
_REGISTRY, _NAMESPACE = "registry.ollama.ai", "library"
_MODEL, _LICENCE, _TENSOR = "model", "license", "tensor"
_REFUSED = {"adapter": "a model with an adapter", "projector": "a model that sees pictures"}
_LICENCES = (
    (re.compile(r"apache license\W+version 2", re.IGNORECASE), "apache-2.0"),
    (re.compile(r"\bmit license\b", re.IGNORECASE), "mit"),
)


def candidates(place: Place) -> Iterator[Candidate]:
    """Yield the models of Ollama."""
    for models in dict.fromkeys(place.folders):
        named: set[tuple[str, ...]] = set()
        for root in _ROOTS:
            for file in _manifests(models / root):
                parts = file.relative_to(models / root).parts
                if parts not in named:
                    named.add(parts)
                    yield from _described(models / "blobs", file, _title(parts))


def _manifests(root: Path) -> Iterator[Path]:
    """Yield the manifests: what is exactly four names below `root`."""
    waiting, left = [(root, _DEPTH)], reading.MAX_ENTRIES
    while waiting and left:
        folder, more = waiting.pop()
        found = [Path(entry.path) for entry in reading.entries(folder, left)]
        left -= len(found)
        if more == 1:
            yield from found
        else:
            waiting += ((path, more - 1) for path in reversed(found))


def _title(parts: tuple[str, ...]) -> str:
    """Return what Ollama's own list calls it."""
    registry, namespace, model, tag = parts
    title = f"{model}:{tag}"
    if (registry, namespace) == (_REGISTRY, _NAMESPACE):
        return shown(title)
    where = "" if registry == _REGISTRY else f"{registry}/"
    return shown(f"{where}{namespace}/{title}")


@dataclass
class _Layers:
    """The digests of a manifest's layers by the last word of their media type."""

    digests: dict[str, list[str]] = field(default_factory=dict)

    def add(self, layer: object) -> None:
        if not isinstance(layer, dict):
            return
        kind, digest = layer.get("mediaType"), layer.get("digest")
        if isinstance(kind, str) and isinstance(digest, str) and kind.startswith(_LAYER):
            self.digests.setdefault(kind.removeprefix(_LAYER), []).append(digest)

    def error(self) -> InferenceError | None:
        for kind, what in _REFUSED.items():
            if kind in self.digests:
                return ModelUnsupported(what=what)
        if (count := len(self.digests.get(_MODEL, ()))) > 1:
            return ModelUnsupported(what=f"a model in {count} files")
        return None


def _described(blobs: Path, file: Path, title: str) -> Iterator[Candidate]:
    if reading.identity(file) is None:
        return
    layers = _layers(_manifest(blobs, file))
    models = layers.digests.get(_MODEL, ())
    if not models and _TENSOR in layers.digests:
        error = ModelUnsupported(what="weights that are not GGUF")
        yield Candidate("Ollama", title, file, error)
    if not models:
        return  # a model that runs elsewhere has no weights here
    blob = _blob(blobs, models[0])
    if blob is None:
        yield Candidate("Ollama", title, file, ModelUnsupported(what="a manifest that leads out"))
    else:
        licence = _licence(blobs, layers.digests.get(_LICENCE, ()))
        yield Candidate("Ollama", title, blob, layers.error(), licence)


def _manifest(blobs: Path, file: Path) -> dict[str, Any]:
    found = reading.json_object(file)
    if found.get("mediaType") != _LIST:
        return found
    children = found.get("manifests")
    for child in children[:_MAX_CHILDREN] if isinstance(children, list) else ():
        resolved = _resolved(blobs, child)
        if _MODEL in _layers(resolved).digests:
            return resolved
    return {}


def _resolved(blobs: Path, child: object) -> dict[str, Any]:
    """Return a manifest of a list: it stands there itself, or is a blob that is named."""
    if not isinstance(child, dict):
        return {}
    blob = None if child.get("layers") else _blob(blobs, child.get("digest"))
    return reading.json_object(blob) if blob else child


def _layers(manifest: dict[str, Any]) -> _Layers:
    found, layers = _Layers(), manifest.get("layers")
    for layer in layers[:_MAX_LAYERS] if isinstance(layers, list) else ():
        found.add(layer)
    return found


def _blob(blobs: Path, digest: object) -> Path | None:
    """Return the file of a digest; None for what is none, such as a path that leads elsewhere."""
    found = _DIGEST.fullmatch(digest) if isinstance(digest, str) else None
    return blobs / f"sha256-{found[1].lower()}" if found else None


def _licence(blobs: Path, digests: list[str] | tuple[()]) -> str:
    """Return a licence's short name where its text is well known, else its first line."""
    for digest in digests[:4]:
        blob = _blob(blobs, digest)
        body = reading.text(blob) if blob else ""
        for pattern, name in _LICENCES:
            if pattern.search(body[:2000]):
                return name
        if line := next((line for line in body.splitlines() if line.strip()), ""):
            return shown(" ".join(line.split()))
    return ""
