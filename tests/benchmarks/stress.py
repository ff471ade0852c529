"""Random faults against real hosts with a tiny model; see `tests.faults`.

    python -m tests.benchmarks.stress [--faults N] [--seed N]

Ends with an error where anything was lost, and names the fault; else prints how requests ended.
"""

import argparse
import tempfile
import time
from pathlib import Path

from inference.gguf import importer
from tests.faults import Faults
from tests.tiny_gguf import write_tiny_gguf


def main() -> None:
    """Run the stress."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faults", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    began_s = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        write_tiny_gguf(scratch / "tiny.gguf")
        importer.import_gguf(scratch / "tiny.gguf", scratch / "tiny", accuracy_level=1)
        faults = Faults(scratch / "tiny", scratch, options.seed)
        try:
            faults.run(options.faults, say)
        finally:
            faults.close()
    say(f"{options.faults} faults in {time.monotonic() - began_s:.0f} s, nothing lost")
    say(f"kinds: {dict(faults.kinds)}")
    say(f"ends: {dict(faults.reasons)}")


def say(line: str) -> None:
    """Print a line."""
    print(line, flush=True)  # noqa: T201 - what the command is for


if __name__ == "__main__":
    main()
