from pathlib import Path

import pytest

from tests.benchmarks.perplexity import compare


@pytest.mark.engine
@pytest.mark.starter
def test_the_imported_starter_predicts_text_as_its_file_does(
    starter_gguf: Path, starter_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    comparison = compare(starter_gguf, starter_model, tokens=1000)

    with capsys.disabled():
        print(f"\nstarter, {comparison}")  # noqa: T201 - the figures are the point
    assert comparison.difference <= 0.005
    assert comparison.divergence <= 0.005
