"""Whether numbers are of a size whose squares can be computed."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

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


def square_limits(dtype: Any) -> tuple[float, float]:
    """Return the least and the largest number whose square can be computed and added up."""
    limits = np.finfo(dtype)
    return ROOM * float(np.sqrt(limits.tiny)), float(np.sqrt(limits.max)) / ROOM
