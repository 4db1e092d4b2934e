"""A lab that is served to the tests."""

import pytest

from lab.serving import serving
from shallows.lab import _workers
from shallows.lab._runs import Runs

# Only what the odd experiments need; `tests/cli/test_lab.py` serves the lab as users do.
_workers.PRELOAD = "shallows.lab._tasks"


@pytest.fixture(scope="module")
def lab():
    """Serve the odd experiments, two at a time."""
    with serving(Runs(at_once=2, most_waiting=2, most_kept=20)) as client:
        yield client
