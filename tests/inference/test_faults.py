"""A short form of `tests.benchmarks.stress`: nothing is lost, whatever happens to a host."""

import sys
from pathlib import Path

import pytest

from tests.faults import Faults

pytestmark = pytest.mark.engine


@pytest.mark.skipif(sys.platform == "win32", reason="signals of other systems")
@pytest.mark.timeout(600)
def test_nothing_is_lost_whatever_happens_to_a_host(tiny_model: Path, tmp_path: Path) -> None:
    faults = Faults(tiny_model, tmp_path, seed=7)
    try:
        faults.run(30)
    finally:
        faults.close()
