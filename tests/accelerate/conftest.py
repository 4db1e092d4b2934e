"""scikit-learn is patched inside a test, never after it."""

import pytest

from shallows.accelerate import _served, patched


@pytest.fixture
def always(monkeypatch):
    """Patch scikit-learn and expect every call to be quicker here."""
    monkeypatch.setattr(_served, "expected", lambda call, shape: 1.0)
    with patched():
        yield
