"""How long the chat page keeps the window waiting: `python -m tests.benchmarks.chat_view`.

Prints milliseconds of processor time of the GUI thread, which other programs on the machine do not
change much. Lateness is by the clock: how much later than asked a 4 ms timer comes while an answer
streams into a long conversation, painting included; beside it stands the same for an idle window,
because on a busy machine that is late too.
"""

import argparse
import os
import statistics
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle
from time import perf_counter, thread_time

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QMimeData, Qt, QTimer
from PySide6.QtWidgets import QApplication

from app.chat.values import Message, TurnView
from ui.chat.code_colors import CodeColoring
from ui.chat.look import Look
from ui.chat.message_input import MessageInput
from ui.chat.message_model import MessageModel
from ui.chat.view import ChatView
from ui.tasks import Tasks
from ui.theme import Theme

_PUMP_MS = 33
_TICK_MS = 4
_ANSWER = """Costs fell by **1.9 %** against the second quarter, see [the report](https://a.example).

## What changed

- Operations stayed under budget, because the *autumn trade fair* was smaller
- Sales rose by `5.0 %`, mostly in the north
- IT fell again

| Department | Q2 | Q3 |
|:--|--:|--:|
| Operations | 412,300 | 398,100 |
| Sales | 286,750 | 301,200 |

```python
import csv

with open("costs.csv") as file:
    for row in csv.DictReader(file):
        print(row["department"], float(row["amount"]))
```

The script reads the workbook that was exported as CSV, and prints the total for each department.

"""


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--messages", type=int, default=5_000)
    parser.add_argument("--tokens-per-s", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=15)
    wishes = parser.parse_args()
    application = QApplication(sys.argv[:1])
    theme = Theme("light")
    theme.apply(application)
    tasks = Tasks()
    model = MessageModel()
    view = ChatView(model, Look(theme, CodeColoring(tasks)))
    view.resize(1000, 760)
    view.show()
    application.processEvents()
    messages = [_message(number) for number in range(wishes.messages)]
    for attempt in ("first", "again"):
        model.reset(())
        application.processEvents()
        _say(f"open {wishes.messages} messages, {attempt}", _timed(lambda: model.reset(messages)))
        _say(f"  and paint them, {attempt}", _timed(application.processEvents))
    _spread("scroll by 120 px", list(_scroll(view, application)))
    view.scroll_to_end()
    _spread("lateness of the event loop, idle", _lateness(wishes.seconds))
    _stream(model, tokens_per_s=wishes.tokens_per_s, seconds=wishes.seconds)
    _long(model, application)
    _paste(theme)
    tasks.close()
    return 0


def _scroll(view: ChatView, application: QApplication) -> Iterator[float]:
    bar = view.verticalScrollBar()
    for _ in range(150):
        yield _timed(lambda: bar.setValue(bar.value() - 120)) + _timed(application.processEvents)


def _stream(model: MessageModel, *, tokens_per_s: int, seconds: int) -> None:
    """Stream words as the pump does, and watch a timer."""
    model.append(_message(0), _message(1, state="streaming", key="growing"))
    words = cycle(word + " " if word else "\n" for word in _ANSWER.replace("\n", " \n ").split(" "))
    text, costs_ms = "", []
    begin_s = perf_counter()
    said = 0

    def grow() -> None:
        nonlocal text, said
        while said < (perf_counter() - begin_s) * tokens_per_s:
            text += next(words)
            said += 1
        view = TurnView(said, text, "writing")
        costs_ms.append(_timed(lambda: model.show_turn("growing", view)))

    timer = _timer(_PUMP_MS, grow)
    late_ms = _lateness(seconds)
    timer.stop()
    _spread(f"update at {tokens_per_s} tokens/s, {len(text)} characters", costs_ms)
    _spread("lateness of the event loop meanwhile", late_ms)
    ended = _message(1, text, key="growing")
    _say("end the answer", _timed(lambda: model.show_turn("growing", _done(ended))))


def _lateness(seconds: int) -> list[float]:
    """Run the event loop and return how late each tick of a timer was."""
    late_ms: list[float] = []
    last_s = perf_counter()

    def tick() -> None:
        nonlocal last_s
        now_s = perf_counter()
        late_ms.append(max(0.0, (now_s - last_s) * 1e3 - _TICK_MS))
        last_s = now_s

    loop = QEventLoop()
    timer = _timer(_TICK_MS, tick)
    QTimer.singleShot(seconds * 1000, loop.quit)
    loop.exec()
    timer.stop()
    return late_ms


def _long(model: MessageModel, application: QApplication) -> None:
    text = _ANSWER * (200_000 // len(_ANSWER))
    model.reset(())
    _say("open an answer of 200 kB", _timed(lambda: model.reset([_message(1, text)])))
    steps = [_timed(application.processEvents) for _ in range(60)]
    _spread("  each step of laying out the rest", [step for step in steps if step > 1] or [0.0])
    question = _message(0, "word " * 40_000)
    _say("open a question of 200 kB", _timed(lambda: model.reset([question])))


def _paste(theme: Theme) -> None:
    for name, text in (
        ("paste 200 kB of lines", "some words in a line of text\n" * 7_000),
        ("paste 200 kB in one line", "word " * 40_000),
        ("paste 200 kB without a space", "x" * 200_000),
    ):
        field = MessageInput(theme)
        field.resize(700, 60)
        field.show()
        QApplication.processEvents()
        data = QMimeData()
        data.setText(text)
        _say(name, _timed(partial(field.insertFromMimeData, data)))
        _say("  and paint it", _timed(QApplication.processEvents))
        field.close()


def _message(number: int, text: str = "", *, state: str = "complete", key: str = "") -> Message:
    is_question = number % 2 == 0
    text = text or ("What did it cost, and why?" if is_question else _ANSWER)
    role = "user" if is_question else "assistant"
    text = "" if state == "streaming" else text
    return Message(key or str(number), "c", role, text, 0.0, state=state)  # type: ignore[arg-type]


def _done(message: Message) -> TurnView:
    return TurnView(10**9, message.text, "done", message=message)


def _timer(interval_ms: int, run: Callable[[], None]) -> QTimer:
    timer = QTimer()
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.setInterval(interval_ms)
    timer.timeout.connect(run)
    timer.start()
    return timer


def _timed(run: Callable[[], object]) -> float:
    begin_s = thread_time()
    run()
    return (thread_time() - begin_s) * 1e3


def _say(name: str, cost_ms: float) -> None:
    print(f"{name:55} {cost_ms:8.1f} ms")  # noqa: T201 - what the command is for


def _spread(name: str, costs_ms: list[float]) -> None:
    ordered = sorted(costs_ms)
    p99 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    middle = statistics.median(ordered)
    print(f"{name:55} {middle:8.1f} median {p99:6.1f} p99 {ordered[-1]:6.1f} max ms")  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
