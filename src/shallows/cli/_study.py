"""`shallows study`: from a data set to a validated model."""

from __future__ import annotations

from importlib import import_module


def main(words: list[str]) -> int:
    """Hand over to the workbench."""
    code: int = import_module("shallows.study").main(words)
    return code
