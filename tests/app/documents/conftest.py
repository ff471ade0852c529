"""What the document tests share: the document process, the corpus, and pages made of lines."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from app.children import Verb
from inference.child import Child

CORPUS_VARIABLE = "SNUG_TEST_CORPUS"


@pytest.fixture
def start(launch: Callable[[Verb], Child]) -> Callable[[], Child]:
    """Start a document process."""
    return partial(launch, "document")


@pytest.fixture
def corpus() -> Path:
    """The folder of real office files, where it is present."""
    beside = Path(__file__).parents[4] / "shared" / "corpus"
    folder = Path(os.environ.get(CORPUS_VARIABLE, beside))
    if not folder.is_dir():
        pytest.skip(f"no corpus of real files; {CORPUS_VARIABLE} names its folder")
    return folder
