"""The packages that bring execution providers which the runtime itself has not.

They are looked for without loading anything: a plug-in's library may end the process that loads it.
"""

import importlib
import importlib.util
from dataclasses import dataclass
from importlib import metadata

CATALOG_MODULE = "windowsml"

_VIRTUAL_ENDING = ".virtual"
# Registration name to the module that knows its library's path, and its distribution.
_KNOWN = {
    "webgpu": ("onnxruntime_ep_webgpu", "onnxruntime-ep-webgpu"),
    "openvino": ("onnxruntime_ep_openvino", "onnxruntime-ep-openvino"),
    "mlx": ("onnxruntime_ep_mlx", "onnxruntime-ep-mlx"),
    "qnn": ("onnxruntime_qnn", "onnxruntime-qnn"),
}
_RUNTIMES = (
    "onnxruntime-genai",
    "onnxruntime-genai-directml",
    "onnxruntime-genai-winml",
    "onnxruntime-genai-cuda",
)


@dataclass(frozen=True, slots=True)
class Plugin:
    """A library that brings execution providers.

    Attributes:
        name: What it is registered as.
        version: Its package's version.
        module: The module that knows where the library is; empty where `library` says so.
        library: Path of the library, where known.
        is_virtual: Ask for its virtual devices, which serve for compiling, and not for the real.
    """

    name: str
    version: str = ""
    module: str = ""
    library: str = ""
    is_virtual: bool = False

    @property
    def registration(self) -> str:
        """The name to register it under; by its ending a plug-in lists virtual devices."""
        return self.name + _VIRTUAL_ENDING * self.is_virtual

    def library_path(self) -> str:
        """Return the library's path; imports the plug-in's module, so only a child calls it.

        Raises:
            ImportError: The package is damaged.
        """
        if self.library:
            return self.library
        module = importlib.import_module(self.module)
        try:
            return str(module.get_library_path())
        except (AttributeError, OSError, RuntimeError) as error:
            raise ImportError(name=self.module) from error


def installed() -> tuple[Plugin, ...]:
    """Return the plug-ins whose packages are installed; loads none of them."""
    return tuple(
        Plugin(name, _version(distribution), module)
        for name, (module, distribution) in _KNOWN.items()
        if importlib.util.find_spec(module) is not None
    )


def runtime_version() -> str:
    """Return the name and version of the runtime that is installed; loads nothing."""
    known = ((name, _version(name)) for name in _RUNTIMES)
    return next((f"{name} {version}" for name, version in known if version), "")


def has_catalog() -> bool:
    """Return whether Windows' own catalog of providers can be asked."""
    return importlib.util.find_spec(CATALOG_MODULE) is not None


def from_catalog() -> tuple[Plugin, ...]:
    """Return the providers that Windows holds ready; none is downloaded. In a child only.

    Written after documentation, and not run: the catalog exists on Windows 11 alone.
    """
    catalog_module = importlib.import_module(CATALOG_MODULE)
    with catalog_module.EpCatalog() as catalog:
        return tuple(
            Plugin(str(each.name), str(each.version), library=str(each.library_path))
            for each in catalog.find_all_providers()
            if each.ready_state.name == "Ready" and each.library_path
        )


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ""
