"""What is known of this computer's devices, as values for the window and the command line."""

from dataclasses import dataclass
from typing import Literal

from inference.types import DeviceTarget

DeviceState = Literal["untested", "works", "failed"]


@dataclass(frozen=True, slots=True)
class DeviceReport:
    """A device, and what a trial with a model found out about it.

    Attributes:
        state: `works` only after a right answer, `failed` until somebody asks again.
        reason: One clause that says why it failed; else empty.
        tokens_per_s: Speed of writing an answer that the trial measured; 0 before.
        is_virtual: It exists for compiling only, and can run nothing.
        is_software: The processor plays it; slower than the processor itself.
        memory_bytes: The device's own memory, where the system tells; else 0.
        plugin: Package that brings the provider, with its version; empty where the runtime has it.
    """

    target: DeviceTarget
    state: DeviceState = "untested"
    reason: str = ""
    tokens_per_s: float = 0.0
    is_virtual: bool = False
    is_software: bool = False
    memory_bytes: int = 0
    plugin: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """The device that a model shall run on.

    Attributes:
        target: None leaves it to the host, which takes the processor.
        reason: Empty where the wish was met; else one clause that says why it was not.
    """

    target: DeviceTarget | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class DeviceBench:
    """How fast a model is on a device.

    Attributes:
        prefill_tokens_per_s: Speed of reading a prompt; 0 where it was not measured.
        decode_tokens_per_s: Speed of writing an answer.
        peak_bytes: The host's largest resident memory.
        bandwidth_share: Share of what the machine can read from memory, which bounds the writing;
            None for devices with a memory of their own.
    """

    prefill_tokens_per_s: float
    decode_tokens_per_s: float
    peak_bytes: int
    bandwidth_share: float | None = None
