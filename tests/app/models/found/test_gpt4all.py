import pytest

from tests.app.models.found.conftest import Machine, gguf

SETTINGS = ".config/nomic.ai/GPT4All.ini"


@pytest.mark.parametrize(
    ("system", "folder"),
    [
        ("linux", ".local/share/nomic.ai/GPT4All"),
        ("linux", ".var/app/io.gpt4all.gpt4all/data/nomic.ai/GPT4All"),
        ("darwin", "Library/Application Support/nomic.ai/GPT4All"),
        ("win32", "AppData/Local/nomic.ai/GPT4All"),
    ],
)
def test_models_are_files_of_a_folder(system: str, folder: str, machine: Machine) -> None:
    machine.system = system
    machine.put(f"{folder}/Phi-3-mini.Q4_0.gguf", gguf("phi3"))
    machine.put(f"{folder}/incomplete-Other.gguf", gguf())
    machine.put(f"{folder}/localdocs_v3.db", b"")

    assert machine.names() == [("GPT4All", "Phi-3-mini.Q4_0")]


@pytest.mark.parametrize(
    ("system", "settings"),
    [
        ("linux", SETTINGS),
        ("darwin", SETTINGS),
        ("win32", "AppData/Roaming/nomic.ai/GPT4All.ini"),
    ],
)
@pytest.mark.parametrize("quoted", [False, True])
def test_its_settings_may_name_another_folder(
    system: str, settings: str, quoted: bool, machine: Machine
) -> None:
    machine.system = system
    machine.put("drive/models/m.gguf", gguf())
    named = f"{machine.home / 'drive' / 'models'}/"
    value = f'"{named}"' if quoted else named
    machine.put(settings, f"[General]\nlastVersion=3.10.0\nmodelPath={value}\nthreads=4\n")

    assert machine.names() == [("GPT4All", "m")]


def test_qt_escapes_letters_beyond_ascii(machine: Machine) -> None:
    machine.put("Größe/m.gguf", gguf())
    escaped = str(machine.home / "Größe").replace("öße", r"\xf6\xdf\x65")
    machine.put(SETTINGS, f"[General]\nmodelPath={escaped}\n")

    assert machine.names() == [("GPT4All", "m")]
