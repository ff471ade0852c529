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
from app.errors import LoadBlocked, MemoryTight, ModelUnknown
from app.models.device_values import Decision
from app.models.installed import InstalledModel, InstalledModels
from app.models.runner import ModelRunner
from app.models.runner_view import KvUse, Phase, RunnerView
from app.paths import Paths
from app.settings import Settings
from inference import child, devices, int8_record, manifest
from inference.child import Child
from inference.client import EngineClient
from inference.counting import Counter
from inference.errors import ModelDamaged, ModelNotLoaded, WorkerDied
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


class HeldTimer:
    """Timers that go off when the test says so."""

    def __init__(self) -> None:
        self.delays_s: list[float] = []
        self._calls: list[Callable[[], None]] = []

    def __call__(self, delay_s: float, call: Callable[[], None]) -> "HeldTimer":
        self.delays_s.append(delay_s)
        self._calls.append(call)
        return self

    def cancel(self) -> None:
        self._calls.clear()

    def go_off(self) -> None:
        assert self._calls
        for call in list(self._calls):
            call()


def test_a_model_that_nobody_asks_rests_and_the_next_question_loads_it_again(
    paths: Paths, launcher: Launcher
) -> None:
    timer = HeldTimer()
    settings = Settings(model_id="tiny", idle_unload_min=3)
    runner = make_runner(paths, launcher, settings, start=timer)
    ask(runner)
    pid = runner.client.pid
    assert pid is not None
    assert timer.delays_s[-1] == 3 * 60
    timer.go_off()
    view = runner.view()
    assert (view.phase, view.model_id, view.device) == ("resting", "tiny", None)
    assert ask(runner).generated_tokens > 0
    assert runner.view().phase == "ready"
    assert not psutil.pid_exists(pid)
    assert launcher.count == 2
    runner.close()


def test_a_model_at_work_does_not_rest_and_none_rests_where_nobody_wants_it(
    paths: Paths, launcher: Launcher
) -> None:
    timer = HeldTimer()
    minutes = [3]
    runner = ModelRunner(
        EngineClient(launcher),
        InstalledModels(paths.models),
        paths,
        lambda: Settings(model_id="tiny", idle_unload_min=minutes[0]),
        counter=Counter(),
        start=timer,
    )
    ask(runner)
    (call,) = timer._calls
    stream = Stream()
    runner.submit(HELLO, session_id="s", sampling=SHORT, sink=stream.put)
    call()  # it went off just before it was called off
    assert stream.result(ANSWER_S).generated_tokens > 0
    assert runner.view().phase == "ready"
    minutes[0] = 0
    started = len(timer.delays_s)
    ask(runner)
    assert len(timer.delays_s) == started
    runner.close()


def test_short_memory_waits_for_a_person_who_may_have_it_loaded_anyway(
    paths: Paths, launcher: Launcher
) -> None:
    free = [1_000]
    runner = make_runner(paths, launcher, Settings(model_id="tiny"), free=lambda _pid: free[0])
    runner.select("tiny")
    view = runner.view()
    assert view.phase == "tight"
    assert isinstance(view.error, MemoryTight)
    assert view.memory is not None
    assert view.memory.needed_bytes > view.memory.free_bytes == 1_000
    assert (view.memory.smaller_context_tokens, view.memory.smaller_model_id) == (0, "")
    assert ask_in_vain(runner).code == "memory_tight"
    assert launcher.count == 0
    runner.select("tiny", accept_memory=True)
    assert wait_for(runner, "ready").memory is None
    runner.close()


def test_memory_that_came_back_is_noticed_by_the_next_question(
    paths: Paths, launcher: Launcher
) -> None:
    free = [1_000]
    runner = make_runner(paths, launcher, Settings(model_id="tiny"), free=lambda _pid: free[0])
    runner.select("tiny")
    free[0] = 1 << 40
    assert ask(runner).generated_tokens > 0
    runner.close()


def test_the_context_window_is_the_chosen_one_and_another_one_is_another_load(
    runner: ModelRunner,
) -> None:
    runner.select("tiny", context_tokens=512)
    assert wait_for(runner, "ready").context_tokens == 512
    revision = runner.view().revision
    runner.select("tiny")
    assert runner.view().revision == revision
    runner.select("tiny", context_tokens=1024)
    assert wait_for(runner, "ready").context_tokens == 1024


def test_a_device_is_decided_on_without_holding_anybody_up(
    paths: Paths, launcher: Launcher
) -> None:
    may_decide, asked = threading.Event(), []
    target = devices.processor_target()

    def decide(model: InstalledModel, wish: str) -> Decision:
        asked.append((model.id, wish))
        assert may_decide.wait(ANSWER_S)
        return Decision(target, "the other one is broken")

    runner = make_runner(paths, launcher, Settings(model_id="tiny", device="gpu"), decide=decide)
    stream, left = Stream(), Stream()
    runner.submit(HELLO, session_id="s", sampling=SHORT, sink=stream.put)
    handle = runner.submit(HELLO, session_id="t", sampling=SHORT, sink=left.put)
    assert runner.view().phase == "loading"
    handle.cancel()
    assert left.result(0).reason == "cancelled"
    assert launcher.count == 0
    may_decide.set()
    assert stream.result(ANSWER_S).generated_tokens > 0
    device = runner.known_device
    assert (device.name, device.reason) == (target.name, "the other one is broken")
    assert asked == [("tiny", "gpu")]
    runner.close()


def test_a_decision_that_fails_leaves_the_choice_to_the_host(
    paths: Paths, launcher: Launcher
) -> None:
    def decide(_model: InstalledModel, _wish: str) -> Decision:
        raise WorkerDied

    runner = make_runner(paths, launcher, Settings(model_id="tiny"), decide=decide)
    assert ask(runner).generated_tokens > 0
    assert runner.known_device.kind == "cpu"
    runner.close()


def test_closing_while_a_device_is_decided_on_ends_what_waits(
    paths: Paths, launcher: Launcher
) -> None:
    may_decide = threading.Event()

    def decide(_model: InstalledModel, _wish: str) -> Decision:
        assert may_decide.wait(ANSWER_S)
        return Decision(None)

    runner = make_runner(paths, launcher, Settings(model_id="tiny"), decide=decide)
    stream = Stream()
    runner.submit(HELLO, session_id="s", sampling=SHORT, sink=stream.put)
    runner.close()
    assert stream.result(0).reason == "cancelled"
    may_decide.set()
    again = make_runner(paths, launcher)
    again.select("tiny")
    assert again.view().phase in ("loading", "ready")
    again.close()


def test_what_the_caches_take_is_known_and_nothing_without_a_host(runner: ModelRunner) -> None:
    assert runner.kv_use == KvUse()
    taken = ask(runner).kv_bytes
    use = runner.kv_use
    assert use.used_bytes == taken > 0
    assert use.budget_bytes > 0


def test_answers_are_drawn_as_the_model_says_and_as_the_person_changed(
    paths: Paths, launcher: Launcher
) -> None:
    changed = Settings(model_id="tiny", sampling=Sampling(top_k=7))
    (paths.models / "tiny" / "generation_config.json").write_text('{"top_p": 0.5, "top_k": 3}')
    runner = make_runner(paths, launcher, changed)
    runner.select("tiny")
    wait_for(runner, "ready", "failed")
    assert (runner.default_sampling.top_p, runner.default_sampling.top_k) == (0.5, 7)
    runner.close()


def test_a_ready_model_is_loaded_again_where_somebody_asks_for_that(
    runner: ModelRunner, launcher: Launcher
) -> None:
    runner.select("tiny")
    revision = wait_for(runner, "ready").revision
    runner.select("tiny", again=True)
    assert wait_for(runner, "ready").revision > revision


def test_conversations_take_less_where_that_is_set_and_the_model_can(
    paths: Paths, launcher: Launcher
) -> None:
    usual = make_runner(paths, launcher, Settings(model_id="tiny"))
    without_model = usual.can_shrink_kv
    kept = ask(usual).kv_bytes
    assert (without_model, usual.can_shrink_kv) == (False, True)
    usual.close()

    smaller = make_runner(paths, launcher, Settings(model_id="tiny", kv_bits=8))
    assert ask(smaller).kv_bytes * 4 == kept > 0
    assert smaller.kv_use.reason == ""
    with_graph = smaller.can_shrink_kv
    (paths.models / "other" / int8_record.GRAPH_FILE).unlink()
    manifest.write(paths.models / "other", facts={})
    smaller.select("other")
    assert wait_for(smaller, "ready").model_id == "other"
    assert (with_graph, smaller.can_shrink_kv) == (True, False)
    assert "adding the model again" in smaller.kv_use.reason
    assert ask(smaller).kv_bytes == kept
    smaller.close()


def test_a_task_with_a_model_of_its_own_gets_it_and_chat_goes_back(
    paths: Paths, launcher: Launcher
) -> None:
    chosen = Settings(model_id="tiny", task_models={"summary": "other"})
    runner = make_runner(paths, launcher, chosen)
    assert ask(runner).generated_tokens > 0
    runner.use_for("documents")
    assert runner.model_id == "tiny"
    runner.use_for("summary")
    assert runner.model_id == "other"
    assert ask(runner).generated_tokens > 0
    assert wait_for(runner, "ready").model_id == "other"
    runner.use_for("chat")
    assert ask(runner).generated_tokens > 0
    assert runner.model_id == "tiny"
    runner.close()


def test_an_answer_that_is_being_written_keeps_its_model(paths: Paths, launcher: Launcher) -> None:
    runner = make_runner(
        paths, launcher, Settings(model_id="tiny", task_models={"summary": "other"})
    )
    stream, began = Stream(), threading.Event()

    def sink(event: Event) -> None:
        began.set()
        stream.put(event)

    runner.submit(HELLO, session_id="s", sampling=Sampling(max_new_tokens=2000), sink=sink)
    assert began.wait(ANSWER_S)
    runner.use_for("summary")
    assert runner.model_id == "tiny"
    runner.close()


def test_where_no_task_has_a_model_the_one_in_use_stays(runner: ModelRunner) -> None:
    runner.select("other")
    runner.use_for("chat")
    assert runner.model_id == "other"


def test_a_task_whose_model_is_gone_uses_the_one_to_chat_with(
    paths: Paths, launcher: Launcher
) -> None:
    runner = make_runner(
        paths, launcher, Settings(model_id="tiny", task_models={"summary": "gone"})
    )
    runner.use_for("summary")
    assert runner.model_id == "tiny"
    runner.close()
