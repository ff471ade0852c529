"""What a person has set, as one small JSON file.

Keys that this version does not know are kept, so that an older Snug does not lose what a newer one
wrote. A value that is not allowed counts as not set; a file that is no JSON is set aside.
"""

import errno
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

from app.atomic import write_atomically
from app.errors import StoreFull, StoreReadOnly
from inference.errors import BadFrame
from inference.frames import Codec
from inference.types import DeviceWish, Sampling

ThemeWish = Literal["system", "light", "dark"]


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings with their defaults; change one with `dataclasses.replace`.

    Attributes:
        model_id: The model chosen; empty takes the best that is installed.
        window_geometry: As the window wrote it, in Base64.
        documents_width_px: Width of the documents beside the chat; 0 is the window's own choice.
        sampling: A value that differs from `Sampling`'s own is a person's, and goes before what the
            model's files say.
        context_tokens: Context window of a conversation; 0 takes up to 8,192, less where the
            budget of the KV caches is smaller.
        kv_budget_mb: What all KV caches may take together, in MiB; 0 is an eighth of the machine.
        kv_bits: Size of a number in the KV cache: 32, or 8 where the model's folder allows it.
        idle_unload_min: Minutes without work after which the model's memory is given back; 0 never.
        hub_endpoint: Address of the hub or of its mirror, the only host that is asked for lists;
            empty is the public one.
        hub_proxy: Address of the proxy for downloads; empty takes the system's.
        task_models: Ids of the models for tasks (`chat`, `summary`, `documents`) that a person gave
            one of their own.
        other: Keys of another version, kept as they are.
    """

    theme: ThemeWish = "system"
    model_id: str = ""
    device: DeviceWish = "auto"
    sampling: Sampling = field(default_factory=Sampling)
    is_sidebar_visible: bool = True
    window_geometry: str = ""
    is_documents_visible: bool = False
    documents_width_px: int = 0
    context_tokens: int = 0
    kv_budget_mb: int = 0
    kv_bits: Literal[32, 8] = 32
    idle_unload_min: int = 15
    hub_endpoint: str = ""
    hub_proxy: str = ""
    task_models: dict[str, str] = field(default_factory=dict)
    other: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        sizes = (self.context_tokens, self.kv_budget_mb, self.idle_unload_min)
        if min(*sizes, self.documents_width_px) < 0:
            raise ValueError("0 leaves it to Snug; less than that means nothing")

    @classmethod
    def load(cls, path: Path) -> "Settings":
        """Return what is set; what cannot be read counts as not set."""
        try:
            body = json.loads(path.read_bytes())
        except OSError:
            return cls()
        except ValueError:
            _set_aside(path)
            return cls()
        if not isinstance(body, dict):
            _set_aside(path)
            return cls()
        return _settings(body)

    def sampling_over(self, defaults: Sampling) -> Sampling:
        """Return `defaults`, such as a model's own, with what the person changed in its place."""
        own = Sampling()
        changed = {
            known.name: value
            for known in fields(Sampling)
            if (value := getattr(self.sampling, known.name)) != getattr(own, known.name)
        }
        return replace(defaults, **changed)

    def save(self, path: Path) -> None:
        """Write everything, old or new whatever happens in between.

        Raises:
            StoreFull: No space left.
            StoreReadOnly: The folder cannot be written.
        """
        body = asdict(self)
        body = {**body.pop("other"), **body}
        content = json.dumps(body, indent=2, ensure_ascii=False).encode("utf-8", "replace")
        try:
            write_atomically(path, content)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EFBIG):
                raise StoreFull from error
            raise StoreReadOnly(folder=str(path.parent)) from error


_CODEC = Codec((Settings,))
_KNOWN = frozenset(known.name for known in fields(Settings)) - {"other"}


def _settings(body: dict[str, Any]) -> Settings:
    """Take every known value that is allowed, each on its own, and keep the unknown keys."""
    values = {}
    for name in _KNOWN & body.keys():
        with suppress(BadFrame):
            alone = json.dumps({"type": Settings.__name__, name: body[name]})
            values[name] = getattr(_CODEC.decode(alone.encode()), name)
    unknown = {name: value for name, value in body.items() if name not in _KNOWN}
    return Settings(**values, other=unknown)


def _set_aside(path: Path) -> None:
    with suppress(OSError):
        path.replace(path.with_name(f"{path.name}.damaged"))
