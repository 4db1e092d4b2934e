"""What the tables of k-means classes share."""

from __future__ import annotations

from typing import Any

import numpy as np


def starts(several: int) -> Any:
    """Return the origin of the number of starts, of which "auto" means several at random."""

    def number(ours: Any, theirs: Any) -> int:
        if isinstance(theirs.init, np.ndarray):
            return 1
        if theirs.n_init == "auto":
            return 1 if theirs.init == "k-means++" else several
        return int(theirs.n_init)

    return number


def refuse(theirs: Any, X: Any, y: Any) -> str | None:
    """Return why a request is not served: scikit-learn warns of some."""
    if isinstance(theirs.init, np.ndarray) and theirs.n_init not in (1, "auto"):
        return "several starts from the same centres"
    if getattr(theirs, "algorithm", None) == "elkan" and theirs.n_clusters == 1:
        return "elkan for one cluster"
    size = getattr(theirs, "init_size", None)
    if size is not None and size < theirs.n_clusters:
        return "init_size below n_clusters"
    return None
