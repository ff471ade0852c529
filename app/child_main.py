"""What a child process does first, whatever it is for: walls up, then its own work."""

from app.privacy import network, walls
from inference.child import connect


def run(verb: str, handle: str) -> int:
    """Run the child called `verb` on the pipe numbered `handle`."""
    connection = connect(handle)
    walls.deny_network()
    network.watch(network.inherited_log(), process=verb)
    if verb == "host":
        from inference import host  # noqa: PLC0415 - a child imports only what it is for

        return host.serve(connection)
    if verb == "import":
        from inference.gguf import job  # noqa: PLC0415

        return job.serve(connection)
    if verb == "document":
        from app.documents import sandbox_child  # noqa: PLC0415

        return sandbox_child.serve(connection)
    if verb == "count":
        from inference import counting  # noqa: PLC0415

        return counting.serve(connection)
    if verb == "probe":
        from inference import probe  # noqa: PLC0415

        return probe.serve(connection)
    if verb == "trial":
        from inference import trial_child  # noqa: PLC0415

        return trial_child.serve(connection)
    raise SystemExit(2)
