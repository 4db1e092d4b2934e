"""Confidence intervals of any measure by the bootstrap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from shallows._core.contract.params import Fraction, PositiveInt, check_value
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.numerics.compile import compiled
from shallows._core.numerics.threads import block_slices, map_blocks
from shallows.validate._inputs import Floats, binary_scores, finite_column
from shallows.validate._interval import Interval

Method = Literal["bca", "percentile", "basic"]
Metric = Literal["mean", "roc_auc", "average_precision"]
Indices = NDArray[np.int32]
BLOCK_DRAWS = 2**18  # draws in a block; 1 MB of indices fits into the cache
LEFT_OUT = 500  # most groups that BCa leaves out in turn


def bootstrap_interval(
    metric: Metric | Callable[..., float],
    *arrays: ArrayLike,
    n_resamples: PositiveInt = 2000,
    level: Fraction = 0.95,
    method: Method = "bca",
    stratify: ArrayLike | None = None,
    random_state: RandomState = None,
) -> Interval:
    r"""Return a measure with a bootstrap confidence interval.

    The percentile method takes quantiles of the resampled values; the basic method mirrors them at
    the estimate. BCa corrects the quantiles for the bias :math:`z_0` of the resamples and for the
    acceleration :math:`a`, the change of the standard error with the value, which is estimated by
    leaving out each row in turn [1]_. With more than 500 rows it leaves out 500 random groups in
    turn, which changes :math:`a` by about 0.001. The named measures need a single sort and run on
    several threads; the number of threads does not change the result.

    Parameters
    ----------
    metric : callable or {"mean", "roc_auc", "average_precision"}
        A function of the resampled arrays that returns a number; or a name: the mean of one array
        (with ``y_true == y_pred`` an accuracy), or a measure of two-class labels and scores.
    *arrays : array-like of shape (n_samples, ...)
        Data of the metric, such as labels and predictions. Rows are resampled together.
    n_resamples : int, default=2000
        Number of resamples.
    level : float, default=0.95
        Probability that the interval contains the true value.
    method : {"bca", "percentile", "basic"}, default="bca"
        The interval.
    stratify : array-like of shape (n_samples,), optional
        Class labels. Every resample keeps the size of each class.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the resamples.

    Returns
    -------
    interval : Interval
        The measure on the data, its interval, and the spread of the resamples.

    References
    ----------
    .. [1] B. Efron, "Better bootstrap confidence intervals", Journal of the American Statistical
       Association 82, 171-185, 1987.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.validate import bootstrap_interval
    >>> y = np.repeat([0, 1], 100)
    >>> scores = y + np.random.default_rng(0).normal(size=200)
    >>> print(bootstrap_interval("roc_auc", y, scores, stratify=y, random_state=0))
    0.7403 (95 % interval 0.6673 to 0.8047)
    >>> print(bootstrap_interval(np.median, scores, random_state=0))
    0.552 (95 % interval 0.3564 to 0.762)
    """
    owner = "bootstrap_interval"
    check_value(owner, "n_resamples", PositiveInt, n_resamples)
    check_value(owner, "level", Fraction, level)
    check_value(owner, "method", Method, method)
    columns = _equal_lengths(owner, arrays)
    evaluate, order = _evaluator(owner, metric, columns)
    strata = _strata(owner, stratify, len(columns[0]), order)
    rng = as_generator(random_state)

    estimate = float(evaluate(np.concatenate(strata)[None])[0])
    # A caller's function may not be thread-safe.
    values = np.sort(_resample(evaluate, strata, n_resamples, rng, threads=not callable(metric)))
    undefined = int(np.isnan(values).sum())
    if undefined or np.isnan(estimate):
        raise ValueError(
            f"{owner}: the metric is undefined on {undefined} of {n_resamples} resamples, for "
            "example because a class is missing; pass the class labels as stratify."
        )
    tails = np.array([0.5 - level / 2, 0.5 + level / 2])
    if method == "bca":
        tails = _bca_tails(owner, tails, values, estimate, evaluate, strata, rng)
    low, high = np.quantile(values, tails)
    if method == "basic":
        low, high = 2 * estimate - high, 2 * estimate - low
    error = float(np.std(values, ddof=1)) if n_resamples > 1 else float("nan")
    return Interval(estimate, float(low), float(high), error, level)


def _resample(
    evaluate: Callable[[Indices], Floats],
    strata: list[Indices],
    n_resamples: int,
    rng: np.random.Generator,
    *,
    threads: bool,
) -> Floats:
    """Return the values of all resamples; each block has a random stream of its own."""
    block = max(1, BLOCK_DRAWS // sum(map(len, strata)))
    parts = block_slices(n_resamples, block)
    streams = rng.spawn(len(parts))

    def values_of(part: slice) -> Floats:
        stream, size = streams[part.start // block], part.stop - part.start
        shapes = [(size, len(stratum)) for stratum in strata]
        drawn = [stream.integers(shape[1], size=shape, dtype=np.int32) for shape in shapes]
        if len(strata) == 1:  # the only stratum contains all rows in order
            return evaluate(drawn[0])
        places = [stratum[draw] for stratum, draw in zip(strata, drawn, strict=True)]
        return evaluate(np.concatenate(places, axis=1))

    if threads:
        return np.concatenate(map_blocks(values_of, n_resamples, block))
    return np.concatenate([values_of(part) for part in parts])


def _equal_lengths(owner: str, arrays: tuple[ArrayLike, ...]) -> list[NDArray[Any]]:
    columns = [np.asarray(array) for array in arrays]
    lengths = [len(column) if column.ndim else 0 for column in columns]
    if not columns or len(set(lengths)) > 1 or lengths[0] < 2:
        raise ValueError(
            f"{owner} needs arrays of one common length, at least 2, got lengths {lengths}."
        )
    return columns


def _strata(
    owner: str, stratify: ArrayLike | None, n: int, order: NDArray[np.intp]
) -> list[Indices]:
    """Return the rows of each stratum, counted in the evaluator's order."""
    if stratify is None:
        return [np.arange(n, dtype=np.int32)]
    classes = np.asarray(stratify)
    if classes.shape != (n,):
        raise ValueError(f"{owner}: stratify must contain {n} classes, got shape {classes.shape}.")
    ranked = np.unique(classes[order], return_inverse=True)[1]
    return [np.flatnonzero(ranked == k).astype(np.int32) for k in range(ranked.max() + 1)]


def _evaluator(
    owner: str, metric: Metric | Callable[..., float], columns: list[NDArray[Any]]
) -> tuple[Callable[[Indices], Floats], NDArray[np.intp]]:
    """Return a function from rows of indices to values, and the order of the rows it expects."""
    as_given = np.arange(len(columns[0]))
    if callable(metric):

        def by_call(rows: Indices) -> Floats:
            return np.array([float(metric(*(c[row] for c in columns))) for row in rows])

        return by_call, as_given
    check_value(owner, "metric", Metric, metric)
    if len(columns) != (1 if metric == "mean" else 2):
        needed = "one array" if metric == "mean" else "labels and scores"
        raise ValueError(f"{owner}: metric {metric!r} takes {needed}, got {len(columns)} arrays.")
    if metric == "mean":
        numbers = finite_column(owner, "the array of a mean", columns[0]).copy()
        return lambda rows: resampled_mean(rows, numbers), as_given
    positive, scores = binary_scores(owner, *columns)
    # Sort once, by falling score; resamples are then counts of ranks, and need no sort.
    order = np.argsort(-scores)
    ranked, signs = scores[order], positive[order]
    last = np.append(ranked[1:] != ranked[:-1], True)
    kernel = resampled_auc if metric == "roc_auc" else resampled_average_precision
    return lambda rows: kernel(rows, signs, last), order


def _bca_tails(
    owner: str,
    tails: Floats,
    values: Floats,
    estimate: float,
    evaluate: Callable[[Indices], Floats],
    strata: list[Indices],
    rng: np.random.Generator,
) -> Floats:
    below = np.searchsorted(values, estimate, "left") + np.searchsorted(values, estimate, "right")
    share = below / (2 * len(values))
    if share in (0.0, 1.0):
        raise ValueError(
            f"{owner}: all resamples lie on one side of the estimate {estimate:.4g}, so BCa can't "
            "estimate the bias; use method='percentile', or a metric with less bias."
        )
    # Quantile levels Phi(z0 + (z0 + z) / (1 - a (z0 + z))), z the normal quantile of a tail.
    bias, change = ndtri(share), _acceleration(evaluate, strata, rng)
    shifted = bias + ndtri(tails)
    return ndtr(bias + shifted / (1 - change * shifted))


def _acceleration(
    evaluate: Callable[[Indices], Floats], strata: list[Indices], rng: np.random.Generator
) -> float:
    """Return the acceleration a, a sixth of the skewness of the influence values."""
    rows = np.concatenate(strata)
    cubes = squares = 0.0
    start = 0
    for stratum in strata:
        n_groups = min(len(stratum), max(2, round(LEFT_OUT * len(stratum) / len(rows))))
        places = start + np.arange(len(stratum))
        if n_groups < len(stratum):
            places = rng.permutation(places)
        start += len(stratum)
        if n_groups < 2:
            continue
        groups = np.array_split(places, n_groups)
        left = np.empty(n_groups)
        kept = np.ones(len(rows), dtype=bool)
        for number, group in enumerate(groups):
            kept[group] = False
            left[number] = evaluate(rows[kept][None])[0]
            kept[group] = True
        # Jackknife: the influence of a group is how far the value moves without it.
        influence = (n_groups - 1) * (left.mean() - left)
        cubes += np.sum(influence**3) / n_groups**3
        squares += np.sum(influence**2) / n_groups**2
    return float(cubes / (6 * squares**1.5)) if squares > 0 else 0.0


@compiled
def resampled_mean(rows, values):
    """Return the mean of each resample."""
    means = np.empty(len(rows))
    for b in range(len(rows)):
        total = 0.0
        for i in rows[b]:
            total += values[i]
        means[b] = total / rows.shape[1]
    return means


@compiled
def resampled_auc(rows, signs, last):
    """Return the area of each resample; rows are sorted by falling score, `last` ends a tie."""
    n = len(signs)
    areas = np.empty(len(rows))
    count = np.empty(n, np.int64)
    for b in range(len(rows)):
        count[:] = 0
        for i in rows[b]:
            count[i] += 1
        # Go down the ranks; every negative counts the positives above it, and half of those in its
        # tie.
        higher, ordered, positive, negative, n_negative = 0, 0.0, 0, 0, 0
        for i in range(n):
            if signs[i]:
                positive += count[i]
            else:
                negative += count[i]
            if last[i]:
                ordered += negative * (higher + 0.5 * positive)
                higher += positive
                n_negative += negative
                positive, negative = 0, 0
        pairs = float(higher) * n_negative
        areas[b] = ordered / pairs if pairs > 0 else np.nan
    return areas


@compiled
def resampled_average_precision(rows, signs, last):
    """Return the average precision of each resample, in the same order as above."""
    n = len(signs)
    averages = np.empty(len(rows))
    count = np.empty(n, np.int64)
    for b in range(len(rows)):
        count[:] = 0
        for i in rows[b]:
            count[i] += 1
        # Sum over ties of (recall gained) times the precision at the end of the tie.
        found, called, positive, total = 0, 0, 0, 0.0
        for i in range(n):
            called += count[i]
            if signs[i]:
                positive += count[i]
            if last[i]:
                found += positive
                if positive > 0:
                    total += positive * (found / called)
                positive = 0
        averages[b] = total / found if 0 < found < called else np.nan
    return averages
