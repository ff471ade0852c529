"""What a child process does first, whatever it is for: walls up, then its own work."""

from importlib import import_module

from app.privacy import network, walls
from inference.child import connect

# A child imports only what it is for; each module has `serve(connection) -> exit code`.
_MODULES = {
    "host": "inference.host",
    "import": "inference.importing",
    "document": "app.documents.sandbox_child",
    "count": "inference.counting",
    "probe": "inference.probe",
    "trial": "inference.trial_child",
    "embed": "inference.embedding",
    "ocr": "app.documents.ocr.recognizing_child",
    "view": "app.documents.viewing_child",
    "download": "app.models.hub.download_child",
    "bandwidth": "inference.bench.bandwidth",
}
# The one child that is there to reach a network; its hook lets through what its request names.
_WITH_DOOR = "download"


def run(verb: str, handle: str) -> int:
    """Run the child called `verb` on the pipe numbered `handle`."""
    connection = connect(handle)
    if verb != _WITH_DOOR:
        walls.deny_network()
    network.watch(network.inherited_log(), process=verb, has_door=verb == _WITH_DOOR)
    if verb not in _MODULES:
        raise SystemExit(2)
    return int(import_module(_MODULES[verb]).serve(connection))
