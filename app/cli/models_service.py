"""The model service as the command line uses it, and how a model looks in JSON."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from app.children import command
from app.models import catalog
from app.models.catalog import CatalogEntry
from app.models.installed import InstalledModel, InstalledModels
from app.models.service import ModelService
from app.paths import Paths
from inference import child


@contextmanager
def opened(places: Paths) -> Iterator[ModelService]:
    """Give the service; what is under way when the block is left is paused."""
    service = ModelService(places, lambda: child.start(command("import")), entries=catalog.entries)
    try:
        yield service
    finally:
        service.close()


def all_entries() -> tuple[CatalogEntry, ...]:
    """Return every model that comes from a package index."""
    return (*catalog.entries(), *catalog.embedding_entries())


def home_of(model_id: str, places: Paths) -> InstalledModels:
    """Return the list that a model is in: the embedding model is not among those to chat with."""
    if model_id in {entry.id for entry in catalog.embedding_entries()}:
        return InstalledModels(places.embedding, catalog.embedding_entries)
    return InstalledModels(places.models)


def as_json(model: InstalledModel) -> dict[str, Any]:
    """Return an installed model without its path."""
    body = asdict(model)
    del body["folder"]
    return body
