"""Checks of arguments that are plain arrays and numbers, for functions."""

from __future__ import annotations

import numpy as np


def finite_array(owner: str, name: str, value, *shape: int | str) -> np.ndarray:
    """Return finite float values of the given shape, where a word stands for any length."""
    wanted = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        array = None
    if array is None:
        found = repr(value)
    elif array.ndim != len(shape) or any(
        not isinstance(want, str) and want != got
        for want, got in zip(shape, array.shape, strict=True)
    ):
        found = f"shape {array.shape}"
    elif not np.isfinite(array).all():
        found = "NaN or infinity"
    else:
        return array
    raise ValueError(f"{owner}: {name} must be a finite array of shape ({wanted}), got {found}.")
