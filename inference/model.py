"""A loaded model and everything that belongs to it in the host."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from inference import devices, int8_kv, manifest, memory, threads
from inference.controls import Controls
from inference.engine import genai, model_config
from inference.engine.model_config import ModelConfig
from inference.engine.protocol import Engine
from inference.errors import DeviceUnavailable, InferenceError, OutOfMemory
from inference.int8_kv import Int8Kv
from inference.pace import Pace
from inference.prompt import PromptBuilder
from inference.sessions import Sessions
from inference.tokenizer import Tokenizer
from inference.types import DeviceChoice, DeviceTarget, Loaded, LoadModel


@dataclass(slots=True)
class Model:
    """What an answer needs. The files are still being verified when it is made."""

    engine: Engine
    config: ModelConfig
    tokenizer: Tokenizer
    prompts: PromptBuilder
    sessions: Sessions
    pace: Pace
    context_tokens: int
    verifier: manifest.Verifier | None
    controls: Controls

    def close(self) -> None:
        """Stop the verification, if it still goes on, and give the caches back."""
        if self.verifier is not None:
            self.verifier.cancel()
        self.sessions.clear()


def load(command: LoadModel) -> tuple[Model, Loaded]:
    """Load a model folder.

    Raises:
        InferenceError: It cannot be loaded, by kind.
    """
    began_s = time.perf_counter()
    folder = Path(command.folder)
    config = model_config.read(folder)
    verifier = _verifier(folder)
    cores = command.threads or threads.model_threads()
    try:
        model, running = _build(command, config, verifier=verifier, cores=cores)
    except InferenceError:
        if verifier is not None:
            verifier.wait()  # knows better what is wrong
        raise
    loaded = Loaded(
        request_id=command.request_id,
        device=running.device,
        context_tokens=model.context_tokens,
        load_s=time.perf_counter() - began_s,
        threads=cores,
        versions=genai.versions(),
        kv_budget_bytes=model.sessions.budget_bytes,
        kv_token_bytes=_kv_token_bytes(config, running),
        kv_bits=running.kv_bits,
        kv_reason=running.kv_reason,
        is_instruct=model.prompts.is_instruct,
    )
    return model, loaded


@dataclass(frozen=True, slots=True)
class _Running:
    """What runs, where, and with which KV cache; see `Loaded`."""

    engine: Engine
    device: DeviceChoice
    kv_bits: int = 32
    kv_reason: str = ""


def _build(
    command: LoadModel,
    config: ModelConfig,
    *,
    verifier: manifest.Verifier | None,
    cores: int,
) -> tuple[Model, _Running]:
    folder = Path(command.folder)
    with ThreadPoolExecutor(1, "tokenizer") as beside:
        # The runtime packs weights on one core and lets go of the interpreter's lock meanwhile.
        reading = beside.submit(Tokenizer.load, folder)
        running = _run(
            command,
            config,
            cores=cores,
            prompts=lambda: PromptBuilder.load(folder, reading.result()),
            check=verifier.wait if verifier is not None else lambda: None,
        )
        tokenizer = reading.result()
    engine = running.engine
    prompts = PromptBuilder.load(folder, tokenizer)
    context = min(command.context_tokens or config.context_tokens, config.context_tokens)
    pace = Pace(config.vocab_size)
    sessions = Sessions(
        engine,
        context_tokens=context,
        budget_bytes=command.kv_budget_bytes or memory.kv_budget_bytes(),
        token_bytes=_kv_token_bytes(config, running),
        pace=pace,
    )
    controls = Controls.of(tokenizer, config)
    model = Model(engine, config, tokenizer, prompts, sessions, pace, context, verifier, controls)
    return model, running


def _run(
    command: LoadModel,
    config: ModelConfig,
    *,
    cores: int,
    prompts: Callable[[], PromptBuilder],
    check: Callable[[], object],
) -> _Running:
    """Load on the device that is asked for, else on the processor, which then says why."""
    folder = Path(command.folder)

    def load(device: DeviceTarget | DeviceChoice, graph: str = "") -> genai.GenaiEngine:
        return genai.GenaiEngine(
            folder, config, device=device, threads=cores, spins=command.spins, graph=graph
        )

    def run(device: DeviceTarget | DeviceChoice, chosen: DeviceChoice) -> _Running:
        if command.kv_bits != int8_kv.BITS:
            return _Running(load(device), chosen)
        if chosen.provider != devices.CPU_PROVIDER:
            return _Running(load(device), chosen, kv_reason="only the processor computes with it")
        small = Int8Kv(folder, partial(load, device), prompts, check, genai.versions())
        engine, reason = small.engine()
        return _Running(engine, chosen, 32 if reason else int8_kv.BITS, reason)

    target = command.target
    if target is None:
        wanted = devices.choose(command.device)
        wanted = replace(wanted, reason=command.reason or wanted.reason)
    else:
        wanted = DeviceChoice(target.kind, target.provider, target.name, command.reason)
    try:
        return run(target or wanted, wanted)
    except DeviceUnavailable as error:
        if wanted.kind == "cpu":
            raise
        reason = str(error.facts.get("reason", ""))
    except OutOfMemory:
        if wanted.kind == "cpu":
            raise
        reason = "the model does not fit into its memory"
    device = devices.processor(reason=reason)
    return run(device, device)


def _kv_token_bytes(config: ModelConfig, running: _Running) -> int:
    return config.kv_token_bytes * running.kv_bits // 32


def _verifier(folder: Path) -> manifest.Verifier | None:
    """Start checking the files; a folder from elsewhere, without a manifest, has nothing to check.

    Raises:
        ModelDamaged: There is a manifest, and it cannot be read.
    """
    if not (folder / manifest.FILE_NAME).exists():
        return None
    verifier = manifest.Verifier(folder)
    verifier.start()
    return verifier
