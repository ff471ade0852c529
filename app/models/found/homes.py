"""Where other programs keep their models on this machine.

Sources, read on the day this was written:

- LM Studio: its documentation, "Import Models" (models below `~/.lmstudio/models`), and the source
  of its command line (`lmstudio-ai/lms`, `importCmd.ts`): `settings.json` in the program's folder
  of the system names another one as `downloadsFolder`. `~/.lmstudio-home-pointer` names another
  home, and older versions had theirs in `~/.cache/lm-studio`; both are facts from the field.
- Ollama: its FAQ, "Where are models stored?", and `OLLAMA_MODELS` there.
- Jan: `src-tauri/src/core/app/commands.rs`: `JAN_DATA_FOLDER`, then `data_folder` in
  `settings.json`, then `Jan/data` in the system's folder for data. `~/jan` is from version 0.4.
- GPT4All: its documentation, "Settings", and `mysettings.cpp` and `main.cpp`: Qt's local folder for
  data, or `modelPath` in an ini file.
- On Linux, Jan and GPT4All as Flatpaks keep the same below `~/.var/app` (Flatpak's documentation,
  "Sandbox Permissions"), and Linux distributions have Ollama's models in `/var/lib/ollama/models`.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

_SHARED_OLLAMA = (Path("/usr/share/ollama/.ollama/models"), Path("/var/lib/ollama/models"))


@dataclass(frozen=True, slots=True)
class Place:
    """Where one program may keep its models.

    Attributes:
        folders: What is looked through, whether it is there or not.
        settings: Files in which the program may name another folder.
    """

    folders: tuple[Path, ...] = ()
    settings: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Homes:
    """The places of the programs that Snug knows.

    Attributes:
        lm_studio: Folders of publishers.
        ollama: Folders that hold `manifests` and `blobs`.
        jan: Data folders.
        gpt4all: Folders of files.
    """

    lm_studio: Place = field(default_factory=Place)
    ollama: Place = field(default_factory=Place)
    jan: Place = field(default_factory=Place)
    gpt4all: Place = field(default_factory=Place)

    @classmethod
    def of_this_machine(cls) -> Self:
        """Return the places of the person whom this process runs for."""
        return cls.of(Path(os.path.expanduser("~")), os.environ, sys.platform)  # noqa: PTH111 - never raises

    @classmethod
    def of(cls, home: Path, variables: Mapping[str, str], system: str) -> Self:
        """Return the places below `home`.

        Args:
            home: A person's home.
            variables: The environment.
            system: As in `sys.platform`.
        """
        folders = _Folders.of(home, variables, system)
        return cls(
            lm_studio=_lm_studio(home, folders),
            ollama=_ollama(home, variables, system),
            jan=_jan(home, variables, folders, system),
            gpt4all=_gpt4all(home, folders, system),
        )


@dataclass(frozen=True, slots=True)
class _Folders:
    """The system's own folders for what programs keep.

    Attributes:
        local_data: What stays on this machine.
        ini: Where Qt puts ini files; ~/.config on macOS too.
    """

    config: Path
    data: Path
    local_data: Path
    ini: Path

    @classmethod
    def of(cls, home: Path, variables: Mapping[str, str], system: str) -> Self:
        config = Path(variables.get("XDG_CONFIG_HOME") or home / ".config")
        if system == "win32":
            roaming = Path(variables.get("APPDATA") or home / "AppData" / "Roaming")
            local = Path(variables.get("LOCALAPPDATA") or home / "AppData" / "Local")
            return cls(roaming, roaming, local, roaming)
        if system == "darwin":
            support = home / "Library" / "Application Support"
            return cls(support, support, support, config)
        data = Path(variables.get("XDG_DATA_HOME") or home / ".local" / "share")
        return cls(config, data, data, config)


def _lm_studio(home: Path, folders: _Folders) -> Place:
    homes = (home / ".lmstudio", home / ".cache" / "lm-studio")
    return Place(
        tuple(each / "models" for each in homes),
        (
            home / ".lmstudio-home-pointer",
            folders.config / "LM Studio" / "settings.json",
            *(each / "settings.json" for each in homes),
        ),
    )


def _ollama(home: Path, variables: Mapping[str, str], system: str) -> Place:
    own = home / ".ollama" / "models"
    if named := variables.get("OLLAMA_MODELS"):
        return Place((Path(named), own))
    if system in ("win32", "darwin"):
        return Place((own,))
    return Place((own, *_SHARED_OLLAMA))


def _jan(home: Path, variables: Mapping[str, str], folders: _Folders, system: str) -> Place:
    if named := variables.get("JAN_DATA_FOLDER"):
        return Place((Path(named),))
    sandbox = _flatpak(home, "ai.jan.Jan", system)
    roots = (folders.data, folders.config, *(each / "data" for each in sandbox))
    apps = dict.fromkeys(root / "Jan" for root in roots)
    return Place(
        (*(app / "data" for app in apps), home / "jan"),
        tuple(app / "settings.json" for app in apps),
    )


def _gpt4all(home: Path, folders: _Folders, system: str) -> Place:
    sandbox = _flatpak(home, "io.gpt4all.gpt4all", system)
    data = (folders.local_data, *(each / "data" for each in sandbox))
    ini = (folders.ini, *(each / "config" for each in sandbox))
    return Place(
        tuple(each / "nomic.ai" / "GPT4All" for each in data),
        tuple(each / "nomic.ai" / "GPT4All.ini" for each in ini),
    )


def _flatpak(home: Path, app_id: str, system: str) -> tuple[Path, ...]:
    return () if system in ("win32", "darwin") else (home / ".var" / "app" / app_id,)
