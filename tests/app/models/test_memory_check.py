"""The context window follows the budget, and what would fit is named before anything is loaded."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from app.models.fit import memory_needed_bytes
from app.models.installed import InstalledModels
from app.models.memory_check import MemoryCheck, free_bytes
from app.settings import Settings
from inference import manifest
from inference.engine import model_config

MIB = 1 << 20


@pytest.fixture
def installed(tmp_path: Path, tiny_model: Path) -> InstalledModels:
    """A model of 32,768 tokens and 16 KiB a token, and a smaller one."""
    for name, ballast in (("large", 3 * MIB), ("small", 0)):
        folder = tmp_path / "models" / name
        shutil.copytree(tiny_model, folder)
        config = json.loads((folder / model_config.FILE_NAME).read_text())
        config["model"]["context_length"] = 32_768
        shape = {"num_hidden_layers": 16, "num_key_value_heads": 2, "head_size": 64}
        config["model"]["decoder"] |= shape
        (folder / model_config.FILE_NAME).write_text(json.dumps(config))
        (folder / "ballast").write_bytes(bytes(ballast))
        manifest.write(folder, facts={"name": name})
    return InstalledModels(tmp_path / "models")


Check = Callable[..., MemoryCheck]


@pytest.fixture
def check(installed: InstalledModels) -> Check:
    def make(free: int = 0, **settings: int) -> MemoryCheck:
        chosen = Settings(**settings)  # type: ignore[arg-type]
        return MemoryCheck(installed, lambda: chosen, lambda _pid: free)

    return make


@pytest.mark.parametrize(
    ("settings", "wished", "context"),
    [
        ({"kv_budget_mb": 1024}, 0, 8192),
        ({"kv_budget_mb": 100}, 0, 6400),
        ({"kv_budget_mb": 1}, 0, 2048),
        ({"kv_budget_mb": 1, "context_tokens": 16_384}, 0, 16_384),
        ({"context_tokens": 16_384}, 4096, 4096),
        ({"context_tokens": 100_000}, 0, 32_768),
    ],
)
def test_the_window_is_wished_for_or_follows_the_budget(
    check: Check, installed: InstalledModels, settings: dict[str, int], wished: int, context: int
) -> None:
    assert check(**settings).context_tokens(installed.get("large"), wished) == context


def test_what_fits_needs_nobody(check: Check, installed: InstalledModels) -> None:
    assert check(1 << 40).need(installed.get("large"), 32_768, host_pid=None) is None


def test_a_smaller_window_and_a_smaller_model_are_named(
    check: Check, installed: InstalledModels
) -> None:
    large, small = installed.get("large"), installed.get("small")
    token_bytes = model_config.read(large.folder).kv_token_bytes

    def needed(disk_bytes: int, tokens: int) -> int:
        return memory_needed_bytes(disk_bytes, kv_token_bytes=token_bytes, context_tokens=tokens)

    free = needed(large.disk_bytes, 4096)
    need = check(free, kv_budget_mb=64).need(large, 16_384, host_pid=None)
    assert need is not None
    assert need.needed_bytes == needed(large.disk_bytes, 16_384)
    assert (need.free_bytes, need.context_tokens) == (free, 16_384)
    assert (need.smaller_context_tokens, need.smaller_model_id) == (4096, "small")

    free = needed(small.disk_bytes, 2048)
    need = check(free, context_tokens=2048).need(large, 2048, host_pid=None)
    assert need is not None
    assert (need.smaller_context_tokens, need.smaller_model_id) == (0, "small")
    assert check(free - 1, context_tokens=2048).need(small, 2048, host_pid=None)


def test_a_folder_that_cannot_be_read_is_left_to_the_load(
    check: Check, installed: InstalledModels
) -> None:
    model = installed.get("small")
    (model.folder / model_config.FILE_NAME).write_text("{}")
    assert check().context_tokens(model) == 0
    assert check().need(model, 0, host_pid=None) is None


def test_the_memory_of_a_host_that_will_end_counts_as_free() -> None:
    assert free_bytes(os.getpid()) > 0
    assert free_bytes(2**22 + 1) > 0  # no process has this number
