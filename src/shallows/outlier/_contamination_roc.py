"""Evaluation of outlier detectors by planting outliers among normal rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.metrics import roc_auc_score, roc_curve
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array, get_tags

from shallows._core.contract.params import Fraction, PositiveInt, check_arguments
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.showing.figures import Drawing, line

GRID = np.linspace(0, 1, 101)


@dataclass(frozen=True, eq=False)
class ContaminationRoc:
    """Result of `contamination_roc`.

    Parameters
    ----------
    auc : ndarray of shape (n_repeats,)
        Area under the ROC curve of each repetition.
    fpr : ndarray of shape (101,)
        False positive rates: share of normal rows above the threshold.
    tpr : ndarray of shape (101,)
        Mean true positive rate: share of planted outliers above the threshold.
    threshold : float
        Mean over repetitions of the threshold with the largest tpr - fpr, for `flag`.

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

    def chart(self) -> Drawing:
        """Draw the mean ROC curve.

        Returns
        -------
        drawing : Drawing
            Displays itself in a notebook; `save` writes it as PNG, SVG or HTML.
        """
        rows = [
            {"false_alarms": float(fpr), "found": float(tpr), "chance": float(fpr)}
            for fpr, tpr in zip([0.0, *self.fpr], [0.0, *self.tpr], strict=True)
        ]
        figure = line(
            "false_alarms",
            ["found", "chance"],
            title=f"Planted outliers found, mean area under the curve {self.auc.mean():.3f}",
            x_title="share of normal rows called outliers",
            y_title="share of outliers found",
            equal=True,
        )
        return figure.spec(rows)


def contamination_roc(
    detector,
    X,
    outliers=None,
    *,
    fraction: Fraction = 0.05,
    n_repeats: PositiveInt = 20,
    random_state: RandomState = None,
):
    """Plant outliers among normal rows repeatedly, and measure whether they are found.

    In each repetition some rows of `outliers` are mixed with a random half of `X`. The detector is
    fitted to the mixture, and its index ranks all rows. The mean ROC curve shows the false alarms
    of each threshold.

    Parameters
    ----------
    detector : estimator
        Has `index_` after `fit`, such as `GammaIndex`; or a detector of scikit-learn with
        `negative_outlier_factor_` or `score_samples`; or a pipeline that ends in one of them.
    X : array-like of shape (n_samples, n_features)
        Normal rows.
    outliers : array-like of shape (n_outliers, n_features), optional
        Rows to plant, each at most once per mixture. By default uniform draws from the box around
        `X`, widened by half.
    fraction : float, default=0.05
        Share of planted rows in each mixture.
    n_repeats : int, default=20
        Number of repetitions.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the draws.

    Returns
    -------
    result : ContaminationRoc
        Areas, mean curve, the best threshold, and a method `chart`.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.outlier import GammaIndex, contamination_roc
    >>> X = np.random.default_rng(0).normal(size=(400, 2))
    >>> contamination_roc(GammaIndex(), X, random_state=0).auc.mean() > 0.8
    np.True_
    """
    check_arguments(contamination_roc, locals())
    X, outliers = _checked(detector, X, outliers)
    n_normal = max(2, len(X) // 2)
    n_planted = max(1, round(fraction / (1 - fraction) * n_normal))
    if outliers is not None and n_planted > len(outliers):
        raise ValueError(
            f"contamination_roc: fraction={fraction} of a mixture with {n_normal} normal rows, "
            f"half of X, needs {n_planted} outliers, but only {len(outliers)} are given. Give more "
            "outliers, or lower the fraction."
        )
    rng = as_generator(random_state)
    truth = np.repeat([0, 1], [n_normal, n_planted])
    areas, curves, thresholds = [], [], []
    for _ in range(n_repeats):
        normal = X[rng.permutation(len(X))[:n_normal]]
        mixture = np.concatenate([normal, _draw(X, outliers, n_planted, rng)])
        index = _index_of(detector, mixture)
        fpr, tpr, cut = roc_curve(truth, index)
        areas.append(roc_auc_score(truth, index))
        curves.append(np.interp(GRID, fpr, tpr))
        # The first point of the curve, at which nothing is found, has an infinite threshold.
        thresholds.append(_just_below(index, cut[1 + np.argmax((tpr - fpr)[1:])]))
    return ContaminationRoc(
        np.array(areas), GRID.copy(), np.mean(curves, axis=0), float(np.mean(thresholds))
    )


def _checked(detector, X, outliers):
    owner = "contamination_roc"
    if not hasattr(detector, "fit") or isinstance(detector, type):
        raise TypeError(
            f"{owner}: detector must be an estimator such as GammaIndex(), got {detector!r}."
        )
    if get_tags(detector).input_tags.pairwise:
        raise ValueError(
            f"{owner} mixes rows, so the detector must take rows, not distances; got {detector!r}."
        )
    X = check_array(X, dtype=np.float64, ensure_min_samples=2, estimator=owner, input_name="X")
    if outliers is None:
        if not np.ptp(X, axis=0).any():
            raise ValueError(
                f"{owner}: all rows of X are equal, so there is no box around them to draw from. "
                "Give outliers to plant."
            )
        return X, None
    outliers = check_array(outliers, dtype=np.float64, estimator=owner, input_name="outliers")
    if outliers.shape[1] != X.shape[1]:
        raise ValueError(
            f"{owner}: X has {X.shape[1]} features, but outliers have {outliers.shape[1]}; both "
            "need the same number."
        )
    return X, outliers


def _draw(X, outliers, size, rng):
    if outliers is not None:
        # Without replacement, because two copies would be each other's nearest neighbours.
        return outliers[rng.choice(len(outliers), size=size, replace=False)]
    low, high = X.min(axis=0), X.max(axis=0)
    room = (high - low) / 4
    return rng.uniform(low - room, high + room, size=(size, X.shape[1]))


def _index_of(detector, mixture):
    model = clone(detector).fit(mixture)
    last = model[-1] if isinstance(model, Pipeline) else model
    if hasattr(last, "index_"):
        return last.index_
    if hasattr(last, "negative_outlier_factor_"):  # judges each training row without itself
        return -last.negative_outlier_factor_
    if hasattr(model, "score_samples"):
        return -model.score_samples(mixture)
    raise TypeError(
        f"contamination_roc: detector must have index_ after fit, as GammaIndex has, or "
        f"score_samples, as IsolationForest has; got {detector!r}."
    )


def _just_below(index, cut):
    """Return a threshold just below `cut`, above all smaller values of the index."""
    lower = index[index < cut]
    return (cut + lower.max()) / 2 if len(lower) else np.nextafter(cut, -np.inf)
