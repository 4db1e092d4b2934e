"""Errors that a user reads: one sentence, no traceback."""

from __future__ import annotations

from collections.abc import Iterable

from shallows._core.contract.extras import EXTRAS, MissingExtraError, how_to_install

OF_STUDIES = ("study", "predict", "explain", "compare")  # commands that the extra study is for


class UsageError(Exception):
    """The command line can't be understood; the message says what to change."""


def closest(word: str, known: Iterable[str]) -> str:
    """Return a hint: the known words nearest to a mistyped one, or all of them."""
    from difflib import get_close_matches

    known = list(known)
    close = get_close_matches(word, known, n=2, cutoff=0.6)
    return f"did you mean {' or '.join(close)}?" if close else f"choose from {', '.join(known)}."


def explain(error: Exception, command: str = "run") -> str:
    """Return an error of a command as one sentence."""
    if isinstance(error, ModuleNotFoundError):
        package = (error.name or "").partition(".")[0]
        if extras := EXTRAS.get(package):
            own = "study" if command in OF_STUDIES else "lab"
            return f"{package} is missing; {how_to_install(own if own in extras else extras[0])}"
    text = " ".join(str(error).split())
    if isinstance(error, UsageError | ValueError | MissingExtraError):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
