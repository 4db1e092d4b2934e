"""A lab that is served to the tests."""

import pytest

from lab.serving import serving
from shallows.lab._runs import Runs


@pytest.fixture(scope="module")
def lab():
    """Serve the odd experiments, two at a time."""
    with serving(Runs(at_once=2, most_waiting=2, most_kept=20)) as client:
        yield client
