"""Workbench: from data to an honestly validated model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shallows.study._command import main
    from shallows.study._compare import Candidate, Score, StudyResult, study

__all__ = ["Candidate", "Score", "StudyResult", "main", "study"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    home = "_command" if name == "main" else "_compare"
    return getattr(import_module(f"{__name__}.{home}"), name)
