"""Whole tasks beside llama-cpp-python's own server, from Enter to the last token.

`python -m tests.benchmarks.whole_tasks MODEL_FOLDER --gguf FILE --llama-python PYTHON`

A document of three pages is dropped and asked about 20 s later, a follow-up is typed, and a mail is
pasted into a new conversation to be rewritten. Both engines get the same file, messages, threads,
pauses and numbers of tokens; the server has its defaults but for a context window that holds the
document. Both are loaded all the time, and one is idle while the other works. What Snug does in the
pauses is what its window does: it reads ahead what is certain.
"""

import argparse
import http.client
import json
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from app.children import command
from app.documents.prompting import fence
from app.documents.reader import read_document
from inference import child, threads
from inference.client import EngineClient
from inference.stream import Stream
from inference.types import ChatMessage, Sampling
from tests.benchmarks.whole_texts import case

READING_S = 20.0
TYPING_S = 5.0
PAUSE_S = 0.6
CONTEXT_TOKENS = 4096
ANSWER_TOKENS = {"question": 100, "follow-up": 60, "mail": 150}
LIMIT_S = 600.0
SYSTEM = ChatMessage("system", "You are a helpful assistant. Answer clearly and concisely.")

Messages = tuple[ChatMessage, ...]


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer: its text, seconds from Enter to the last token, and tokens found in the cache."""

    text: str
    seconds: float
    cached_tokens: int = 0


class Ours:
    """Snug's engine as the window uses it."""

    def __init__(self, client: EngineClient) -> None:
        self._client = client

    def prepare(self, session_id: str, messages: Messages) -> None:
        """Read ahead what is certain."""
        self._client.prefill(messages, session_id=session_id, sink=lambda _event: None)

    def ask(self, session_id: str, messages: Messages, tokens: int) -> Answered:
        """Answer with exactly so many tokens."""
        stream = Stream()
        began_s = time.perf_counter()
        self._client.submit(
            messages,
            session_id=session_id,
            sampling=Sampling(temperature=0, max_new_tokens=tokens),
            drafts=True,
            ignore_eos=True,
            sink=stream.put,
        )
        finished = stream.result(LIMIT_S)
        return Answered(stream.text, time.perf_counter() - began_s, finished.cached_tokens)


class Theirs:
    """The server; between two questions nothing can be told to it."""

    def __init__(self, port: int) -> None:
        self._port = port

    def prepare(self, session_id: str, messages: Messages) -> None:
        """Do nothing."""

    def ask(self, session_id: str, messages: Messages, tokens: int) -> Answered:
        """Answer with exactly so many tokens, streaming."""
        body = {
            "messages": [{"role": each.role, "content": each.content} for each in messages],
            "temperature": 0,
            "max_tokens": tokens,
            "min_tokens": tokens,
            "stream": True,
        }
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=LIMIT_S)
        began_s = time.perf_counter()
        connection.request(
            "POST",
            "/v1/chat/completions",
            json.dumps(body),
            {"Content-Type": "application/json"},
        )
        pieces = list(_pieces(connection.getresponse()))
        seconds = time.perf_counter() - began_s
        connection.close()
        return Answered("".join(pieces), seconds)


def main() -> None:
    """Measure and print."""
    options = _options()
    cores = options.threads or threads.model_threads()
    client = EngineClient(lambda: child.start(command("host")))
    rows: list[tuple[str, int, float, float]] = []
    try:
        loading = Stream()
        client.load(options.folder, context_tokens=CONTEXT_TOKENS, threads=cores, sink=loading.put)
        loading.wait()
        with _server(options.llama_python, options.gguf, cores) as port:
            for number in range(options.documents):
                ours = _case(Ours(client), number)
                theirs = _case(Theirs(port), number)
                for task, mine in ours.items():
                    rows.append((task, number, mine.seconds, theirs[task].seconds))
                    _say(
                        f"{number} {task:10} {mine.seconds:6.2f} s {theirs[task].seconds:6.2f} s"
                        f"  x{mine.seconds / theirs[task].seconds:.2f}"
                        f"  ({mine.cached_tokens} tokens were read ahead)"
                    )
    finally:
        client.close()
    for task in ANSWER_TOKENS:
        _print_sum(task, [row for row in rows if row[0] == task])
    _print_sum("all", rows)


def _case(engine: Ours | Theirs, number: int) -> dict[str, Answered]:
    """Do the three tasks of one document, with the pauses of a person."""
    texts = case(number)
    name, tokens = f"document-{number}", ANSWER_TOKENS
    document = _fenced(texts.document)
    dropped = (SYSTEM, ChatMessage("user", f"{document}\n\n"))
    engine.prepare(name, dropped)
    time.sleep(READING_S)
    asked = (SYSTEM, ChatMessage("user", f"{document}\n\n{texts.question}"))
    first = engine.ask(name, asked, tokens["question"])

    answered = (*asked, ChatMessage("assistant", first.text))
    followed = (*answered, ChatMessage("user", texts.follow_up))
    engine.prepare(name, answered)
    time.sleep(TYPING_S)
    engine.prepare(name, followed)
    time.sleep(PAUSE_S)
    second = engine.ask(name, followed, tokens["follow-up"])

    name = f"mail-{number}"
    engine.prepare(name, (SYSTEM, ChatMessage("user", f"{texts.mail}\n\n")))
    time.sleep(TYPING_S)
    mail = (SYSTEM, ChatMessage("user", f"{texts.mail}\n\n{texts.instruction}"))
    engine.prepare(name, mail)
    time.sleep(PAUSE_S)
    return {
        "question": first,
        "follow-up": second,
        "mail": engine.ask(name, mail, tokens["mail"]),
    }


def _fenced(text: str) -> str:
    """Return a document as a message carries it once it was dropped as a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "report.txt")
        path.write_text(text)
        return fence(read_document(path, launch=lambda: child.start(command("document"))))


@contextmanager
def _server(python: Path, gguf: Path, cores: int) -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [
            *(python, "-m", "llama_cpp.server", "--model", gguf, "--port", str(port)),
            *("--n_threads", str(cores), "--n_threads_batch", str(cores)),
            *("--n_ctx", str(CONTEXT_TOKENS)),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(lambda: _answers(port), process)
        yield port
    finally:
        process.kill()
        process.wait()


def _wait(is_ready: Callable[[], bool], process: "subprocess.Popen[bytes]") -> None:
    while not is_ready():
        if process.poll() is not None:
            raise SystemExit("The server ended; does that Python have llama-cpp-python[server]?")
        time.sleep(0.2)


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def _pieces(response: http.client.HTTPResponse) -> Iterator[str]:
    for line in response:
        body = line.removeprefix(b"data: ").strip()
        if not body.startswith(b"{"):
            continue
        event = json.loads(body)
        if "error" in event:
            raise SystemExit(f"The server refused: {event['error']}")
        yield event["choices"][0]["delta"].get("content") or ""


def _print_sum(task: str, rows: list[tuple[str, int, float, float]]) -> None:
    ours, theirs = sum(row[2] for row in rows), sum(row[3] for row in rows)
    _say(f"{task:12} {ours:6.1f} s {theirs:6.1f} s  x{ours / theirs:.2f}")


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - what the command is for


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, metavar="MODEL_FOLDER")
    parser.add_argument("--gguf", type=Path, required=True)
    parser.add_argument("--llama-python", type=Path, required=True)
    parser.add_argument("--documents", type=int, default=5)
    parser.add_argument("--threads", type=int, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    main()
