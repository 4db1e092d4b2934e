"""What the LVQ classifiers share: data checks, starting prototypes, decisions by distance."""

from __future__ import annotations

import warnings
from itertools import pairwise
from typing import Annotated

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning

from shallows._core.contract.data import check_labelled, check_new
from shallows._core.contract.gaps import one_entry_each, refuse_sparse_gaps
from shallows._core.contract.params import ArrayLike, PositiveInt, Range
from shallows._core.contract.rng import as_generator
from shallows._core.contract.training import Training
from shallows._core.numerics.kmeans import kmeans
from shallows._core.numerics.moments import Moments
from shallows._core.numerics.threads import map_blocks
from shallows.prototype._partial_rows import sparse_scatter

ShareOfTheWay = Annotated[float, Range(0, 1, open="low")]
PrototypesPerClass = PositiveInt | ArrayLike
NEARBY = 1e-3  # distance of copied prototypes, in standard deviations


class NearestPrototypeMixin(ClassifierMixin):
    """Decides by the distances to prototypes, which `_distances` of the estimator returns.

    A missing value (NaN) is left out of a distance. It is missing in the distances to all
    prototypes alike, so that they stay comparable.
    """

    _takes_sparse = False

    def predict(self, X):
        """Return the class of the nearest prototype.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        distances = self._distances(check_queries(self, X, sparse=self._takes_sparse))
        return self.classes_[self.prototype_labels_[distances.argmin(axis=1)]]

    def decision_function(self, X):
        """Return how clearly a sample belongs to each class, by relative distance.

        With ``d`` the squared distance to the nearest prototype of a class and ``r`` to
        the nearest of all others, the value is ``(r - d) / (r + d)``, between -1 and 1.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        values : ndarray of shape (n_samples, n_classes) or (n_samples,)
            With two classes, the values of ``classes_[1]`` alone.
        """
        distances = self._distances(check_queries(self, X, sparse=self._takes_sparse))
        own = nearest_of_each_class(self, distances)
        two_nearest = np.partition(own, 1, axis=0)
        rest = np.where(own == two_nearest[0], two_nearest[1], two_nearest[0])
        values = ((rest - own) / np.maximum(rest + own, np.finfo(own.dtype).tiny)).T
        return values[:, 1].copy() if len(self.classes_) == 2 else values

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = self._takes_sparse
        return tags


def nearest_of_each_class(model, distances):
    """Return the distance to the nearest prototype of each class, one row per class."""
    labels = model.prototype_labels_
    return np.stack([distances[:, labels == k].min(axis=1) for k in range(len(model.classes_))])


def check_samples(model, X, y, sample_weight, *, sparse=False, **options):
    """Return X, class indices and weights; NaN is a missing value."""
    X, y, weights = check_labelled(
        model, X, y, sample_weight, sparse=sparse, allow_nan=True, **options
    )
    if not options:  # a block of `partial_fit` may hold few samples of a class
        _warn_of_few_samples(model, y)
    refuse_sparse_gaps(type(model).__name__, X)
    return one_entry_each(X), y, weights


def check_queries(model, X, *, sparse=False):
    """Return X for a fitted model; NaN is a missing value."""
    X = check_new(model, X, sparse=sparse, allow_nan=True)
    refuse_sparse_gaps(type(model).__name__, X)
    return one_entry_each(X)


def place_prototypes(model, X, y, weights, rng):
    """Start the prototypes of a class at the centres that k-means finds in it.

    Those of a class without samples start at the mean of all. Sets `prototypes_`,
    `prototype_labels_`, the total variance of the data as `_scale`, classes without samples as
    `_absent`, and as `_seen` the number of rows, their weight, mean and scatter by feature.
    """
    filled = fill_missing(X, weights)
    mean, variances = _mean_and_variances(filled, weights / weights.sum())
    _refuse_extremes(model, variances.sum(), X.dtype)
    n_classes = len(model.classes_)
    counts = prototypes_per_class(model)
    if (counts == 1).all() and filled is X:
        starts = [_class_means(X, y, weights, n_classes, mean)]
    else:
        starts = []
        for k, count in enumerate(counts):
            rows = np.flatnonzero(y == k) if (y == k).any() else np.arange(len(y))
            starts.append(class_centres(X[rows], weights[rows], count, mean, variances, rng))
    model.prototypes_ = np.ascontiguousarray(np.concatenate(starts), dtype=X.dtype)
    model.prototype_labels_ = np.repeat(np.arange(n_classes), counts)
    model._scale = float(variances.sum()) or 1.0
    model._absent = np.setdiff1d(np.arange(n_classes), y)
    model._seen = len(y), float(weights.sum()), mean, weights.sum() * variances


def prototypes_per_class(model):
    """Return how many prototypes each class shall have."""
    counts, n_classes = np.asarray(model.n_prototypes), len(model.classes_)
    if counts.ndim == 0:
        return np.full(n_classes, counts)
    if counts.shape != (n_classes,) or counts.dtype.kind not in "iu" or (counts < 1).any():
        raise ValueError(
            f"{type(model).__name__}: n_prototypes must be a positive whole number, or {n_classes} "
            f"of them in the order of the classes {model.classes_.tolist()}, got "
            f"{model.n_prototypes!r}."
        )
    return counts


def _warn_of_few_samples(model, y):
    wanted = prototypes_per_class(model)
    held = np.bincount(y, minlength=len(wanted))
    few = np.flatnonzero(held < wanted)
    if len(few):
        k = few[0]
        warnings.warn(
            f"{type(model).__name__}: class {model.classes_.tolist()[k]!r} has fewer samples "
            f"({held[k]}) than prototypes ({wanted[k]}), so that some of these start as copies. "
            "Ask for fewer: n_prototypes may hold a number for each class.",
            ConvergenceWarning,
            stacklevel=4,
        )


def fill_missing(X, weights, otherwise=0.0):
    """Return X with the mean of its column for NaN, or `otherwise` where all are missing."""
    if issparse(X):
        return X
    missing = np.isnan(X)
    if not missing.any():
        return X
    observed = weights @ ~missing
    sums = weights @ np.where(missing, 0.0, X)
    means = np.where(observed > 0, sums / np.where(observed > 0, observed, 1.0), otherwise)
    return np.where(missing, means, X).astype(X.dtype)


def train_online(model, X, y, sample_weight):
    """Start the model, then run its epochs with a step size that falls linearly to zero."""
    X, y, weights = check_samples(model, X, y, sample_weight)
    weights = weights / weights.mean()
    rng = as_generator(model.random_state)
    model._start(X, y, weights, rng)
    data = {"X": X, "y": model.classes_[y], "sample_weight": weights}
    run = Training(model, model.max_iter, state=("prototypes_",), **data)
    for epoch in run:
        rate = model.learning_rate * (1 - (epoch - 1) / model.max_iter)
        run.record(pass_over(model, X, y, weights, rng, rate))
    model.history_, model.n_iter_ = run.history, run.n_iter
    _warn_of_lost_prototypes(model, fill_missing(X, weights), weights)
    return model


def pass_over(model, X, y, weights, rng, rate):
    """Visit the samples once in random order, and return the mean loss.

    Weights have the mean 1. A sample of more is visited several times, as its copies would be:
    one step of many times the size would overshoot.
    """
    n_visits = np.maximum(np.ceil(weights.round(9)), 1).astype(np.intp)
    visits, shares = np.repeat(np.arange(len(X)), n_visits), weights / n_visits
    loss = run_epoch(model, X, y, shares, rng.permutation(visits), rate)
    return loss * (shares.sum() / weights.sum())


def refuse_negative(model, X):
    """Raise where the divergence meets a negative value."""
    if np.nanmin(X) < 0:
        raise ValueError(
            f"{type(model).__name__}: metric='divergence' needs values that are not negative, "
            f"got {np.nanmin(X):.6g}. Shift the data or choose another metric."
        )


def run_epoch(model, X, y, weights, order, rate):
    """Let the model visit the samples in the given order, and return the mean loss."""
    loss = model._epoch(X, y, weights, order, rate)
    if not np.isfinite(model.prototypes_).all():
        raise FloatingPointError(
            f"{type(model).__name__}: prototypes left the range of floats. Lower the learning rate "
            "or scale the data."
        )
    return loss


def _warn_of_lost_prototypes(model, X, weights):
    center = np.average(X, axis=0, weights=weights)
    reach = np.linalg.norm(X - center, axis=1).max()
    slack = 10 * NEARBY * reach + 1e-6 * np.linalg.norm(center)  # of copies, and of rounding
    lost = np.linalg.norm(model.prototypes_ - center, axis=1) > reach + slack
    if lost.any():
        warnings.warn(
            f"{type(model).__name__} drove {lost.sum()} of {len(lost)} prototypes off the data, "
            "farther than any sample. Lower learning_rate or max_iter, or use GLVQ.",
            ConvergenceWarning,
            stacklevel=5,
        )


def _refuse_extremes(model, variance, dtype):
    """Raise where squared distances would leave the range of the numbers."""
    kind = np.finfo(dtype)
    low, high = kind.tiny / kind.eps, kind.max * kind.eps
    if variance > 0 and not low < variance < high:
        raise ValueError(
            f"{type(model).__name__}: the variance of X must lie between {low:.0e} and {high:.0e}, "
            f"or squared distances leave the range of {dtype}, got {variance:.3g}. Scale the data."
        )


def _mean_and_variances(X, shares):
    """Return both in double precision."""
    if issparse(X):
        mean = shares @ X
        with np.errstate(over="ignore"):
            known = Moments(1.0, mean, sparse_scatter(X, shares, mean))
            return mean, variances_of(known, X.dtype)
    mean = sum(map_blocks(lambda rows: shares[rows] @ X[rows], len(X)))
    with np.errstate(over="ignore"):
        squares = map_blocks(lambda rows: shares[rows] @ (X[rows] - mean) ** 2, len(X))
        known = Moments(1.0, mean, sum(squares))
    return mean, variances_of(known, X.dtype)


def variances_of(known, dtype):
    """Return the variance of each feature, of a constant one zero whatever its rounding."""
    variances = known.scatter / known.weight
    rounding = 4 * np.finfo(dtype).eps * np.abs(known.mean)
    return np.where(np.sqrt(variances) > rounding, variances, 0.0)


def _class_means(X, y, weights, n_classes, otherwise):
    """Return the weighted mean of each class; of one without samples it is given."""

    def block(rows):
        places = y[rows], np.arange(rows.stop - rows.start)
        shape = n_classes, rows.stop - rows.start
        sums = csr_array((weights[rows], places), shape=shape) @ X[rows]
        return sums.toarray() if issparse(sums) else sums

    sums = sum(map_blocks(block, len(y)))
    mass = np.bincount(y, weights, n_classes)[:, None]
    return np.where(mass > 0, sums / np.where(mass > 0, mass, 1.0), otherwise)


def class_centres(X, weights, n_points, mean, variances, rng):
    """Return k-means centres; where distinct samples are too few, copies a little apart.

    Features that the class lacks stand at the mean of all data, whose variances tell what
    is little.
    """
    X = fill_missing(X, weights, otherwise=mean)
    if n_points == 1:
        return (weights @ X / weights.sum())[None]
    distinct = _n_distinct(X, n_points)
    centres = kmeans(X, distinct, rng, sample_weight=weights).centers
    centres = centres[np.arange(n_points) % distinct]
    apart = NEARBY * np.sqrt(variances)
    centres[distinct:] += apart * rng.normal(size=centres[distinct:].shape)
    return centres


def _n_distinct(X, most):
    """Return the number of different rows, or `most` where there are more."""
    if not issparse(X):
        return min(most, len(np.unique(X, axis=0)))
    found = set()
    for start, stop in pairwise(X.indptr):
        found.add((X.indices[start:stop].tobytes(), X.data[start:stop].tobytes()))
        if len(found) == most:
            break
    return len(found)
