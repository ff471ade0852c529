"""A loaded model and everything that belongs to it in the host."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from inference import devices, manifest, memory, threads
from inference.controls import Controls
from inference.engine import genai, model_config
from inference.engine.model_config import ModelConfig
from inference.engine.protocol import Engine
from inference.errors import DeviceUnavailable, InferenceError, OutOfMemory
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
        model, device = _build(command, config, verifier=verifier, cores=cores)
    except InferenceError:
        if verifier is not None:
            verifier.wait()  # knows better what is wrong
        raise
    loaded = Loaded(
        request_id=command.request_id,
        device=device,
        context_tokens=model.context_tokens,
        load_s=time.perf_counter() - began_s,
        threads=cores,
        versions=genai.versions(),
        kv_budget_bytes=model.sessions.budget_bytes,
        kv_token_bytes=model.config.kv_token_bytes,
    )
    return model, loaded


def _build(
    command: LoadModel,
    config: ModelConfig,
    *,
    verifier: manifest.Verifier | None,
    cores: int,
) -> tuple[Model, DeviceChoice]:
    folder = Path(command.folder)
    with ThreadPoolExecutor(1, "tokenizer") as beside:
        # The runtime packs weights on one core and lets go of the interpreter's lock meanwhile.
        reading = beside.submit(Tokenizer.load, folder)
        engine, device = _load_engine(command, config, cores=cores)
        tokenizer = reading.result()
    prompts = PromptBuilder.load(folder, tokenizer)
    context = min(command.context_tokens or config.context_tokens, config.context_tokens)
    pace = Pace(config.vocab_size)
    sessions = Sessions(
        engine,
        context_tokens=context,
        budget_bytes=command.kv_budget_bytes or memory.kv_budget_bytes(),
        token_bytes=config.kv_token_bytes,
        pace=pace,
    )
    controls = Controls.of(tokenizer, config)
    model = Model(engine, config, tokenizer, prompts, sessions, pace, context, verifier, controls)
    return model, device


def _load_engine(
    command: LoadModel, config: ModelConfig, *, cores: int
) -> tuple[Engine, DeviceChoice]:
    """Load on the device that is asked for, else on the processor, which then says why."""
    spins = command.spins and threads.may_spin()

    def load(device: DeviceTarget | DeviceChoice) -> Engine:
        return genai.GenaiEngine(
            Path(command.folder), config, device=device, threads=cores, spins=spins
        )

    target = command.target
    if target is None:
        wanted = devices.choose(command.device)
        wanted = replace(wanted, reason=command.reason or wanted.reason)
    else:
        wanted = DeviceChoice(target.kind, target.provider, target.name, command.reason)
    try:
        return load(target or wanted), wanted
    except DeviceUnavailable as error:
        if wanted.provider == devices.CPU_PROVIDER:
            raise
        reason = str(error.facts.get("reason", ""))
    except OutOfMemory:
        if wanted.provider == devices.CPU_PROVIDER:
            raise
        reason = "the model does not fit into its memory"
    device = devices.processor(reason=reason)
    return load(device), device


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
