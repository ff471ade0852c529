"""The model that a benchmark measures: an installed one, or one made on the spot."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from app.children import command
from app.models.installed import InstalledModel, InstalledModels
from app.paths import Paths
from app.settings import Settings
from inference import child
from inference.errors import ModelNotLoaded
from inference.gguf.run import run_import
from inference.synthetic import Synthetic, write_synthetic


@dataclass(frozen=True, slots=True)
class Measured:
    """What is measured.

    Attributes:
        name: As the command line calls it.
        gguf: The file it was made of, where that is at hand.
    """

    name: str
    installed: InstalledModel
    gguf: Path | None = None


@contextmanager
def measured(
    places: Paths,
    model_id: str | None,
    synthetic: Synthetic | None,
    *,
    on_status: Callable[[str], None],
) -> Iterator[Measured]:
    """Give the model; one made on the spot is removed at the end.

    Raises:
        ModelUnknown: No installed model has this id.
        ModelNotLoaded: No id was given, and no model is installed.
        InferenceError: The model could not be made.
    """
    if synthetic is None:
        installed = InstalledModels(places.models)
        default = installed.default(Settings.load(places.settings))
        if model_id is None and default is None:
            raise ModelNotLoaded
        found = installed.get(model_id or (default.id if default else ""))
        yield Measured(found.id, found)
        return
    with tempfile.TemporaryDirectory(prefix="snug-bench-") as scratch:
        gguf = Path(scratch) / f"{synthetic.shape}-{synthetic.body}.gguf"
        models = Path(scratch) / "models"
        on_status(f"Making {synthetic.name}…")
        write_synthetic(gguf, synthetic)
        run_import(lambda: child.start(command("import")), gguf, models / gguf.stem)
        yield Measured(synthetic.name, InstalledModels(models).get(gguf.stem), gguf)
