"""All playgrounds, found by name without importing any."""

from __future__ import annotations

from functools import cache

from shallows._core.contract.registry import Entry, playgrounds
from shallows.lab._playground import Playground


@cache
def entries_by_name() -> dict[str, Entry]:
    """Return the entry of every playground."""
    return {entry.name: entry for entry in playgrounds()}


def find_playground(name: str) -> Playground:
    """Import and return a playground."""
    known = entries_by_name()
    if name not in known:
        raise ValueError(f"There is no playground {name!r}; there are {', '.join(known)}.")
    found: Playground = known[name].load()
    return found
