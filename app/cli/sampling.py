"""The options about model, device and sampling that `ask` and `chat` share."""

import argparse

from inference.types import Sampling


def add_sampling_options(parser: argparse.ArgumentParser) -> None:
    """Add --json, --model, --device, --max-tokens, --temperature and --seed."""
    default = Sampling()
    parser.add_argument("--json", action="store_true", help="print one JSON object an answer")
    parser.add_argument("--model", metavar="ID", help="an installed model; see snug models list")
    parser.add_argument("--device", choices=("auto", "cpu", "gpu", "npu"), default="auto")
    parser.add_argument(
        "--max-tokens",
        type=_at_least_one,
        default=default.max_new_tokens,
        metavar="N",
        help=f"longest answer in tokens (default: {default.max_new_tokens})",
    )
    parser.add_argument(
        "--temperature",
        type=_temperature,
        default=default.temperature,
        metavar="T",
        help=f"0 always takes the likeliest word (default: {default.temperature})",
    )
    parser.add_argument(
        "--seed", type=int, metavar="N", help="the same number gives the same answer"
    )


def sampling_from(options: argparse.Namespace) -> Sampling:
    """Return the sampling that was asked for."""
    return Sampling(
        temperature=options.temperature, seed=options.seed, max_new_tokens=options.max_tokens
    )


def _at_least_one(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _temperature(text: str) -> float:
    number = float(text)
    if not 0 <= number <= 10:  # noqa: PLR2004 - as Sampling
        raise argparse.ArgumentTypeError("must be between 0 and 10")
    return number
