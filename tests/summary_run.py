"""A summary in a process of its own, so that a test can kill it while it is being written.

`python -m tests.summary_run DOCUMENT MODEL_FOLDER WORK_FOLDER` prints the statements as JSON. What
is written goes into files of the work folder, and the model is taken for able.
"""

import json
import sys
import threading
from dataclasses import asdict
from pathlib import Path

from app.children import command
from app.documents.ability import Ability, AbilityBook
from app.documents.reader import read_document
from app.documents.summarizer import Summarizer
from app.models.installed import InstalledModels
from app.models.runner import ModelRunner
from app.paths import Paths
from app.settings import Settings
from inference import child
from inference.child import Child
from inference.client import EngineClient
from inference.counting import Counter


class FileProgress:
    """The `SummaryProgress` of a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> bytes | None:
        path = self._folder / key
        return path.read_bytes() if path.exists() else None

    def put(self, key: str, body: bytes) -> None:
        partial = self._folder / "partial"
        partial.write_bytes(body)
        partial.replace(self._folder / key)


def main() -> None:
    """Summarize the first argument."""
    path, model, work = (Path(argument) for argument in sys.argv[1:4])
    progress = work / "progress"
    progress.mkdir(parents=True, exist_ok=True)
    installed = InstalledModels(model.parent)
    runner = ModelRunner(
        EngineClient(lambda: child.start(command("host"))),
        installed,
        Paths(work),
        Settings,
        counter=Counter(),
    )
    runner.select(model.name, accept_memory=True)
    abilities = AbilityBook(work / "abilities.json", lambda model_id: model_id)
    abilities.put(model.name, "en", Ability(6, 6, 6, 1.0))
    summarizer = Summarizer(runner, abilities, launch=_launch, progress=FileProgress(progress))
    summary = summarizer.run(
        read_document(path, launch=_launch),
        on_update=lambda view: None,
        cancelled=threading.Event(),
    )
    runner.close()
    statements = [asdict(statement) for statement in summary.statements]
    generated = summary.usage.generated_tokens
    sys.stdout.write(
        json.dumps({"statements": statements, "about": summary.about, "generated": generated})
    )


def _launch() -> Child:
    return child.start(command("document"))


if __name__ == "__main__":
    main()
