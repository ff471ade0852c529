"""What a person has set, as one small JSON file.

Keys that this version does not know are kept, so that an older Snug does not lose what a newer one
wrote. A value that is not allowed counts as not set; a file that is no JSON is set aside.
"""

import errno
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
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
        other: Keys of another version, kept as they are.
    """

    theme: ThemeWish = "system"
    model_id: str = ""
    device: DeviceWish = "auto"
    sampling: Sampling = field(default_factory=Sampling)
    is_sidebar_visible: bool = True
    window_geometry: str = ""
    other: Mapping[str, Any] = field(default_factory=dict)

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
