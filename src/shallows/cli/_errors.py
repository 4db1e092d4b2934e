"""Errors that a user reads: one sentence, no traceback."""

from __future__ import annotations

from collections.abc import Iterable

EXTRAS = {
    "altair": "lab",
    "jinja2": "lab",
    "markupsafe": "lab",
    "starlette": "lab",
    "uvicorn": "lab",
    "vl_convert": "lab",
    "dask": "cluster",
    "distributed": "cluster",
}


class UsageError(Exception):
    """The command line can't be understood; the message says what to change."""


def closest(word: str, known: Iterable[str]) -> str:
    """Return a hint: the known words nearest to a mistyped one, or all of them."""
    from difflib import get_close_matches

    known = list(known)
    close = get_close_matches(word, known, n=2, cutoff=0.6)
    return f"did you mean {' or '.join(close)}?" if close else f"choose from {', '.join(known)}."


def explain(error: Exception) -> str:
    """Return an error as one sentence."""
    if isinstance(error, ModuleNotFoundError):
        package = (error.name or "").partition(".")[0]
        if package in EXTRAS:
            return (
                f"{package} is missing; install it with: pip install 'shallows[{EXTRAS[package]}]'"
            )
    text = " ".join(str(error).split())
    if isinstance(error, UsageError | ValueError):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
