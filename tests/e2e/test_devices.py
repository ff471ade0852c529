"""A device that fails, as the command line shows it: the processor answers, and says why."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.paths import Paths
from inference import plugins

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(sys.platform == "win32", reason="DirectML may be there"),
    pytest.mark.skipif(
        not any(each.name == "webgpu" for each in plugins.installed()),
        reason="the WebGPU plug-in is not installed",
    ),
]

VIRTUAL = {"SNUG_VIRTUAL_DEVICES": "1"}
REASON = "it is a virtual device that can run nothing"
GREEDY = ("--temperature", "0", "--max-tokens", "4", "--json")


@pytest.fixture(autouse=True)
def places(data_dir: Path, tiny_model: Path) -> Paths:
    """A data folder with the tiny model in it."""
    places = Paths(data_dir)
    places.models.mkdir(parents=True)
    shutil.copytree(tiny_model, places.models / "tiny", copy_function=os.link)
    return places


def snug(
    *arguments: str, python: str = sys.executable, **variables: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [python, "-m", "app", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
        env={**os.environ, **variables},
    )


def result(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    body: dict[str, Any] = json.loads(done.stdout)
    return body


@pytest.mark.parametrize("wish", ["auto", "gpu", "Virtual GPU (WebGPU)"])
def test_an_answer_says_why_the_processor_gave_it(wish: str) -> None:
    device = result(snug("ask", "Hello", "--device", wish, *GREEDY, **VIRTUAL))["device"]

    assert device["kind"] == "cpu"
    assert device["reason"] == f"the GPU cannot be used: {REASON}"


def test_people_are_told_beside_the_answer() -> None:
    done = snug("ask", "Hello", "--device", "npu", *GREEDY[:-1], **VIRTUAL)

    assert "This ran on the CPU: no NPU was found that Snug can use." in done.stderr


def test_devices_are_listed_with_state_and_reason_and_can_be_tried_again() -> None:
    (processor, gpu) = result(snug("devices", "--json", **VIRTUAL))["devices"]
    assert (processor["kind"], processor["state"]) == ("cpu", "works")
    assert (gpu["kind"], gpu["state"], gpu["is_virtual"]) == ("gpu", "untested", True)

    (processor, gpu) = result(snug("devices", "--test", "--json", **VIRTUAL))["devices"]
    assert processor["tokens_per_s"] > 0
    assert (gpu["state"], gpu["reason"]) == ("failed", REASON)

    named = ("--retry", "virtual gpu (webgpu)")
    (_, gpu) = result(snug("devices", *named, "--json", **VIRTUAL))["devices"]
    assert (gpu["state"], gpu["reason"]) == ("failed", REASON)
    listing = snug("devices", **VIRTUAL).stdout.splitlines()
    assert listing[-1] == f"GPU  Virtual GPU (WebGPU): failed: {REASON}"


def test_a_device_that_is_not_there_is_named() -> None:
    done = snug("devices", "--retry", "Nobody's GPU", "--json")

    assert done.returncode == 1
    assert json.loads(done.stderr)["error"]["code"] == "device_unknown"


@pytest.mark.device
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("software_gpu")
def test_a_gpu_gives_the_processors_answer() -> None:
    on_gpu = result(snug("ask", "Hello", "--device", "gpu", *GREEDY))
    on_processor = result(snug("ask", "Hello", "--device", "cpu", *GREEDY))

    assert (on_gpu["device"]["kind"], on_gpu["device"]["reason"]) == ("gpu", "")
    assert on_gpu["device"]["name"] == "Software GPU (WebGPU)"
    assert on_gpu["text"] == on_processor["text"]


@pytest.mark.device
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("software_gpu")
def test_a_gpu_that_is_slower_is_left_alone_with_the_reason() -> None:
    device = result(snug("ask", "Hello", *GREEDY))["device"]

    assert device["kind"] == "cpu"
    assert device["reason"] == "it answers faster than the GPU here"


@pytest.mark.device
@pytest.mark.timeout(600)
def test_a_driver_that_is_missing_is_the_reason(software_gpu: Path) -> None:
    gone = {"VK_DRIVER_FILES": str(software_gpu.with_name("gone.json"))}

    device = result(snug("ask", "Hello", "--device", "gpu", *GREEDY, **gone))["device"]

    assert device["kind"] == "cpu"
    assert device["reason"] == "the GPU cannot be used: its driver has no usable Vulkan adapter"


@pytest.mark.device
@pytest.mark.timeout(600)
def test_an_npu_that_fails_is_the_reason(openvino_runtime: Path) -> None:
    python = str(openvino_runtime)

    answered = snug("ask", "Hello", "--device", "npu", *GREEDY, python=python, **VIRTUAL)
    listed = snug("devices", "--json", python=python, **VIRTUAL)

    reason = "its driver has no compiler for models"
    device = result(answered)["device"]
    assert (device["kind"], device["reason"]) == ("cpu", f"the NPU cannot be used: {reason}")
    npus = [each for each in result(listed)["devices"] if each["kind"] == "npu"]
    assert npus
    assert {(each["state"], each["reason"]) for each in npus} == {("failed", reason)}
