"""Whether numbers are of a size whose squares can be computed."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

ROOM = 1e3  # for sums over features and samples


def check_magnitude(owner: str, X: Any, dtype: Any = np.float64, *, tiny: bool = False) -> None:
    """Raise where squares of the largest number in X are too large or too small for `dtype`.

    Distances would then be infinite, or zero between different samples. X may be sparse and
    may have missing values (NaN). With `tiny` small numbers are fine, as in a few new samples.
    """
    values = X.data if issparse(X) else X
    high, low = (
        reduce(values, axis=None, initial=0) for reduce in (np.fmax.reduce, np.fmin.reduce)
    )
    largest = max(float(high), -float(low))
    limits = np.finfo(dtype)
    least, most = ROOM * float(np.sqrt(limits.tiny)), float(np.sqrt(limits.max)) / ROOM
    if largest > most or (0 < largest < least and not tiny):
        kind = "large" if largest > most else "small"
        raise ValueError(
            f"{owner}: the largest number in X is {largest:.3g}, whose square is too {kind} for "
            f"{np.dtype(dtype).name}: distances come out right between {least:.0e} and {most:.0e}. "
            f"Divide X by {largest:.0e}."
        )
