"""How much faster drafts make answers: `python -m tests.benchmarks.drafts MODEL_FOLDER`."""

import argparse
import sys
from pathlib import Path

from app.children import command
from inference import child, draft_bench
from inference.client import EngineClient
from inference.draft_tasks import TASKS
from inference.stream import Stream


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, metavar="MODEL_FOLDER")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=draft_bench.DEFAULT_ROUNDS)
    parser.add_argument("--new-tokens", type=int, default=draft_bench.DEFAULT_NEW_TOKENS)
    parser.add_argument("--task", help="only this one")
    options = parser.parse_args()
    client = EngineClient(lambda: child.start(command("host")))
    try:
        loading = Stream()
        client.load(options.folder, sink=loading.put, threads=options.threads, context_tokens=4096)
        loading.wait()
        tasks = tuple(task for task in TASKS if options.task in (None, task.name))
        results = draft_bench.measure(
            client,
            rounds=options.rounds,
            new_tokens=options.new_tokens,
            tasks=tasks,
            on_status=lambda text: print(text, file=sys.stderr, flush=True),  # noqa: T201
        )
    finally:
        client.close()
    for each in results:
        share = each.accepted_tokens / each.drafted_tokens if each.drafted_tokens else 0
        print(  # noqa: T201
            f"{each.name:16} x{each.ratio:.2f} of {each.plain_tokens_per_s:.1f} tokens/s,"
            f" {each.drafted_tokens} of {each.generated_tokens} drafted, {share:.0%} right,"
            f" {'same' if each.is_same else 'other'} answers"
        )


if __name__ == "__main__":
    main()
