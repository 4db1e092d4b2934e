"""Whether numbers are of a size whose squares can be computed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import issparse

LARGE = 2**28  # bytes, below which arrays are made without asking
ROOM = 1e3  # for sums over features and samples


def check_magnitude(
    owner: str, X: Any, dtype: Any = np.float64, *, tiny: bool = False, name: str = "X"
) -> None:
    """Raise where squares of the largest number in X are too large or too small for `dtype`.

    Distances and sums of squares would then be infinite, or zero where they are not. X may be
    sparse and may have missing values (NaN). With `tiny` small numbers are fine, as in a few new
    samples. `name` is what the message calls X.
    """
    values = X.data if issparse(X) else X
    high, low = (
        reduce(values, axis=None, initial=0) for reduce in (np.fmax.reduce, np.fmin.reduce)
    )
    largest = max(float(high), -float(low))
    least, most = square_limits(dtype)
    if largest > most or (0 < largest < least and not tiny):
        kind = "large" if largest > most else "small"
        raise ValueError(
            f"{owner}: the largest number in {name} is {largest:.3g}, whose square is too {kind} "
            f"for {np.dtype(dtype).name}: it can be computed from {least:.0e} to {most:.0e}. "
            f"Divide {name} by {largest:.0e}."
        )


def refuse_too_large(owner: str, what: str, *shape: int) -> None:
    """Raise where the machine has no room for an array of numbers of this shape.

    `what` names the parameter and its value.
    """
    n_bytes = 8 * math.prod(shape)
    if n_bytes < LARGE:
        return
    try:
        np.empty(shape)
    except (MemoryError, OverflowError, ValueError):
        raise ValueError(
            f"{owner}: {what} needs an array of shape {shape}, {n_bytes / 2**30:.3g} GiB, which "
            "this machine has no room for. Lower it."
        ) from None


def refuse_too_wide(owner: str, what: str, sizes: Sequence[int]) -> None:
    """Raise where the machine has no room for the weights of layers of these sizes."""
    for n_in, n_out in pairwise(sizes):
        refuse_too_large(owner, what, n_in, n_out)


def square_limits(dtype: Any) -> tuple[float, float]:
    """Return the least and the largest number whose square can be computed and added up."""
    limits = np.finfo(dtype)
    return ROOM * float(np.sqrt(limits.tiny)), float(np.sqrt(limits.max)) / ROOM
