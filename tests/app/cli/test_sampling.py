"""What is asked for on the command line, and what is left to the model."""

import argparse

import pytest

from app.chat.values import AnswerSettings
from app.cli.sampling import add_sampling_options, sampling_from, settings_from
from inference.types import Sampling

MODELS_OWN = Sampling(temperature=0.6, top_k=20, min_p=0.1)


def parse(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_sampling_options(parser)
    return parser.parse_args(arguments)


def test_what_nobody_asks_for_is_the_models_own() -> None:
    assert sampling_from(parse(), MODELS_OWN) == MODELS_OWN
    assert settings_from(parse()) == AnswerSettings()


def test_what_is_asked_for_counts_even_where_it_is_snugs_default() -> None:
    options = parse(
        "--temperature", "0.3", "--top-p", "0.5", "--top-k", "0", "--min-p", "0",
        "--repetition-penalty", "1.1", "--max-tokens", "9", "--seed", "4",
        "--stop", "END", "--stop", "\n\n", "--system", "",
    )  # fmt: skip
    drawn = {
        "temperature": 0.3, "top_p": 0.5, "top_k": 0, "min_p": 0.0, "repetition_penalty": 1.1,
        "max_new_tokens": 9, "seed": 4,
    }  # fmt: skip
    stop = ("END", "\n\n")

    assert sampling_from(options, MODELS_OWN) == Sampling(**drawn, stop=stop)  # type: ignore[arg-type]
    expected = AnswerSettings(system_prompt="", **drawn, stop=stop)  # type: ignore[arg-type]
    assert settings_from(options) == expected


@pytest.mark.parametrize(
    "arguments",
    [
        ("--temperature", "-1"), ("--temperature", "nan"), ("--top-p", "0"), ("--top-p", "1.1"),
        ("--top-k", "-1"), ("--min-p", "1"), ("--repetition-penalty", "0"), ("--max-tokens", "0"),
        ("--stop", ""), ("--seed", "x"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_what_cannot_be_meant_is_refused(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        parse(*arguments)
    assert caught.value.code == 2
    assert arguments[0] in capsys.readouterr().err
