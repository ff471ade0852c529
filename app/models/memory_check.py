"""Which context window a model gets, and whether it fits into what is free now.

Asked before each load and not left to the system, which would swap until nothing moves, or end some
process or other.
"""

from collections.abc import Callable

from app.models.fit import memory_needed_bytes
from app.models.installed import InstalledModel, InstalledModels
from app.models.runner_view import MemoryNeed
from app.settings import Settings
from inference.engine import model_config
from inference.engine.model_config import ModelConfig
from inference.errors import InferenceError

AUTOMATIC_CONTEXT_TOKENS = 8192
LEAST_CONTEXT_TOKENS = 2048

_MIB = 1 << 20
_STEP_TOKENS = 256


def free_bytes(host_pid: int | None) -> int:
    """Return what can be had without swapping, once the host `host_pid` has ended."""
    import psutil  # noqa: PLC0415 - the window must not wait for it at its start

    free = int(psutil.virtual_memory().available)
    if host_pid is None:
        return free
    try:
        return free + int(psutil.Process(host_pid).memory_full_info().uss)
    except psutil.Error:
        return free


class MemoryCheck:
    """Reads the disk and asks the system; may be used from any thread.

    Args:
        free: What is free, once the host of this process id has ended; see `free_bytes`.
    """

    def __init__(
        self,
        installed: InstalledModels,
        settings: Callable[[], Settings],
        free: Callable[[int | None], int] = free_bytes,
    ) -> None:
        self._installed = installed
        self._settings = settings
        self._free = free

    def budget_bytes(self) -> int:
        """Return what all KV caches may take together."""
        from inference import memory  # noqa: PLC0415 - psutil, see above

        wished_mb = self._settings().kv_budget_mb
        return wished_mb * _MIB if wished_mb else memory.kv_budget_bytes()

    def context_tokens(self, model: InstalledModel, wished_tokens: int = 0) -> int:
        """Return the context window for a model; 0 where its folder cannot be read.

        Args:
            model: An installed model; its folder sets the upper bound.
            wished_tokens: A person's wish for this model; 0 takes what is set for all, or else up
                to 8,192 tokens, less where the budget of the KV caches is smaller.
        """
        config = _config(model)
        if config is None:
            return 0
        wished_tokens = wished_tokens or self._settings().context_tokens
        if not wished_tokens:
            fitting = self.budget_bytes() // config.kv_token_bytes
            fitting -= fitting % _STEP_TOKENS
            wished_tokens = min(AUTOMATIC_CONTEXT_TOKENS, max(LEAST_CONTEXT_TOKENS, fitting))
        return min(wished_tokens, config.context_tokens)

    def need(
        self, model: InstalledModel, context_tokens: int, *, host_pid: int | None
    ) -> MemoryNeed | None:
        """Return what is short and what would do instead, or None where all is well."""
        config = _config(model)
        if config is None:
            return None  # the load says what is wrong with it
        free = self._free(host_pid)
        needed = _needed_bytes(model, config, context_tokens)
        if needed <= free:
            return None
        return MemoryNeed(
            needed_bytes=needed,
            free_bytes=free,
            context_tokens=context_tokens,
            smaller_context_tokens=_fitting_context(model, config, context_tokens, free),
            smaller_model_id=self._fitting_model(model, free),
        )

    def _fitting_model(self, model: InstalledModel, free: int) -> str:
        """Return the largest model that is smaller than `model` and fits."""
        smaller = [each for each in self._installed.all() if each.disk_bytes < model.disk_bytes]
        for each in sorted(smaller, key=lambda one: one.disk_bytes, reverse=True):
            config = _config(each)
            if config and _needed_bytes(each, config, self.context_tokens(each)) <= free:
                return each.id
        return ""


def _fitting_context(
    model: InstalledModel, config: ModelConfig, context_tokens: int, free: int
) -> int:
    while (context_tokens := context_tokens // 2) >= LEAST_CONTEXT_TOKENS:
        if _needed_bytes(model, config, context_tokens) <= free:
            return context_tokens
    return 0


def _needed_bytes(model: InstalledModel, config: ModelConfig, context_tokens: int) -> int:
    return memory_needed_bytes(
        model.disk_bytes, kv_token_bytes=config.kv_token_bytes, context_tokens=context_tokens
    )


def _config(model: InstalledModel) -> ModelConfig | None:
    try:
        return model_config.read(model.folder)
    except InferenceError:
        return None
