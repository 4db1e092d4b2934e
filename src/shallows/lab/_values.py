"""Plain values: what a result may hold, and how it is shown."""

from __future__ import annotations

from typing import Any

Value = bool | int | float | str | None


def plain(owner: str, value: Any) -> Value:
    """Return a NumPy or Python scalar as a plain Python value."""
    if hasattr(value, "item") and getattr(value, "size", 0) == 1:
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(
        f"{owner} must be a number, a string, a bool or None, got {type(value).__name__}."
    )


def shorten(value: Value) -> str:
    """Return a value as short text: six digits, words for truth and absence."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
