"""`snug ask`: one question, one answer, nothing stored."""

import argparse
import sys
from pathlib import Path
from typing import Any

from app.chat.prompts import system_prompt
from app.children import command
from app.cli import answer
from app.cli.engine import add_load_options, open_runner_for
from app.cli.output import Output
from app.cli.sampling import add_sampling_options, sampling_from
from app.documents import prompting
from app.documents.reader import read_document
from app.paths import Paths
from inference import child
from inference.errors import ContextOverflow, EmptyPrompt
from inference.stream import Stream
from inference.types import ChatMessage, PrefillProgress, TextDelta

SESSION = "ask"


def register(subparsers: Any) -> None:
    """Add the verb."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "ask", help="ask one question", description="Ask one question; nothing is stored."
    )
    parser.add_argument("prompt", metavar="PROMPT", help="the question; - reads standard input")
    parser.add_argument(
        "-f",
        "--file",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="a document to answer from; may be given again",
    )
    parser.add_argument(
        "--schema",
        type=_schema,
        metavar="FILE",
        help="a JSON Schema that the answer must follow",
    )
    add_sampling_options(parser)
    add_load_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, places: Paths, output: Output) -> int:
    """Answer one question."""
    prompt = sys.stdin.read() if options.prompt == "-" else options.prompt
    if not prompt.strip():
        raise EmptyPrompt
    documents = [
        read_document(path, launch=lambda: child.start(command("document")))
        for path in options.file
    ]
    question = "\n\n".join([*(prompting.fence(document) for document in documents), prompt])
    system = system_prompt() if options.system is None else options.system
    told = (ChatMessage("system", system),) if system.strip() else ()
    messages = (*told, ChatMessage("user", question))
    with open_runner_for(options, places) as runner:
        # Loading takes longer than counting, and what cannot fit need not wait for it.
        needed, limit = runner.count_tokens(messages), runner.context_tokens
        if limit and needed >= limit:
            raise ContextOverflow(needed_tokens=needed, limit_tokens=limit)
        stream = Stream()
        handle = runner.submit(
            messages,
            session_id=SESSION,
            sampling=sampling_from(options, runner.default_sampling),
            sink=stream.put,
            drafts=True,
            schema=options.schema or "",
        )
        try:
            show(stream, output, with_thought=options.show_thought)
        except BaseException:
            handle.cancel()
            raise
        stream.result()
        device = runner.known_device
        result = answer.from_stream(stream, model=runner.model, device=device)
    if output.as_json:
        output.result(result.as_json())
    else:
        output.line()
        if device.reason:
            output.note(f"This ran on the {device.kind.upper()}: {device.reason}.")
    return 0


def show(stream: Stream, output: Output, *, with_thought: bool) -> None:
    """Print an answer as it comes."""
    output.status("Loading the model…")
    thinks = False
    for event in stream:
        match event:
            case PrefillProgress(done_tokens=done, total_tokens=total):
                output.status(f"Reading the prompt… {done:,} of {total:,}")
            case TextDelta(channel="thought") if with_thought and not output.as_json:
                thinks = True
                output.thought(event.text)
            case TextDelta(channel="thought"):
                output.status("Thinking…")
            case TextDelta() if not output.as_json:
                if thinks:
                    output.thought("\n\n")
                    thinks = False
                output.text(event.text)
    output.clear_status()


def _schema(name: str) -> str:
    try:
        return Path(name).read_text("utf-8")
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"cannot read {name}") from error
