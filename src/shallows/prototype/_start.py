"""Checked training samples, and the prototypes that learning starts from."""

from __future__ import annotations

import warnings
from itertools import pairwise
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from sklearn.exceptions import ConvergenceWarning

from shallows._core.contract.data import check_labelled, hold_out
from shallows._core.contract.gaps import one_entry_each, refuse_sparse_gaps
from shallows._core.contract.params import NumberArray, PositiveInt, Range
from shallows._core.numerics.kmeans import kmeans
from shallows._core.numerics.moments import Moments
from shallows._core.numerics.threads import map_blocks
from shallows.prototype._partial_rows import sparse_scatter

Array = NDArray[Any]
ShareOfTheWay = Annotated[float, Range(0, 1, open="low")]
PrototypesPerClass = PositiveInt | NumberArray
NEARBY = 1e-3  # distance of copied prototypes, in standard deviations


class Samples(NamedTuple):
    """Checked training samples, as kernels take them.

    `X` has one row per sample with NaN for a missing value, `y` the index of its class, `weights`
    its weight.
    """

    X: Array
    y: Array
    weights: Array

    def balanced(self) -> Samples:
        """Return the samples with weights whose mean is 1, so that steps have their usual size."""
        return self._replace(weights=self.weights / self.weights.mean())

    def given(self, classes: Array) -> dict[str, Array]:
        """Return the samples as the user and the scorer of a callback know them."""
        return {"X": self.X, "y": classes[self.y], "sample_weight": self.weights}


class Spread(NamedTuple):
    """How the samples seen so far lie.

    `n_rows` is their number, `known` their weight, mean and scatter by feature, `scale` their
    total variance, which is the unit of step sizes.
    """

    n_rows: int
    known: Moments
    scale: float


class Start(NamedTuple):
    """Prototypes before training, the class index of each, and the spread of the samples."""

    prototypes: Array
    labels: Array
    spread: Spread


def check_samples(model, X, y, sample_weight, *, sparse=False, **options) -> Samples:
    """Return the samples of a model; NaN is a missing value."""
    X, y, weights = check_labelled(
        model, X, y, sample_weight, sparse=sparse, allow_nan=True, **options
    )
    if not options:  # a block of `partial_fit` may hold few samples of a class
        _warn_of_few_samples(model, y)
    refuse_sparse_gaps(type(model).__name__, X)
    return Samples(one_entry_each(X), y, weights)


def hold_out_samples(samples, fraction, rng):
    """Return the samples to learn from and, with a fraction, those to validate on, else None."""
    if fraction is None:
        return samples, None
    kept, held_out = hold_out(*samples, fraction, rng, stratify=True)
    return Samples(*kept), Samples(*held_out)


def place_prototypes(owner, samples, counts, rng) -> Start:
    """Start the prototypes of a class at the centres that k-means finds in it.

    Those of a class without samples start at the mean of all.

    Parameters
    ----------
    owner : str
        Name of the estimator, for messages.
    samples : Samples
        Training data.
    counts : ndarray of shape (n_classes,)
        Number of prototypes of each class.
    rng : Generator
        Seeds k-means.
    """
    X, y, weights = samples
    filled = fill_missing(X, weights)
    mean, variances = _mean_and_variances(filled, weights / weights.sum())
    _refuse_extremes(owner, variances.sum(), X.dtype)
    if (counts == 1).all() and filled is X:
        # One prototype per class: the class means.
        starts = [_class_means(samples, len(counts), mean)]
    else:
        starts = []
        # Several: k-means within the class, or over all samples where a class has none.
        for k, count in enumerate(counts):
            rows = np.flatnonzero(y == k) if (y == k).any() else np.arange(len(y))
            starts.append(class_centres(X[rows], weights[rows], count, (mean, variances), rng))
    prototypes = np.ascontiguousarray(np.concatenate(starts), dtype=X.dtype)
    known = Moments(float(weights.sum()), mean, weights.sum() * variances)
    spread = Spread(len(y), known, float(variances.sum()) or 1.0)
    return Start(prototypes, np.repeat(np.arange(len(counts)), counts), spread)


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


def refuse_negative(owner, X):
    """Raise where the divergence meets a negative value."""
    if np.nanmin(X) < 0:
        raise ValueError(
            f"{owner}: metric='divergence' needs values that are not negative, "
            f"got {np.nanmin(X):.6g}. Shift the data or choose another metric."
        )


def warn_of_lost_prototypes(owner, prototypes, samples):
    """Warn of prototypes that a rule drove farther off the data than any sample is."""
    X = fill_missing(samples.X, samples.weights)
    center = np.average(X, axis=0, weights=samples.weights)
    reach = np.linalg.norm(X - center, axis=1).max()
    slack = 10 * NEARBY * reach + 1e-6 * np.linalg.norm(center)  # of copies, and of rounding
    lost = np.linalg.norm(prototypes - center, axis=1) > reach + slack
    if lost.any():
        warnings.warn(
            f"{owner} drove {lost.sum()} of {len(lost)} prototypes off the data, "
            "farther than any sample. Lower learning_rate or max_iter, or use GLVQ.",
            ConvergenceWarning,
            stacklevel=4,
        )


def _refuse_extremes(owner, variance, dtype):
    """Raise where squared distances would leave the range of the numbers."""
    kind = np.finfo(dtype)
    low, high = kind.tiny / kind.eps, kind.max * kind.eps
    if variance > 0 and not low < variance < high:
        raise ValueError(
            f"{owner}: the variance of X must lie between {low:.0e} and {high:.0e}, "
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


def _class_means(samples, n_classes, otherwise):
    """Return the weighted mean of each class; of one without samples it is given."""
    X, y, weights = samples

    def block(rows):
        places = y[rows], np.arange(rows.stop - rows.start)
        shape = n_classes, rows.stop - rows.start
        sums = csr_array((weights[rows], places), shape=shape) @ X[rows]
        return sums.toarray() if issparse(sums) else sums

    sums = sum(map_blocks(block, len(y)))
    mass = np.bincount(y, weights, n_classes)[:, None]
    return np.where(mass > 0, sums / np.where(mass > 0, mass, 1.0), otherwise)


def class_centres(X, weights, n_points, overall, rng):
    """Return k-means centres; where distinct samples are too few, copies a little apart.

    `overall` is the mean and the variance of each feature over all classes. A feature that the
    class lacks is put at this mean, and a thousandth of the deviation is a little.
    """
    mean, variances = overall
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
