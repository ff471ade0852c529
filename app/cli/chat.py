"""`snug chat`: turns from standard input, one a line, in one conversation.

The conversation is kept beside the window's where the store can be opened. Where it cannot, because
a terminal often has no keyring or the window has the store open, the chat goes on and says so: its
store then is a temporary one under a key that nobody keeps.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from app import messages
from app.chat.service import ChatService
from app.chat.turn import Turn
from app.chat.values import Message, TurnView
from app.chat.walled_documents import WalledDocuments
from app.children import command
from app.cli.answer import Answer
from app.cli.engine import add_load_options, open_runner_for
from app.cli.output import Output
from app.cli.sampling import add_sampling_options, settings_from
from app.clock import SystemClock
from app.errors import StoreError
from app.models.runner import ModelRunner
from app.paths import Paths
from app.store.database import KEY_BYTES, Database
from app.store.opening import open_store
from inference import child

_LOOK_S = 0.03
_REASONS = {"complete": "stop", "length": "length", "cancelled": "cancelled"}


def register(subparsers: Any) -> None:
    """Add the verb."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "chat",
        help="talk in one conversation",
        description="Read turns from standard input, one a line, and answer each with the history "
        "as context.",
    )
    add_sampling_options(parser)
    add_load_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, places: Paths, output: Output) -> int:
    """Answer every line until the input ends; one that fails does not stop the others."""
    status = 0
    with ExitStack() as stack:
        runner = stack.enter_context(open_runner_for(options, places))
        chat = stack.enter_context(_open_chat(places, runner, output))
        conversation_id = chat.new_id()
        chat.set_answer_settings(conversation_id, settings_from(options)).result()
        for line in _lines():
            turn = chat.send(conversation_id, line)
            try:
                message = _follow(turn, output, with_thought=options.show_thought)
            except KeyboardInterrupt:
                turn.cancel()
                turn.wait()
                raise
            if message.state == "failed":
                output.error(messages.describe_code(message.error_code, message.error_facts))
                status = 1
            elif output.as_json:
                output.result(_answer(message, runner).as_json())
            else:
                output.line()
    return status


@contextmanager
def _open_chat(places: Paths, runner: ModelRunner, output: Output) -> Iterator[ChatService]:
    """Give the service on the person's store, or on a temporary one."""
    with tempfile.TemporaryDirectory(prefix="snug-") as folder:
        chat = _service(places, runner, lambda: open_store(places))
        try:
            chat.conversations().result()
        except StoreError as error:
            chat.close()
            output.note(f"This conversation is not kept. {messages.describe(error).message}")
            temporary, key = Path(folder) / places.store.name, os.urandom(KEY_BYTES)
            chat = _service(places, runner, lambda: Database.open(temporary, key))
        try:
            yield chat
        finally:
            chat.close()


def _service(
    places: Paths,
    runner: ModelRunner,
    open_database: Callable[[], Database],
) -> ChatService:
    documents = WalledDocuments(
        runner,
        abilities_path=places.abilities,
        identify=lambda _: runner.model.sha256,
        launch=lambda: child.start(command("document")),
    )
    return ChatService(open_database, runner, documents, SystemClock())


def _lines() -> Iterator[str]:
    """Yield what is typed or piped in, empty lines left out."""
    if sys.stdin.isatty():
        while True:
            try:
                line = input("> ")
            except EOFError:
                return
            if line.strip():
                yield line
    for line in sys.stdin:
        if line.strip():
            yield line.rstrip("\r\n")


def _follow(turn: Turn, output: Output, *, with_thought: bool) -> Message:
    """Print an answer as it grows and return it as it was kept."""
    shown = thought = 0
    while True:
        view = turn.wait(_LOOK_S)
        if with_thought and not output.as_json and len(view.thought) > thought:
            output.thought(view.thought[thought:])
            thought = len(view.thought)
        if len(view.text) > shown and not output.as_json:
            if thought and not shown:
                output.thought("\n\n")
            output.text(view.text[shown:])
            shown = len(view.text)
        if view.message is not None:
            output.clear_status()
            return view.message
        if not (view.text or thought):
            output.status(_stage(view))


def _stage(view: TurnView) -> str:
    if view.stage == "thinking":
        return "Thinking…"
    if view.stage == "prefill" and view.total:
        return f"Reading the prompt… {view.done:,} of {view.total:,}"
    return "Loading the model…" if view.stage in ("waiting", "loading") else "Reading the prompt…"


def _answer(message: Message, runner: ModelRunner) -> Answer:
    metrics = message.metrics
    assert metrics is not None  # noqa: S101 - what did not fail has been measured
    return Answer(
        text=message.text,
        thought=message.thought,
        thought_s=message.thought_s,
        finish_reason=_REASONS[message.state],
        model=runner.model,
        device=metrics.device or runner.known_device,
        usage={
            "prompt_tokens": metrics.prompt_tokens,
            "cached_tokens": metrics.cached_tokens,
            "generated_tokens": metrics.generated_tokens,
            "drafted_tokens": metrics.drafted_tokens,
            "accepted_tokens": metrics.accepted_tokens,
        },
        ttft_s=metrics.ttft_s,
        prefill_tokens_per_s=metrics.prefill_tokens_per_s,
        decode_tokens_per_s=metrics.tokens_per_s,
    )
