"""The optimism of the best of many cross-validated scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike


def selection_optimism(scores: ArrayLike | Mapping[str, Any], *, metric: str = "score") -> float:
    r"""Estimate the optimism of the best candidate's mean score from the folds alone.

    Let :math:`s_k(j)` be the score of candidate j on fold k, :math:`\hat j` the candidate with the
    best mean and :math:`\hat j_k` the best one on fold k. The estimate is the mean over folds of
    :math:`s_k(\hat j_k) - s_k(\hat j)` [1]_. It needs no further fits, but folds large enough to
    rank candidates: with very small folds, as in leave-one-out, it is too large.
    `nested_cross_validate` measures the optimism directly.

    Parameters
    ----------
    scores : array-like of shape (n_candidates, n_folds), or mapping
        Scores of every candidate on every fold, or the `cv_results_` of a search.
    metric : str, default="score"
        Name of the score, if the search has several.

    Returns
    -------
    optimism : float
        Subtract this from the best mean score. Never negative.

    References
    ----------
    .. [1] R. J. Tibshirani and R. Tibshirani, "A bias correction for the minimum error rate in
       cross-validation", Annals of Applied Statistics 3, 822-829, 2009.

    Examples
    --------
    >>> from shallows.validate import selection_optimism
    >>> selection_optimism([[0.8, 0.6], [0.7, 0.9]])
    0.05
    """
    if isinstance(scores, Mapping):
        n_folds = sum(
            name.startswith("split") and name.endswith(f"_test_{metric}") for name in scores
        )
        table = np.array([scores[f"split{k}_test_{metric}"] for k in range(n_folds)]).T
    else:
        table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or not table.size or not np.isfinite(table).all():
        raise ValueError(
            "selection_optimism: scores must be finite, one row per candidate and one column per "
            f"fold, got shape {table.shape}."
        )
    best = table.mean(axis=1).argmax()
    return round(float(np.mean(table.max(axis=0) - table[best])), 15)
