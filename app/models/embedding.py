"""Where the installed embedding model is."""

from pathlib import Path

from app.models import catalog
from app.models.installed import InstalledModels
from app.paths import Paths


def embedding_folder(places: Paths) -> Path | None:
    """Return the folder of the embedding model, or None where none is usable; looks at the disk."""
    models = InstalledModels(places.embedding, catalog.embedding_entries).all()
    return models[0].folder if models else None
