"""Homes of other programs, made where the test is, with tiny models in them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.models.found.homes import Homes
from app.models.found.looking import look
from app.models.found.values import FoundModel
from tests.tiny_gguf import GgufBuilder

LAYER = "application/vnd.ollama.image."


def gguf(
    architecture: str = "llama",
    *,
    tensors: Sequence[str] = ("F32",),
    pairs: Mapping[str, Any] | None = None,
) -> bytes:
    """Return the smallest file that says what it is, with a weight of each type."""
    builder = GgufBuilder()
    builder.pairs.update({"general.architecture": architecture, **(pairs or {})})
    for kind in tensors:
        builder.add(kind, kind, (1,), np.zeros(4, np.uint8))
    return builder.build()


@dataclass
class Machine:
    """A home, and the programs that are installed in it."""

    home: Path
    variables: dict[str, str]
    system: str = "linux"

    def homes(self) -> Homes:
        return Homes.of(self.home, self.variables, self.system)

    def look(self) -> tuple[FoundModel, ...]:
        # Without the folder of the real machine's Ollama.
        homes = self.homes()
        kept = tuple(each for each in homes.ollama.folders if each.is_relative_to(self.home))
        ollama = type(homes.ollama)(kept, homes.ollama.settings)
        return look(Homes(homes.lm_studio, ollama, homes.jan, homes.gpt4all))

    def names(self) -> list[tuple[str, str]]:
        return [(model.program, model.name) for model in self.look()]

    def put(self, name: str, body: bytes | str | object) -> Path:
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(body, bytes):
            path.write_bytes(body)
        else:
            path.write_text(body if isinstance(body, str) else json.dumps(body))
        return path


@dataclass
class OllamaFolder:
    """An Ollama folder; its blobs are named by what is in them."""

    machine: Machine
    folder: str = ".ollama/models"

    def blob(self, body: bytes) -> str:
        digest = sha256(body).hexdigest()
        self.machine.put(f"{self.folder}/blobs/sha256-{digest}", body)
        return f"sha256:{digest}"

    def layers(self, layers: Sequence[tuple[str, bytes]]) -> list[Mapping[str, object]]:
        return [
            {"mediaType": LAYER + kind, "digest": self.blob(body), "size": len(body)}
            for kind, body in layers
        ]

    def pull(
        self, name: str, *layers: tuple[str, bytes], registry: str = "registry.ollama.ai"
    ) -> Path:
        manifest = {"schemaVersion": 2, "config": {}, "layers": self.layers(layers)}
        return self.write(name, manifest, registry=registry)

    def write(self, name: str, manifest: object, *, registry: str = "registry.ollama.ai") -> Path:
        model, _, tag = name.partition(":")
        model = model if "/" in model else f"library/{model}"
        return self.machine.put(f"{self.folder}/manifests/{registry}/{model}/{tag}", manifest)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    home = tmp_path / "home"
    home.mkdir()
    return Machine(home, {})


@pytest.fixture
def ollama(machine: Machine) -> OllamaFolder:
    return OllamaFolder(machine)
