"""The best guesses of a classifier, not only the first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shallows._core.contract.params import PositiveInt, check_value
from shallows.validate._inputs import Floats


@dataclass(frozen=True, eq=False)
class RankedPredictions:
    """The classes that a classifier thinks most likely, best first.

    Parameters
    ----------
    labels : ndarray of shape (n_samples, k)
        Classes.
    probability : ndarray of shape (n_samples, k)
        What the classifier gives each, as it came.
    ratio : ndarray of shape (n_samples, k)
        How many times more likely the best one is than each.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.validate import RankedPredictions
    >>> one = RankedPredictions(np.array([["a", "b"]]), np.array([[0.6, 0.3]]), np.array([[1, 2]]))
    >>> one.labels[0, 1]
    np.str_('b')
    """

    labels: NDArray[Any]
    probability: Floats
    ratio: Floats


def ranked_predictions(model: Any, X: Any, k: PositiveInt = 5) -> RankedPredictions:
    """Return the `k` most likely classes of each sample, with how far they fall behind the best.

    Ratios do not change where a model gives probabilities without their common factor, so it may
    leave out a costly normalisation.

    Parameters
    ----------
    model : estimator
        Fitted classifier with `predict_proba`; its rows need not add up to 1.
    X : array-like of shape (n_samples, n_features)
        Samples.
    k : int, default=5
        How many classes; all of them where there are fewer.

    Returns
    -------
    ranked : RankedPredictions
        Of classes with equal probability the one that stands first in `classes_` comes first.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from shallows.validate import ranked_predictions
    >>> X, y = load_iris(return_X_y=True)
    >>> ranked = ranked_predictions(LogisticRegression(max_iter=500).fit(X, y), X[[70]], k=2)
    >>> ranked.labels
    array([[2, 1]])
    >>> ranked.ratio.round(1)
    array([[1. , 1.3]])
    """
    check_value("ranked_predictions", "k", PositiveInt, k)
    if not hasattr(model, "predict_proba"):
        raise TypeError(
            "ranked_predictions needs a classifier with predict_proba, "
            f"got {type(model).__name__}; CalibratedClassifierCV gives it one."
        )
    chances = np.asarray(model.predict_proba(X), dtype=float)
    if not np.all(chances >= 0) or not chances.any(axis=1).all():
        raise ValueError(
            f"ranked_predictions: predict_proba of {type(model).__name__} must give values of 0 "
            "or more, and one above 0 in every row."
        )
    order = np.argsort(-chances, axis=1, kind="stable")[:, :k]
    probability = np.take_along_axis(chances, order, axis=1)
    with np.errstate(divide="ignore"):
        ratio = probability[:, :1] / probability
    return RankedPredictions(np.asarray(model.classes_)[order], probability, ratio)
