"""How well a detector finds planted outliers, over repeated contamination."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.metrics import roc_auc_score, roc_curve

from shallows._core.params import Fraction, PositiveInt
from shallows._core.rng import RandomState, as_generator

GRID = np.linspace(0, 1, 101)


@dataclass(frozen=True, eq=False)
class ContaminationRoc:
    """What `contamination_roc` found.

    Parameters
    ----------
    auc : ndarray of shape (n_repeats,)
        Area under the ROC curve of each repetition.
    fpr : ndarray of shape (101,)
        Share of normal rows above the threshold.
    tpr : ndarray of shape (101,)
        Mean share of planted outliers above it.
    threshold : float
        Mean threshold with the largest tpr - fpr.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.outlier import ContaminationRoc
    >>> ContaminationRoc(np.array([0.9, 1.0]), np.zeros(101), np.ones(101), 2.0).auc.mean()
    np.float64(0.95)
    """

    auc: np.ndarray
    fpr: np.ndarray
    tpr: np.ndarray
    threshold: float


def contamination_roc(
    detector,
    X,
    outliers=None,
    *,
    fraction: Fraction = 0.05,
    n_repeats: PositiveInt = 20,
    random_state: RandomState = None,
):
    """Plant outliers among normal rows again and again, and measure whether they are found.

    In each repetition some rows of `outliers` join a random half of `X`; the detector is fitted to
    the mixture, and its index ranks all rows. The mean ROC curve says what a threshold costs.

    Parameters
    ----------
    detector : estimator
        With `index_` after `fit`, such as `GammaIndex`.
    X : array-like of shape (n_samples, n_features)
        Normal rows.
    outliers : array-like of shape (n_outliers, n_features), optional
        What to plant; uniform draws from the box around `X`, widened by half, unless given.
    fraction : float, default=0.05
        Share of planted rows in a mixture.
    n_repeats : int, default=20
        Number of repetitions.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the draws.

    Returns
    -------
    result : ContaminationRoc
        Areas, mean curve and the best threshold.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.outlier import GammaIndex, contamination_roc
    >>> X = np.random.default_rng(0).normal(size=(400, 2))
    >>> contamination_roc(GammaIndex(), X, random_state=0).auc.mean() > 0.8
    np.True_
    """
    rng = as_generator(random_state)
    X = np.asarray(X, dtype=np.float64)
    areas, curves, thresholds = [], [], []
    for _ in range(n_repeats):
        normal = X[rng.permutation(len(X))[: max(2, len(X) // 2)]]
        n_planted = max(1, round(fraction / (1 - fraction) * len(normal)))
        planted = _draw(X, outliers, n_planted, rng)
        index = clone(detector).fit(np.concatenate([normal, planted])).index_
        truth = np.repeat([0, 1], [len(normal), len(planted)])
        fpr, tpr, cut = roc_curve(truth, index)
        areas.append(roc_auc_score(truth, index))
        curves.append(np.interp(GRID, fpr, tpr))
        thresholds.append(cut[np.argmax(tpr - fpr)])
    return ContaminationRoc(
        np.array(areas), GRID.copy(), np.mean(curves, axis=0), float(np.mean(thresholds))
    )


def _draw(X, outliers, size, rng):
    if outliers is not None:
        return np.asarray(outliers, dtype=np.float64)[rng.integers(len(outliers), size=size)]
    low, high = X.min(axis=0), X.max(axis=0)
    room = (high - low) / 4
    return rng.uniform(low - room, high + room, size=(size, X.shape[1]))
