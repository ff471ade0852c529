"""Expected against measured speed of writing: `python -m tests.benchmarks.expected_speed DATA ID…`.

The bandwidth is measured anew beside each model, as other work on the machine changes both.
"""

import argparse
import tempfile
from pathlib import Path

from app.children import command
from app.models import catalog, device_bench
from app.models.bandwidth import Bandwidth
from app.models.fit import judge, look
from app.models.installed import InstalledModels
from app.paths import Paths
from inference import child, devices


def main() -> None:
    """Print one line a model and round."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("ids", nargs="+")
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    places = Paths(options.data)
    known = {entry.id: entry for entry in catalog.entries()}
    for model_id in options.ids * options.rounds:
        model = InstalledModels(places.models).get(model_id)
        with tempfile.TemporaryDirectory() as folder:
            machine = look(places.models, Bandwidth(Path(folder) / "bandwidth.json"))
        expected = judge(known[model_id], machine).speed
        measured = device_bench.measure(
            lambda: child.start(command("host")),
            model,
            devices.processor_target(),
            lambda _status: None,
        ).decode_tokens_per_s
        if expected is None:
            raise SystemExit(f"{model_id} is too large for this machine")
        middle = (expected.least + expected.most) / 2
        print(  # noqa: T201 - what the command is for
            f"{model_id}: {machine.bandwidth_bytes_per_s / 1e9:.1f} GB/s,"
            f" expected {expected.least:.1f} to {expected.most:.1f} tokens/s,"
            f" measured {measured:.1f}, measured / expected {measured / middle:.2f}"
        )


if __name__ == "__main__":
    main()
