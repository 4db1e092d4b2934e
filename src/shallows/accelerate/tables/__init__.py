"""One table per class of scikit-learn that ours serve."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path

from shallows.accelerate._table import Table


@cache
def all_tables() -> tuple[Table, ...]:
    """Return every table, in the order of the files' names."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))
    return tuple(import_module(f"{__name__}.{name}").TABLE for name in names)
