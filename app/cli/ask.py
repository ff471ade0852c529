"""`snug ask`: one question, one answer, nothing stored."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from app.chat.consulting import is_question
from app.chat.prompts import system_prompt
from app.cli import answer, consulting
from app.cli.engine import add_load_options, open_runner_for
from app.cli.output import Output
from app.cli.reading import DocumentReader, add_reading_options
from app.cli.sampling import add_sampling_options, sampling_from
from app.documents import prompting
from app.documents.citing import cite
from app.documents.document import ReadDocument
from app.messages import describe_code
from app.models.runner import ModelRunner
from app.paths import Paths
from inference.errors import ContextOverflow, EmptyPrompt, ModelNotLoaded
from inference.stream import Stream
from inference.types import ChatMessage, PrefillProgress, TextDelta

SESSION = "ask"


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question, and the documents that it is put to."""

    prompt: str
    documents: Sequence[ReadDocument]


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
    parser.add_argument(
        "--passages",
        action="store_true",
        help="answer from passages that are searched for, as questions always are, also what is "
        "no question",
    )
    add_reading_options(parser)
    add_sampling_options(parser)
    add_load_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, places: Paths, output: Output) -> int:
    """Answer one question."""
    prompt = sys.stdin.read() if options.prompt == "-" else options.prompt
    if not prompt.strip():
        raise EmptyPrompt
    reader = DocumentReader(options, output)
    documents = [reader.read(path) for path in options.file]
    try:
        with open_runner_for(options, places, "documents" if documents else "chat") as runner:
            return _answer(_Asked(prompt, documents), runner, options, places, output)
    except ModelNotLoaded:
        if not documents:
            raise
    return _by_passages(_Asked(prompt, documents), None, places, output)


def _answer(
    asked: _Asked, runner: ModelRunner, options: argparse.Namespace, places: Paths, output: Output
) -> int:
    prompt, documents = asked.prompt, asked.documents
    question = "\n\n".join([*(prompting.fence(document) for document in documents), prompt])
    system = system_prompt() if options.system is None else options.system
    told = (ChatMessage("system", system),) if system.strip() else ()
    messages = (*told, ChatMessage("user", question))
    # Loading takes longer than counting, and what cannot fit need not wait for it.
    needed, limit = runner.count_tokens(messages), runner.context_tokens
    is_too_long = bool(limit) and needed >= limit
    if documents and (options.passages or is_too_long or is_question(prompt)):
        return _by_passages(asked, runner, places, output)
    if is_too_long:
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
    citations = cite(result.text, consulting.indexed(documents))
    if output.as_json:
        output.result(result.as_json() | {"citations": [asdict(each) for each in citations]})
    else:
        output.line()
        consulting.show_citations(citations, output)
        if device.reason:
            output.note(f"This ran on the {device.kind.upper()}: {device.reason}.")
        if not runner.view().is_instruct:
            base = describe_code("model_is_base", {})
            output.note(f"{base.message} {base.action}")
    return 0


def _by_passages(asked: _Asked, runner: ModelRunner | None, places: Paths, output: Output) -> int:
    found = consulting.ask_by_passages(
        asked.documents, asked.prompt.strip(), runner=runner, places=places, output=output
    )
    if output.as_json:
        output.result(consulting.as_json(found))
    else:
        consulting.show_answer(found, output)
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
