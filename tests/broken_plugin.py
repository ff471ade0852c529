"""Plug-ins that fail as drivers do: by ending the process, or by never coming back."""

import shutil
import subprocess
from pathlib import Path

import pytest

from inference.plugins import Plugin

ENDS = "abort();"
HANGS = "for (;;) pause();"


def build(folder: Path, behavior: str, name: str = "broken") -> Plugin:
    """Compile a library that behaves so when it is loaded; skip where there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler, so no broken plug-in")
    source, library = folder / f"{name}.c", folder / f"lib{name}.so"
    source.write_text(
        "#include <stdlib.h>\n#include <unistd.h>\n"
        f"__attribute__((constructor)) static void load(void) {{ {behavior} }}\n"
    )
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True, timeout=60)
    return Plugin(name, "1.0", library=str(library))
