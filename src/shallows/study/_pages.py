"""What draws and writes pages; it needs the extra `study`, so it is imported when it is used."""

from __future__ import annotations

from types import ModuleType

from shallows._core.contract.extras import from_extra


def pages() -> ModuleType:
    """Return the module that makes pages, or say which extra brings what it needs."""
    with from_extra("study", "The report"):
        from shallows._core.showing import pages as module
    return module
