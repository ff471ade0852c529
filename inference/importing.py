"""The import process's main: it converts whatever kind of model it is told to."""

from multiprocessing.connection import Connection

from inference.embedding_import import import_embedding
from inference.gguf import job


def serve(connection: Connection) -> int:
    """Run one import for whoever holds the other end; return the exit code."""
    return job.serve(connection, import_embedding)
