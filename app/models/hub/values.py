"""What a hub says about a repository, and what of it is fetched.

Nothing here is known before the hub was asked: sizes, hashes and the commit come from its answer
and are never written down elsewhere.
"""

from dataclasses import dataclass
from typing import Literal

VariantKind = Literal["onnx", "gguf"]
VariantDevice = Literal["cpu", "gpu", "npu", ""]


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """One file of a repository at one commit.

    Attributes:
        path: Relative to the repository, with slashes; checked, so that it stays below a folder.
        bytes: Its size as the hub says.
        digest: Hexadecimal: SHA-256 where `is_sha256`, else the git blob id (SHA-1).
    """

    path: str
    bytes: int
    digest: str
    is_sha256: bool


@dataclass(frozen=True, slots=True)
class RemoteModel:
    """A repository at one commit.

    Attributes:
        repository: `owner/name`.
        commit: The 40 hexadecimal digits that the revision stood for when the hub was asked.
        licence: As the hub says, such as apache-2.0; empty where it does not.
        is_gated: Whether its owner wants to know who fetches it.
    """

    repository: str
    commit: str
    licence: str
    is_gated: bool
    files: tuple[RemoteFile, ...]


@dataclass(frozen=True, slots=True)
class Variant:
    """One way in which a repository holds its model: a folder for the runtime, or a GGUF file.

    Attributes:
        name: The folder's path in the repository, empty for its root, or the file's path.
        kind: What it is.
        device: What it is made for, as far as its name says; empty where it does not.
        quantization: Such as int4 or Q4_K_M, as far as its name says.
        files: What must be fetched.
    """

    name: str
    kind: VariantKind
    device: VariantDevice
    quantization: str
    files: tuple[RemoteFile, ...]

    @property
    def bytes(self) -> int:
        """Of all its files."""
        return sum(file.bytes for file in self.files)
