"""The command line as a script sees it: real processes, the starter model, and bad input."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from app.paths import Paths

pytestmark = [pytest.mark.engine, pytest.mark.starter]

COMMAND = (sys.executable, "-m", "app")
QUESTION = "What is the capital of France?"
GREEDY = ("--temperature", "0", "--max-tokens", "24")
ENCRYPTED_PDF = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    b"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj\n"
    b"4 0 obj<</Filter/Standard/V 1/R 2/P -4/O<"
    + b"41" * 32
    + b">/U<"
    + b"42" * 32
    + b">>>endobj\n"
    b"trailer<</Root 1 0 R/Encrypt 4 0 R/ID[<00><00>]/Size 5>>\n%%EOF\n"
)


@pytest.fixture
def places(data_dir: Path, starter_model: Path) -> Paths:
    """A data folder with the starter in it."""
    places = Paths(data_dir)
    places.models.mkdir(parents=True)
    shutil.copytree(starter_model, places.models / "starter", copy_function=os.link)
    return places


def snug(
    *arguments: str | Path, stdin: str = "", **variables: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        env={**os.environ, **variables},
    )


def answer(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def refusal(done: subprocess.CompletedProcess[str]) -> dict[str, str]:
    """Return the one error a `--json` call ended with; anything else is a traceback in disguise."""
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout == ""
    error: dict[str, str] = json.loads(done.stderr)["error"]
    assert error.keys() == {"code", "message", "action"}
    assert all(error.values())
    return error


def test_ask_answers_and_says_how(places: Paths) -> None:
    result = answer(snug("ask", "--json", *GREEDY, QUESTION))
    assert "Paris" in result["text"]
    assert result["finish_reason"] == "stop"
    assert result["model"]["id"] == "starter"
    assert len(result["model"]["sha256"]) == 64
    assert result["device"].keys() == {"kind", "provider", "name", "reason"}
    assert result["usage"]["cached_tokens"] == 0
    assert result["usage"]["prompt_tokens"] > result["usage"]["generated_tokens"] > 0
    assert result["ttft_s"] > 0
    assert result["prefill_tokens_per_s"] > 0
    assert result["decode_tokens_per_s"] > 0
    assert not places.store.exists(), "ask opens no store"


def test_ask_reads_the_question_from_standard_input(places: Paths) -> None:
    assert "Paris" in snug("ask", *GREEDY, "-", stdin=QUESTION).stdout


def test_an_answer_ends_at_the_length_that_was_asked_for(places: Paths) -> None:
    result = answer(snug("ask", "--json", "--max-tokens", "5", "Write a story about the sea."))
    assert result["finish_reason"] == "length"
    assert result["usage"]["generated_tokens"] == 5


def test_the_same_seed_gives_the_same_answer(places: Paths) -> None:
    call = (
        "ask",
        "--json",
        "--seed",
        "7",
        "--temperature",
        "1.0",
        "--max-tokens",
        "24",
        "Tell a story.",
    )
    first, second = answer(snug(*call)), answer(snug(*call))
    assert first["text"] == second["text"]
    assert first["text"] != answer(snug(*call[:3], "8", *call[4:]))["text"]


def test_an_answer_ends_before_what_was_named(places: Paths) -> None:
    plain = answer(snug("ask", "--json", *GREEDY, QUESTION))["text"]
    result = answer(snug("ask", "--json", *GREEDY, "--stop", "Paris", QUESTION))
    assert result["text"] == plain[: plain.index("Paris")]
    assert result["finish_reason"] == "stop"
    assert (result["thought"], result["usage"]["thought_tokens"]) == ("", 0)


def test_an_answer_follows_a_schema(places: Paths, tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text('{"enum": ["Paris", "Berlin"]}', encoding="utf-8")
    result = answer(snug("ask", "--json", *GREEDY, "--schema", schema, QUESTION))
    assert json.loads(result["text"]) in ("Paris", "Berlin")

    schema.write_text('{"type": "nonsense"}', encoding="utf-8")
    error = refusal(snug("ask", "--json", *GREEDY, "--schema", schema, QUESTION))
    assert error["code"] == "schema_unsupported"
    assert snug("ask", "--schema", tmp_path / "none.json", QUESTION).returncode == 2


def test_a_wish_for_a_gpu_is_answered_with_a_reason(places: Paths) -> None:
    result = answer(snug("ask", "--json", *GREEDY, "--device", "npu", QUESTION))
    assert result["device"]["kind"] != "npu"
    assert result["device"]["reason"]


def test_ask_answers_from_a_file(places: Paths, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("The meeting is on Friday in the blue room.", encoding="utf-8")
    call = ("ask", "--json", *GREEDY)
    result = answer(snug(*call, "-f", note, "Tell me about the meeting."))
    plain = answer(snug(*call, "Tell me about the meeting."))
    assert result["usage"]["prompt_tokens"] > plain["usage"]["prompt_tokens"] + 10
    assert "blue room" in result["text"].casefold()


def test_a_question_on_a_file_is_answered_by_its_passages(places: Paths, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("The meeting is on Friday in the blue room.", encoding="utf-8")
    result = answer(snug("ask", "--json", "-f", note, "Where is the meeting?"))
    (citation,) = result["citations"]
    assert (result["verdict"], result["note"]["code"]) == ("closest", "ask_not_able")
    assert citation["marked"] == ["The meeting is on Friday in the blue room."]
    absent = answer(snug("ask", "--json", "-f", note, "Where is the meeting in Lisbon?"))
    assert (absent["verdict"], absent["text"]) == ("not_in_documents", "")


def test_a_follow_up_needs_the_history_and_costs_only_what_is_new(places: Paths) -> None:
    done = snug("chat", "--json", *GREEDY, stdin=f"{QUESTION}\n\nAnd of Spain?\n")
    assert done.returncode == 0, done.stderr
    first, second = (json.loads(line) for line in done.stdout.splitlines())
    assert "Paris" in first["text"]
    assert "Madrid" in second["text"]
    assert second["usage"]["cached_tokens"] > first["usage"]["prompt_tokens"]


def test_a_chat_is_kept_under_the_passphrase(places: Paths, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("a long passphrase\n", encoding="utf-8")
    done = snug("chat", *GREEDY, stdin=QUESTION, SNUG_PASSPHRASE_FILE=str(secret))
    assert done.returncode == 0, done.stderr
    assert "not kept" not in done.stderr
    assert places.store.stat().st_size > 0
    assert b"capital" not in places.store.read_bytes()


def test_a_chat_that_cannot_be_kept_says_so_and_goes_on(places: Paths) -> None:
    done = snug("chat", *GREEDY, stdin=QUESTION)
    assert "Paris" in done.stdout
    assert "This conversation is not kept." in done.stderr
    assert not places.store.exists()


def test_the_wrong_passphrase_changes_nothing(places: Paths, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("a long passphrase", encoding="utf-8")
    snug("chat", *GREEDY, stdin=QUESTION, SNUG_PASSPHRASE_FILE=str(secret))
    before = places.store.read_bytes()
    secret.write_text("another passphrase", encoding="utf-8")
    done = snug("chat", *GREEDY, stdin=QUESTION, SNUG_PASSPHRASE_FILE=str(secret))
    assert "This key does not open your conversations." in done.stderr
    assert places.store.read_bytes() == before


@pytest.mark.parametrize("prompt", ["", "   ", "\n\t"])
def test_an_empty_prompt_is_a_sentence(places: Paths, prompt: str) -> None:
    assert refusal(snug("ask", "--json", prompt))["code"] == "empty_prompt"


def test_a_prompt_of_200_kb_says_by_how_much_it_is_too_long(places: Paths) -> None:
    error = refusal(snug("ask", "--json", "-", stdin="the office opens at nine " * 8000))
    assert error["code"] == "context_overflow"
    assert "8,192" in error["message"]


def test_without_a_model_the_sentence_names_the_command(data_dir: Path) -> None:
    error = refusal(snug("ask", "--json", QUESTION))
    assert error["code"] == "model_not_loaded"
    assert "snug models add starter" in error["action"]


def test_an_unknown_model_is_named(places: Paths) -> None:
    error = refusal(snug("ask", "--json", "--model", "nosuch", QUESTION))
    assert error["code"] == "model_unknown"
    assert "nosuch" in error["message"]


def test_one_flipped_bit_in_the_weights_is_found_before_the_first_token(places: Paths) -> None:
    weights = places.models / "starter" / "model.onnx.data"
    content = bytearray(weights.read_bytes())
    content[len(content) // 2] ^= 1
    weights.unlink()  # the fixture's own file stays as it is
    weights.write_bytes(content)
    error = refusal(snug("ask", "--json", *GREEDY, QUESTION))
    assert error["code"] == "model_damaged"
    assert snug("models", "verify", "starter").returncode == 1


def test_a_missing_file_of_a_model_is_a_sentence(places: Paths) -> None:
    (places.models / "starter" / "model.onnx").unlink()
    assert refusal(snug("ask", "--json", QUESTION))["code"] in (
        "model_missing",
        "model_unknown",
        "model_not_loaded",
    )


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("empty.pdf", b"", "document_empty"),
        ("locked.pdf", ENCRYPTED_PDF, "document_locked"),
        ("broken.pdf", b"%PDF-1.7\n" + b"\0" * 64, "document_unreadable"),
        ("program.bin", b"\x7fELF" + bytes(range(256)), "document_unreadable"),
    ],
)
def test_a_document_that_cannot_be_read_is_a_sentence(
    places: Paths, tmp_path: Path, name: str, content: bytes, code: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    for call in (("ask", "--json", "-f", path, "What is it?"), ("summarize", "--json", path)):
        error = refusal(snug(*call))
        assert error["code"] == code
        assert name in error["message"]


@pytest.mark.parametrize("name", ["empty", "nosuch.pdf"])
def test_what_is_no_file_is_a_sentence(places: Paths, tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    assert refusal(snug("summarize", "--json", tmp_path / name))["code"] == "not_a_file"


def test_usage_errors_exit_with_2(data_dir: Path) -> None:
    for arguments in (
        ("nosuch",),
        ("ask",),
        ("ask", "--max-tokens", "0", "x"),
        ("ask", "--temperature", "-1", "x"),
    ):
        assert snug(*arguments).returncode == 2, arguments


def test_the_data_folder_may_stand_before_or_behind_the_verb(tmp_path: Path) -> None:
    for arguments in (
        ("--data-dir", tmp_path, "models", "list", "--json"),
        ("models", "list", "--json", f"--data-dir={tmp_path}"),
    ):
        assert answer(snug(*arguments))["models"] == []


def test_a_host_that_is_killed_is_a_sentence_and_no_traceback(places: Paths) -> None:
    story = [*COMMAND, "ask", "--max-tokens", "2000", "Write a very long story about the sea."]
    with subprocess.Popen(
        story, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        assert process.stdout is not None
        process.stdout.read(1)  # the answer has begun
        _host_of(process.pid).kill()
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err.startswith("snug: The model stopped unexpectedly")
    assert "Traceback" not in err
    assert "Paris" in snug("ask", *GREEDY, QUESTION).stdout


def test_a_program_that_is_told_to_end_while_it_loads_blocks_nothing(places: Paths) -> None:
    with subprocess.Popen([*COMMAND, "ask", QUESTION], stdout=subprocess.PIPE) as process:
        _host_of(process.pid)
        process.terminate()
    assert "Paris" in snug("ask", *GREEDY, QUESTION).stdout


def _host_of(pid: int) -> psutil.Process:
    """Return the host child of `pid`, as soon as there is one."""
    parent = psutil.Process(pid)
    while True:
        for child in parent.children():
            with contextlib.suppress(psutil.NoSuchProcess):  # one that looked at a device is over
                if "host" in child.cmdline():
                    return child
        assert parent.is_running(), "the program ended before its host began"


def test_devices_lists_the_processor(data_dir: Path) -> None:
    devices = answer(snug("devices", "--json"))["devices"]
    assert any(
        device["kind"] == "cpu" and device["state"] == "works" and device["name"]
        for device in devices
    )
