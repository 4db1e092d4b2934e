"""The most likely classes of a classifier, not only the first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shallows._core.contract.params import PositiveInt, check_value
from shallows.validate._inputs import Floats


@dataclass(frozen=True, eq=False)
class RankedPredictions:
    """The most likely classes of each sample, best first.

    Parameters
    ----------
    labels : ndarray of shape (n_samples, k)
        Classes.
    probability : ndarray of shape (n_samples, k)
        Output of `predict_proba` for each class, unchanged.
    ratio : ndarray of shape (n_samples, k)
        Probability of the best class divided by the probability of this class.

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
    """Return the `k` most likely classes of each sample, and their distance from the best.

    A common factor of the probabilities does not change the ratios, so a model may omit a costly
    normalisation.

    Parameters
    ----------
    model : estimator
        Fitted classifier with `predict_proba`; its rows need not add up to 1.
    X : array-like of shape (n_samples, n_features)
        Samples.
    k : int, default=5
        Number of classes; all of them if there are fewer.

    Returns
    -------
    ranked : RankedPredictions
        Classes with equal probability are in the order of `classes_`.

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
