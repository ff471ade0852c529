"""What drafts bring: three tasks, each answered with and without them in turn.

Speeds of one run say little on a machine that does other things as well; what is reported is the
median of the ratios of neighboring runs. The prompt is read once, so only decoding is compared.
"""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from inference.client import EngineClient
from inference.draft_tasks import TASKS, DraftTask
from inference.stream import Stream
from inference.types import Finished, Sampling

DEFAULT_ROUNDS = 3
DEFAULT_NEW_TOKENS = 200


@dataclass(frozen=True, slots=True)
class DraftResult:
    """One task.

    Attributes:
        ratio: Decoding speed with drafts in units of that without; median over the rounds.
        plain_tokens_per_s: Decoding speed without drafts; median.
        drafted_tokens: How many tokens were drafted in all rounds.
        accepted_tokens: How many of them came true.
        generated_tokens: How many tokens the answers with drafts had in all rounds.
        is_same: Whether every answer was the same with and without drafts. Where activations are
            rounded it need not be: logits then depend a little on the size of a call.
    """

    name: str
    ratio: float
    plain_tokens_per_s: float
    drafted_tokens: int
    accepted_tokens: int
    generated_tokens: int
    is_same: bool


def measure(
    client: EngineClient,
    *,
    rounds: int = DEFAULT_ROUNDS,
    new_tokens: int = DEFAULT_NEW_TOKENS,
    tasks: tuple[DraftTask, ...] = TASKS,
    on_status: Callable[[str], None] = lambda _text: None,
) -> list[DraftResult]:
    """Measure on the model that `client` was told to load. Blocks for minutes.

    Raises:
        InferenceError: An answer failed.
    """
    results = []
    for task in tasks:
        on_status(task.name)
        _answer(client, task, new_tokens, drafts=False)  # reads the prompt
        pairs = []
        for number in range(rounds):
            on_status(f"{task.name}, round {number + 1} of {rounds}")
            # Either one goes first in turn, so that a drift of the machine favors neither.
            order = (False, True) if number % 2 == 0 else (True, False)
            runs = {drafts: _answer(client, task, new_tokens, drafts=drafts) for drafts in order}
            pairs.append((runs[False], runs[True]))
        client.drop_session(_session_id(task))
        results.append(_result(task, pairs))
    return results


def _answer(
    client: EngineClient, task: DraftTask, new_tokens: int, *, drafts: bool
) -> tuple[str, Finished]:
    stream = Stream()
    client.submit(
        task.messages,
        session_id=_session_id(task),
        sink=stream.put,
        sampling=Sampling(temperature=0, max_new_tokens=new_tokens),
        drafts=drafts,
    )
    finished = stream.result()
    return stream.text, finished


def _session_id(task: DraftTask) -> str:
    return f"drafts-{task.name}"


def _result(
    task: DraftTask, pairs: list[tuple[tuple[str, Finished], tuple[str, Finished]]]
) -> DraftResult:
    drafted = [finished for _, (_, finished) in pairs]
    return DraftResult(
        name=task.name,
        ratio=median(
            with_.decode_tokens_per_s / plain.decode_tokens_per_s
            for (_, plain), (_, with_) in pairs
        ),
        plain_tokens_per_s=median(plain.decode_tokens_per_s for (_, plain), _ in pairs),
        drafted_tokens=sum(finished.drafted_tokens for finished in drafted),
        accepted_tokens=sum(finished.accepted_tokens for finished in drafted),
        generated_tokens=sum(finished.generated_tokens for finished in drafted),
        is_same=all(plain == with_ for (plain, _), (with_, _) in pairs),
    )
