import pytest

from tests.app.models.found.conftest import Machine, gguf

DATA = ".local/share/Jan/data"


@pytest.mark.parametrize(
    ("system", "data"),
    [
        ("linux", DATA),
        ("linux", ".config/Jan/data"),
        ("linux", ".var/app/ai.jan.Jan/data/Jan/data"),
        ("darwin", "Library/Application Support/Jan/data"),
        ("win32", "AppData/Roaming/Jan/data"),
        ("win32", "jan"),
    ],
)
def test_models_have_a_description(system: str, data: str, machine: Machine) -> None:
    machine.system = system
    machine.put(f"{data}/llamacpp/models/unsloth/Qwen3-4B/model.gguf", gguf("qwen3"))
    machine.put(
        f"{data}/llamacpp/models/unsloth/Qwen3-4B/model.yml",
        "embedding: false\nmodel_path: llamacpp/models/unsloth/Qwen3-4B/model.gguf\n"
        "name: 'Qwen3'\nsize_bytes: 7\n",
    )

    assert machine.names() == [("Jan", "unsloth/Qwen3-4B")]


def test_an_imported_file_stays_where_it_is(machine: Machine) -> None:
    file = machine.put("drive/my model.gguf", gguf())
    for name, value in (("one", f'"{file}"'), ("two", f"{file} # mine")):
        machine.put(f"{DATA}/llamacpp/models/{name}/model.yml", f"model_path: {value}\n")

    (model,) = machine.look()

    assert model.file == file


def test_older_versions_listed_their_files(machine: Machine) -> None:
    machine.put(f"{DATA}/models/cortex.so/one/model.gguf", gguf())
    machine.put(
        f"{DATA}/models/cortex.so/one/model.yml",
        "model: one\nfiles:\n  - models/cortex.so/one/model.gguf\n",
    )
    machine.put("jan/models/two/two.gguf", gguf(pairs={"general.name": "two"}))
    machine.put("jan/models/two/model.json", {"sources": [{"filename": "two.gguf", "url": ""}]})

    assert machine.names() == [("Jan", "cortex.so/one"), ("Jan", "two")]


def test_a_description_that_leads_out_is_not_followed(machine: Machine) -> None:
    machine.put("secret.gguf", gguf())
    for name, text in (
        ("a", "model_path: ../../../../../secret.gguf\n"),
        ("b", "model_path: llamacpp/models/../../../../../../secret.gguf\n"),
        ("c", "model_path:\n"),
        ("d", "model_path: gone.gguf\n"),
    ):
        machine.put(f"{DATA}/llamacpp/models/{name}/model.yml", text)
    machine.put("jan/models/e/model.json", {"sources": [{"filename": "../../../secret.gguf"}]})

    assert machine.look() == ()


def test_a_description_that_says_nothing_leaves_the_file_beside_it(machine: Machine) -> None:
    machine.put("jan/models/m/model.json", "{")
    machine.put("jan/models/m/beside.gguf", gguf())

    assert machine.names() == [("Jan", "beside")]


def test_its_settings_or_its_variable_name_the_data_folder(machine: Machine) -> None:
    machine.put("drive/llamacpp/models/m/model.yml", "model_path: m.gguf\n")
    machine.put("drive/m.gguf", gguf())
    settings = machine.put(
        ".local/share/Jan/settings.json", {"data_folder": str(machine.home / "drive")}
    )
    assert machine.names() == [("Jan", "m")]

    settings.unlink()
    assert machine.look() == ()

    machine.variables["JAN_DATA_FOLDER"] = str(machine.home / "drive")
    assert machine.names() == [("Jan", "m")]
