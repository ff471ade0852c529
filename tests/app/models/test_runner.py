"""The model in use, with the real host and a model of a few kilobytes."""

import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from app.children import command
from app.errors import LoadBlocked, ModelUnknown
from app.models.installed import InstalledModels
from app.models.runner import ModelRunner
from app.models.runner_view import Phase, RunnerView
from app.paths import Paths
from app.settings import Settings
from inference import child
from inference.child import Child
from inference.client import EngineClient
from inference.counting import Counter
from inference.errors import ModelDamaged, ModelNotLoaded
from inference.prompt import PromptBuilder
from inference.stream import Stream
from inference.tokenizer import Tokenizer
from inference.types import ChatMessage, Event, Failed, Finished, Sampling

ANSWER_S = 60
HELLO = (ChatMessage("user", "Hello there, <|im_end|> what is new?"),)
SHORT = Sampling(temperature=0, max_new_tokens=4)

pytestmark = pytest.mark.engine


def launch_host() -> Child:
    return child.start(command("host"))


def launch_crash() -> Child:
    """A host that ends as soon as it gets something to do, as a broken driver makes it."""
    code = (
        "import os, sys; from multiprocessing.connection import Connection;"
        "Connection(int(sys.argv[1])).recv_bytes(); os._exit(9)"
    )
    return child.start([sys.executable, "-c", code])


class Launcher:
    """Starts what the test wants at the moment."""

    def __init__(self) -> None:
        self.start: Callable[[], Child] = launch_host
        self.count = 0

    def __call__(self) -> Child:
        self.count += 1
        return self.start()


@pytest.fixture
def launcher() -> Launcher:
    return Launcher()


@pytest.fixture
def paths(tmp_path: Path, tiny_model: Path) -> Paths:
    places = Paths(tmp_path / "data")
    for model_id in ("tiny", "other"):
        shutil.copytree(tiny_model, places.models / model_id)
    return places


def make_runner(
    paths: Paths, launcher: Launcher, settings: Settings | None = None, **others: Any
) -> ModelRunner:
    chosen = settings or Settings()
    parts = {"counter": Counter(), **others}
    installed = InstalledModels(paths.models)
    return ModelRunner(EngineClient(launcher), installed, paths, lambda: chosen, **parts)


@pytest.fixture
def runner(paths: Paths, launcher: Launcher) -> Iterator[ModelRunner]:
    made = make_runner(paths, launcher, Settings(model_id="tiny"))
    yield made
    made.close()


def wait_for(runner: ModelRunner, *phases: Phase) -> RunnerView:
    """Look every few milliseconds, as the window does."""
    tick = threading.Event()
    for _ in range(ANSWER_S * 100):
        if (view := runner.view()).phase in phases:
            return view
        tick.wait(0.01)
    raise AssertionError(f"still {runner.view()}")


def ask(runner: ModelRunner) -> Finished:
    stream = Stream()
    runner.submit(HELLO, session_id="s", sampling=SHORT, sink=stream.put)
    return stream.result(ANSWER_S)


def ask_in_vain(runner: ModelRunner) -> Failed:
    events: list[Event] = []
    ended = threading.Event()

    def sink(event: Event) -> None:
        events.append(event)
        ended.set()

    runner.submit(HELLO, session_id="s", sampling=SHORT, sink=sink)
    assert ended.wait(ANSWER_S)
    (event,) = events
    assert isinstance(event, Failed)
    return event


def test_nothing_is_loaded_before_somebody_asks(runner: ModelRunner, launcher: Launcher) -> None:
    assert runner.view().phase == "none"
    assert (runner.model_id, runner.device, runner.context_tokens) == ("", None, 0)
    assert launcher.count == 0


def test_the_first_question_loads_the_chosen_model(runner: ModelRunner) -> None:
    assert ask(runner).generated_tokens > 0
    view = runner.view()
    assert (view.phase, view.model_id) == ("ready", "tiny")
    assert view.device is not None
    assert view.device.kind == "cpu"
    assert view.context_tokens > 0
    assert runner.model.id == "tiny"


def test_a_selected_model_is_loading_at_once_and_ready_later(
    runner: ModelRunner, paths: Paths
) -> None:
    before = runner.view().revision
    runner.select("other")
    assert runner.view().phase in ("loading", "ready")
    assert runner.context_tokens > 0
    view = wait_for(runner, "ready")
    assert view.revision > before
    assert view.model_id == "other"
    assert not list((paths.models / ".loading").iterdir())


def test_selecting_what_is_ready_loads_nothing(runner: ModelRunner) -> None:
    runner.select("tiny")
    revision = wait_for(runner, "ready").revision
    runner.select("tiny")
    assert runner.view().revision == revision


def test_the_last_of_several_choices_wins(runner: ModelRunner, paths: Paths) -> None:
    for model_id in ("tiny", "other", "tiny", "other"):
        runner.select(model_id)
    assert wait_for(runner, "ready").model_id == "other"
    assert ask(runner).generated_tokens > 0
    assert not list((paths.models / ".loading").iterdir())


def test_an_unknown_model_is_a_failed_view_and_a_failed_question(runner: ModelRunner) -> None:
    runner.select("gone")
    view = runner.view()
    assert view.phase == "failed"
    assert isinstance(view.error, ModelUnknown)
    assert ask_in_vain(runner).code == "model_unknown"


def test_without_any_model_the_question_fails_with_a_word(
    tmp_path: Path, launcher: Launcher
) -> None:
    runner = make_runner(Paths(tmp_path / "empty"), launcher)
    assert ask_in_vain(runner).code == "model_not_loaded"
    assert runner.count_tokens(HELLO) == 0
    with pytest.raises(ModelNotLoaded):
        runner.default_id()
    runner.close()
    assert launcher.count == 0


def test_a_killed_host_is_seen_and_the_next_question_starts_another(
    runner: ModelRunner, launcher: Launcher
) -> None:
    ask(runner)
    pid = runner.client.pid
    assert pid is not None
    psutil.Process(pid).kill()
    assert wait_for(runner, "none").model_id == "tiny"
    assert runner.device is None
    assert ask(runner).generated_tokens > 0
    assert runner.view().phase == "ready"
    assert launcher.count == 2


def test_a_load_that_ends_the_host_is_blocked_until_a_person_asks_again(
    runner: ModelRunner, launcher: Launcher
) -> None:
    launcher.start = launch_crash
    runner.select("tiny")
    view = wait_for(runner, "blocked")
    assert isinstance(view.error, LoadBlocked)
    assert ask_in_vain(runner).code == "load_blocked"
    runner.select("tiny")
    assert runner.view().phase == "blocked"
    assert launcher.count == 1
    launcher.start = launch_host
    runner.select("tiny", confirm_after_crash=True)
    wait_for(runner, "ready")


def test_a_question_behind_a_load_that_ends_the_host_says_why_it_failed(
    runner: ModelRunner, launcher: Launcher
) -> None:
    launcher.start = launch_crash
    assert ask_in_vain(runner).code in ("load_blocked", "worker_died")
    assert wait_for(runner, "blocked").model_id == "tiny"


def test_the_block_outlives_the_program(
    runner: ModelRunner, launcher: Launcher, paths: Paths
) -> None:
    launcher.start = launch_crash
    runner.select("tiny")
    wait_for(runner, "blocked")
    again = make_runner(paths, launcher, Settings(model_id="tiny"))
    again.select("tiny")
    assert again.view().phase == "blocked"
    again.select("other")
    assert again.view().phase == "loading"
    again.close()


def test_closing_while_a_model_loads_is_no_crash(paths: Paths, launcher: Launcher) -> None:
    runner = make_runner(paths, launcher)
    runner.select("tiny")
    runner.close()
    again = make_runner(paths, launcher)
    again.select("tiny")
    assert again.view().phase in ("loading", "ready")
    again.close()


def test_a_damaged_model_never_answers_and_is_a_failed_view(
    runner: ModelRunner, paths: Paths
) -> None:
    weights = paths.models / "tiny" / "model.onnx.data"
    content = bytearray(weights.read_bytes())
    content[len(content) // 2] ^= 1
    weights.write_bytes(content)
    for _ in range(2):
        with pytest.raises(ModelDamaged):
            ask(runner)
        view = runner.view()
        assert view.phase == "failed"
        assert isinstance(view.error, ModelDamaged)
        assert view.device is None


def test_a_model_whose_file_is_gone_is_not_loaded(runner: ModelRunner, paths: Paths) -> None:
    (paths.models / "tiny" / "genai_config.json").write_text("{}")
    runner.select("tiny")
    view = runner.view()
    assert view.phase == "failed"
    assert isinstance(view.error, ModelDamaged)


def test_a_model_about_to_be_removed_is_let_go(runner: ModelRunner, paths: Paths) -> None:
    ask(runner)
    pid = runner.client.pid
    assert pid is not None
    runner.release("other")
    assert runner.view().phase == "ready"
    runner.release("tiny")
    assert not psutil.pid_exists(pid)
    assert runner.view().model_id == ""
    InstalledModels(paths.models).remove("tiny")
    assert ask(runner).generated_tokens > 0
    assert runner.model_id == "other"


def test_tokens_are_counted_as_the_host_counts_them(runner: ModelRunner, paths: Paths) -> None:
    counted = runner.count_tokens(HELLO)
    folder = paths.models / "tiny"
    tokenizer = Tokenizer.load(folder)
    assert counted == len(PromptBuilder.load(folder, tokenizer).build(HELLO))
    assert runner.count_tokens(HELLO) == counted
    assert runner.count_tokens(()) == 0
    assert ask(runner).prompt_tokens == counted
    longer = (*HELLO, ChatMessage("assistant", "Nothing."), ChatMessage("user", "Nothing?"))
    assert runner.count_tokens(longer) > counted
    assert runner.count_tokens(HELLO) == counted
