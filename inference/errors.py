"""What can go wrong while a model is prepared and run.

    InferenceError
    ├── ModelMissing        the folder is not there, or a file of it is not
    ├── ModelDamaged        a file is not the one in the manifest, or cannot be read
    ├── ModelUnsupported    a file of a kind that the importer refuses, by name
    ├── ModelNotLoaded      a request came before any model was loaded
    ├── DeviceUnavailable   the device that was asked for cannot run the model
    ├── OutOfMemory         weights or KV cache did not fit
    ├── ContextOverflow     the prompt does not fit the context window
    ├── EmptyPrompt         there is nothing to answer
    ├── SchemaUnsupported   an answer cannot be made to follow this JSON Schema
    ├── WorkerDied          the process ended, or did not answer and was ended
    ├── WriteFailed         a model folder could not be written: full disk, read-only folder
    ├── Cancelled           a person stopped it
    └── BadFrame            the other end of a pipe sent what is not a frame

Errors carry facts, never sentences; `app.messages` has the sentence for each code. They cross the
process boundary as `Failed(code, facts)` and are made again by `from_code`.
"""

from collections.abc import Mapping

Fact = str | int | float


class InferenceError(Exception):
    """Root of what the environment can do to inference; `facts` fill the sentence shown."""

    code: str = "inference"

    def __init__(self, **facts: Fact) -> None:
        super().__init__(self.code, facts)
        self.facts: dict[str, Fact] = facts

    def __str__(self) -> str:
        return f"{self.code} {self.facts}" if self.facts else self.code


class ModelMissing(InferenceError):
    """Facts: `model`."""

    code = "model_missing"


class ModelDamaged(InferenceError):
    """Facts: `file`, `reason`, and `stranger`, the same file, where it does not belong there."""

    code = "model_damaged"


class ModelUnsupported(InferenceError):
    """Facts: `what`, the name of what is not supported; `supported`, what would be, if short."""

    code = "model_unsupported"


class ModelNotLoaded(InferenceError):
    """No facts."""

    code = "model_not_loaded"


class DeviceUnavailable(InferenceError):
    """Facts: `device`, `reason`."""

    code = "device_unavailable"


class OutOfMemory(InferenceError):
    """Facts: `needed_bytes`, `free_bytes` where known."""

    code = "out_of_memory"


class ContextOverflow(InferenceError):
    """Facts: `needed_tokens`, `limit_tokens`."""

    code = "context_overflow"


class EmptyPrompt(InferenceError):
    """No facts."""

    code = "empty_prompt"


class SchemaUnsupported(InferenceError):
    """Facts: `reason`."""

    code = "schema_unsupported"


class WorkerDied(InferenceError):
    """Facts: `exit_code` where known."""

    code = "worker_died"


class WorkerHung(InferenceError):
    """The host gave no sign of life and was ended. Facts: `silent_s`."""

    code = "worker_hung"


class WriteFailed(InferenceError):
    """Facts: `reason`, and `needed_bytes`, `free_bytes` where space is the reason."""

    code = "write_failed"


class Cancelled(InferenceError):
    """No facts."""

    code = "cancelled"


class BadFrame(InferenceError):
    """Facts: `reason`, without any content."""

    code = "bad_frame"


_BY_CODE: dict[str, type[InferenceError]] = {
    cls.code: cls for cls in InferenceError.__subclasses__()
}


def from_code(code: str, facts: Mapping[str, Fact]) -> InferenceError:
    """Return the error that crossed a process boundary as `code` and `facts`."""
    error = _BY_CODE.get(code, InferenceError)(**facts)
    # The program's own errors come this way too, and their codes have sentences above.
    error.code = code
    return error
