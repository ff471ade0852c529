import pytest

from inference.errors import ModelUnsupported
from tests.app.models.found.conftest import Machine, gguf


def test_models_are_below_publishers(machine: Machine) -> None:
    machine.put(".lmstudio/models/infra-ai/ocelot-v1/ocelot-v1-instruct-q4_0.gguf", gguf())
    machine.put(".cache/lm-studio/models/old/older/older.GGUF", gguf())
    machine.put(".lmstudio/models/mlx/model/weights.safetensors", b"")
    machine.put(".lmstudio/hub/model.yaml", "")

    assert machine.names() == [
        ("LM Studio", "ocelot-v1-instruct-q4_0"),
        ("LM Studio", "older"),
    ]


def test_what_makes_tokens_of_pictures_is_no_model(machine: Machine) -> None:
    for name in ("mmproj-model-f16", "model-mmproj", "gemma.mmproj-f16", "MMPROJ"):
        machine.put(f".lmstudio/models/p/m/{name}.gguf", gguf())
    machine.put(".lmstudio/models/p/m/model.gguf", gguf())

    assert machine.names() == [("LM Studio", "model")]


def test_a_model_in_parts_is_named_once_and_not_supported(machine: Machine) -> None:
    for part in (1, 2, 3):
        machine.put(f".lmstudio/models/p/m/big-Q8_0-{part:05}-of-00003.gguf", gguf())

    (model,) = machine.look()

    assert model.name == "big-Q8_0"
    assert isinstance(model.error, ModelUnsupported)
    assert model.error.facts["what"] == "a model in 3 files"


@pytest.mark.parametrize(
    ("system", "settings"),
    [
        ("linux", ".config/LM Studio/settings.json"),
        ("darwin", "Library/Application Support/LM Studio/settings.json"),
        ("win32", "AppData/Roaming/LM Studio/settings.json"),
        ("linux", ".lmstudio/settings.json"),
        ("win32", ".cache/lm-studio/settings.json"),
    ],
)
def test_its_settings_may_name_another_folder(system: str, settings: str, machine: Machine) -> None:
    machine.system = system
    machine.put("drive/models/p/m/elsewhere.gguf", gguf())
    machine.put(settings, {"downloadsFolder": str(machine.home / "drive/models")})

    assert machine.names() == [("LM Studio", "elsewhere")]


def test_a_pointer_may_name_another_home(machine: Machine) -> None:
    machine.put("drive/models/p/m/elsewhere.gguf", gguf())
    machine.put(".lmstudio-home-pointer", f"{machine.home / 'drive'}\n")

    assert machine.names() == [("LM Studio", "elsewhere")]


def test_links_to_files_and_folders_are_followed(machine: Machine) -> None:
    original = machine.put("downloads/original.gguf", gguf())
    folder = machine.home / ".lmstudio/models/p/m"
    folder.mkdir(parents=True)
    (folder / "linked.gguf").symlink_to(original)
    other = machine.put("drive/model/other.gguf", gguf())
    (folder.parent / "linked").symlink_to(other.parent)

    assert machine.names() == [("LM Studio", "linked"), ("LM Studio", "other")]
