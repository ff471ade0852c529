"""A model is measured on a device through the path the window uses, in a host of its own."""

from pathlib import Path

import pytest

from app.children import command
from app.models import device_bench
from app.models.installed import InstalledModel
from inference import child, devices
from inference.errors import Cancelled

pytestmark = pytest.mark.engine


def model(folder: Path) -> InstalledModel:
    return InstalledModel("tiny", "Tiny", folder, "", 1, "llama", "", 512, "")


def test_reading_and_writing_are_measured_on_the_processor(tiny_model: Path) -> None:
    said: list[str] = []
    found = device_bench.measure(
        lambda: child.start(command("host")),
        model(tiny_model),
        devices.processor_target(),
        said.append,
    )
    assert found.prefill_tokens_per_s > 0
    assert found.decode_tokens_per_s > 0
    assert found.peak_bytes > 0
    assert found.bandwidth_share is not None
    assert said


def test_a_measurement_is_given_up_between_two_steps(tiny_model: Path) -> None:
    def stop(_status: str) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        device_bench.measure(
            lambda: child.start(command("host")),
            model(tiny_model),
            devices.processor_target(),
            stop,
        )
