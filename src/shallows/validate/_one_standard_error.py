"""The simplest candidate within one standard error of the best."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shallows._core.contract.params import PositiveInt, check_arguments
from shallows.validate._parts import Complexity, complexity_of


def one_standard_error(
    cv_results: Mapping[str, Any],
    complexity: Complexity,
    *,
    metric: str = "score",
    repeats: PositiveInt = 1,
) -> int:
    """Choose the simplest candidate within one standard error of the best mean score.

    The folds can't distinguish candidates whose scores are within one standard error, and the
    simplest of them is preferred [1]_. Bind `complexity` with `functools.partial` to use the rule
    as `refit` of scikit-learn's searches.

    Parameters
    ----------
    cv_results : mapping of str to array
        The `cv_results_` of a search.
    complexity : str or callable
        Name of a parameter that increases with complexity, or a function from the parameters of a
        candidate to a number, such as ``lambda p: -p["alpha"]``.
    metric : str, default="score"
        Name of the score, if the search has several.
    repeats : int, default=1
        Repetitions of the cross-validation. They add no data, so the standard error is computed
        for one repetition.

    Returns
    -------
    index : int
        Row of the candidate in `cv_results`; among equally simple ones the one with the best mean.

    References
    ----------
    .. [1] L. Breiman, J. Friedman, R. Olshen and C. Stone, "Classification and Regression
       Trees", section 3.4.3, 1984.

    Examples
    --------
    >>> from functools import partial
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from shallows.validate import one_standard_error
    >>> grid = {"max_leaf_nodes": [2, 3, 4, 6, 9, 15]}
    >>> rule = partial(one_standard_error, complexity="max_leaf_nodes")
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> search = GridSearchCV(tree, grid, refit=rule).fit(*load_iris(return_X_y=True))
    >>> search.best_params_
    {'max_leaf_nodes': 4}
    """
    check_arguments(one_standard_error, locals())
    n_splits = sum(
        name.startswith("split") and name.endswith(f"_test_{metric}") for name in cv_results
    )
    if not n_splits:
        raise ValueError(
            f"one_standard_error: cv_results has no test scores of metric {metric!r}, only "
            f"{', '.join(sorted(cv_results))}."
        )
    scores = np.array([cv_results[f"split{k}_test_{metric}"] for k in range(n_splits)]).T
    levels = [complexity_of(complexity, setting) for setting in cv_results["params"]]
    return simplest_of_the_best(scores, np.array(levels), repeats)


def simplest_of_the_best(
    scores: NDArray[np.float64], levels: NDArray[np.float64] | None, repeats: int
) -> int:
    """Return the best row of `scores` or, given complexities, the row of the 1-SE rule."""
    means = scores.mean(axis=1)
    best = int(means.argmax())
    if levels is None:
        return best
    near = means >= means[best] - standard_error(scores[best], repeats)
    simplest = near & (levels == levels[near].min())
    return int(np.flatnonzero(simplest)[means[simplest].argmax()])


def standard_error(scores: NDArray[np.float64], repeats: int = 1) -> float:
    """Return the standard error of a mean over folds, which are treated as independent."""
    if len(scores) < 2:
        return 0.0
    return float(scores.std(ddof=1) / np.sqrt(len(scores) / repeats))
