import os
from hashlib import sha256
from typing import Any

import pytest

from inference.errors import ModelMissing, ModelUnsupported
from tests.app.models.found.conftest import LAYER, Machine, OllamaFolder, gguf

LIST = "application/vnd.ollama.manifest.list.v2+json"


def test_names_are_those_of_its_own_list(machine: Machine, ollama: OllamaFolder) -> None:
    for number, (name, registry) in enumerate(
        [
            ("llama3.2:3b", "registry.ollama.ai"),
            ("someone/model:latest", "registry.ollama.ai"),
            ("owner/repo-GGUF:Q4_K_M", "hf.co"),
        ]
    ):
        weights = gguf(pairs={"general.name": str(number)})
        ollama.pull(name, ("model", weights), ("params", b"{}"), registry=registry)

    assert machine.names() == [
        ("Ollama", "hf.co/owner/repo-GGUF:Q4_K_M"),
        ("Ollama", "llama3.2:3b"),
        ("Ollama", "someone/model:latest"),
    ]


@pytest.mark.parametrize(
    ("text", "licence"),
    [
        ("\n   Apache License\n   Version 2.0, January 2004", "apache-2.0"),
        ("MIT License\n\nCopyright (c)", "mit"),
        ("**Gemma Terms of Use**  \n\nLast modified", "**Gemma Terms of Use**"),
        ("", ""),
    ],
)
def test_the_licence_layer_is_read(
    text: str, licence: str, machine: Machine, ollama: OllamaFolder
) -> None:
    ollama.pull("m:t", ("model", gguf()), ("license", text.encode()), ("template", b"{{ . }}"))

    (model,) = machine.look()

    assert (model.licence, model.error) == (licence, None)


@pytest.mark.parametrize(
    ("layers", "what"),
    [
        ([("model", gguf()), ("adapter", b"a")], "a model with an adapter"),
        ([("model", gguf()), ("projector", b"p")], "a model that sees pictures"),
        ([("model", b"GGUF 1"), ("model", b"GGUF 2")], "a model in 2 files"),
        ([("tensor", b"t")], "weights that are not GGUF"),
    ],
)
def test_what_snug_cannot_run_is_named(
    layers: list[tuple[str, bytes]], what: str, machine: Machine, ollama: OllamaFolder
) -> None:
    ollama.pull("m:t", *layers)

    (model,) = machine.look()

    assert isinstance(model.error, ModelUnsupported)
    assert model.error.facts["what"] == what


def test_a_model_that_runs_elsewhere_is_not_on_this_machine(
    machine: Machine, ollama: OllamaFolder
) -> None:
    ollama.write("gpt:120b-cloud", {"config": {"digest": "sha256:" + "0" * 64}, "layers": None})

    assert machine.look() == ()


def test_weights_that_were_never_pulled_are_missing(machine: Machine, ollama: OllamaFolder) -> None:
    layer = {"mediaType": f"{LAYER}model", "digest": "sha256:" + "0" * 64}
    ollama.write("m:t", {"layers": [layer]})

    (model,) = machine.look()

    assert isinstance(model.error, ModelMissing)


@pytest.mark.parametrize(
    "digest",
    [
        "sha256:../../../../etc/passwd",
        "sha256:" + "0" * 63 + "/",
        "../" + "0" * 64,
        "sha256:" + "0" * 65,
        "md5:" + "0" * 64,
        "",
    ],
)
def test_a_digest_that_leads_elsewhere_is_refused(
    digest: str, machine: Machine, ollama: OllamaFolder
) -> None:
    machine.put("secret.gguf", gguf())
    ollama.write("m:t", {"layers": [{"mediaType": f"{LAYER}model", "digest": digest}]})

    (model,) = machine.look()

    assert isinstance(model.error, ModelUnsupported)
    assert model.error.facts["what"] == "a manifest that leads out"
    assert model.summary is None


@pytest.mark.parametrize(
    "manifest",
    [
        "",
        "[]",
        "[" * 200_000,
        {"layers": 7},
        {"layers": [7, None, {}, {"mediaType": 7, "digest": 7}]},
        {"layers": [{"mediaType": f"{LAYER}model", "digest": ["sha256"]}]},
        {"mediaType": LIST, "manifests": 7},
        {"mediaType": LIST, "manifests": [7, {"digest": "sha256:.."}, {"layers": 7}]},
    ],
)
def test_a_manifest_that_is_none_stops_nothing(
    manifest: Any, machine: Machine, ollama: OllamaFolder
) -> None:
    ollama.write("bad:t", manifest)
    ollama.pull("good:t", ("model", gguf()))

    assert machine.names() == [("Ollama", "good:t")]


def test_a_manifest_of_many_megabytes_is_not_read(machine: Machine, ollama: OllamaFolder) -> None:
    os.truncate(ollama.pull("m:t", ("model", gguf())), 1 << 34)

    assert machine.look() == ()


def test_a_list_of_manifests_is_looked_through_for_weights(
    machine: Machine, ollama: OllamaFolder
) -> None:
    runnable = {"layers": ollama.layers([("model", gguf())])}
    machine.put("manifest", runnable)
    reference = ollama.blob((machine.home / "manifest").read_bytes())
    children = [{"runner": "mlx", "layers": ollama.layers([("tensor", b"t")])}]
    ollama.write("inline:t", {"mediaType": LIST, "manifests": [*children, runnable]})
    (model,) = machine.look()
    assert (model.name, model.error) == ("inline:t", None)

    ollama.write("inline:t", {"mediaType": LIST, "manifests": [{"digest": reference}]})
    (model,) = machine.look()
    assert (model.name, model.error) == ("inline:t", None)


def test_a_manifest_may_be_a_link_to_a_blob(machine: Machine, ollama: OllamaFolder) -> None:
    manifest = ollama.pull("m:t", ("model", gguf()))
    body = manifest.read_bytes()
    ollama.blob(body)
    newer = machine.home / ".ollama/models/manifests-v2/registry.ollama.ai/library/m/t"
    newer.parent.mkdir(parents=True)
    newer.symlink_to(
        f"../../../../blobs/sha256-{sha256(body).hexdigest()}",
    )
    assert newer.is_file()
    manifest.unlink()

    assert machine.names() == [("Ollama", "m:t")]


@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_its_variable_names_the_folder(system: str, machine: Machine) -> None:
    machine.system = system
    machine.variables["OLLAMA_MODELS"] = str(machine.home / "drive")
    OllamaFolder(machine, "drive").pull("m:t", ("model", gguf()))

    assert machine.names() == [("Ollama", "m:t")]


def test_the_system_wide_folder_is_looked_into_on_linux_only(machine: Machine) -> None:
    def is_shared() -> bool:
        folders = machine.homes().ollama.folders
        return any(not folder.is_relative_to(machine.home) for folder in folders)

    assert is_shared()
    machine.system = "darwin"
    assert not is_shared()
