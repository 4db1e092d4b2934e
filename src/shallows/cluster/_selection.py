"""How many clusters: elbow curve and gap statistic."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, Unpack

import numpy as np
from sklearn.utils import check_array

from shallows._core.contract.data import check_weights
from shallows._core.contract.magnitude import check_magnitude
from shallows._core.contract.params import PositiveInt, check_arguments
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.numerics.kmeans import kmeans
from shallows._core.showing.figures import Drawing, Figure, line
from shallows._core.showing.figures.chart import Options, assemble, axis
from shallows._core.showing.figures.style import INK

SMALLEST_COST = 1e-305  # whose logarithm is still exact


class Elbow(NamedTuple):
    """Cost of k-means against the number of clusters.

    Parameters
    ----------
    n_clusters : ndarray of shape (n_numbers,)
        Numbers of clusters.
    costs : ndarray of shape (n_numbers,)
        Mean squared distances to the nearest centre.
    bend : int or None
        Where the curve lies farthest below the straight line from its first point to its last,
        the chord; None where no point lies below it.
    """

    n_clusters: np.ndarray
    costs: np.ndarray
    bend: int | None

    def chart(self) -> Drawing:
        """Return a drawing, which shows itself in a notebook.

        Returns
        -------
        drawing : Drawing
            Displays itself in a notebook; `save` writes it as PNG, SVG or HTML.
        """
        rows = [
            {"clusters": int(k), "cost": float(cost), "chord": float(chord)}
            for k, cost, chord in zip(
                self.n_clusters, self.costs, chord_of(self.n_clusters, self.costs), strict=True
            )
        ]
        rule: dict[str, Any] = {} if self.bend is None else {"x_rule": self.bend}
        title = "Mean squared distance to the nearest centre"
        return elbow_figure(title=title, x_title="number of clusters", **rule).spec(rows)


class Gap(NamedTuple):
    """Gap statistic against the number of clusters.

    Parameters
    ----------
    n_clusters : ndarray of shape (n_numbers,)
        Numbers of clusters.
    gaps : ndarray of shape (n_numbers,)
        By how much the logarithm of the cost lies below that of data without clusters.
    errors : ndarray of shape (n_numbers,)
        Standard errors from the simulation.
    best : int
        The first number whose gap is not below the next one less its error.
    """

    n_clusters: np.ndarray
    gaps: np.ndarray
    errors: np.ndarray
    best: int

    def chart(self) -> Drawing:
        """Return a drawing, which shows itself in a notebook.

        Returns
        -------
        drawing : Drawing
            Displays itself in a notebook; `save` writes it as PNG, SVG or HTML. The dashed line is
            the best number.
        """
        rows = [
            {"clusters": int(k), "gap": float(gap), "standard_error": float(error)}
            for k, gap, error in zip(self.n_clusters, self.gaps, self.errors, strict=True)
        ]
        return line(
            "clusters",
            "gap",
            error="standard_error",
            x_rule=self.best,
            title="Gap statistic",
            x_title="number of clusters",
        ).spec(rows)


def elbow_curve(
    X,
    n_clusters: Iterable[int] = range(1, 11),
    *,
    n_init: PositiveInt = 10,
    sample_weight=None,
    random_state: RandomState = None,
) -> Elbow:
    """Return the cost of k-means for several numbers of clusters.

    The cost falls with every cluster: steeply while there are clusters to be found, slowly
    thereafter. The bend in between, the elbow, suggests a number. It is where the curve lies
    farthest below the straight line from its first point to its last [1]_, so that it depends on
    the numbers tried: go well beyond those that are likely. There need not be a clear one.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples.
    n_clusters : iterable of int, default=range(1, 11)
        Numbers of clusters to try, rising.
    n_init : int, default=10
        Starts for each; the best one counts.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each sample.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the starts.

    Returns
    -------
    elbow : Elbow
        Numbers, costs, the bend, and `chart` to draw them.

    References
    ----------
    .. [1] V. Satopaa, J. Albrecht, D. Irwin and B. Raghavan, "Finding a 'kneedle' in a haystack:
       detecting knee points in system behavior", ICDCS workshops, 166-171, 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.cluster import elbow_curve
    >>> elbow = elbow_curve(load_iris().data, random_state=0)
    >>> elbow.costs[:5].round(2), elbow.bend
    (array([4.54, 1.02, 0.53, 0.38, 0.31]), 3)
    """
    check_arguments(elbow_curve, locals())
    X = _check_samples("elbow_curve", X)
    weights = check_weights(sample_weight, len(X), "elbow_curve")
    if not weights.all():
        X, weights = X[weights > 0], weights[weights > 0]
    numbers = _check_numbers("elbow_curve", n_clusters, len(X))
    rng = as_generator(random_state)
    costs = _costs(X, numbers, n_init, rng, weights) / weights.sum()
    return Elbow(numbers, costs, bend_of(numbers, costs))


def gap_statistic(
    X,
    n_clusters: Iterable[int] = range(1, 11),
    *,
    n_references: PositiveInt = 20,
    reference: Literal["box", "principal"] = "principal",
    n_init: PositiveInt = 3,
    random_state: RandomState = None,
) -> Gap:
    """Compare the cost of k-means with that of data without clusters.

    The reference is drawn uniformly from a box around the data. Where there are K clusters, the
    cost of the data falls faster than that of the reference up to K and no faster beyond [1]_.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples.
    n_clusters : iterable of int, default=range(1, 11)
        Numbers of clusters to try, rising.
    n_references : int, default=20
        Reference sets drawn.
    reference : {"box", "principal"}, default="principal"
        Whether the sides of the box lie along the features or the principal directions.
    n_init : int, default=3
        Starts of k-means; the best one counts.
    random_state : int, RandomState, Generator or None, default=None
        Seeds references and starts.

    Returns
    -------
    gap : Gap
        Numbers, gaps, standard errors, the best number, and `chart` to draw them.

    References
    ----------
    .. [1] R. Tibshirani, G. Walther and T. Hastie, "Estimating the number of clusters in a
       data set via the gap statistic", Journal of the Royal Statistical Society B 63, 2001.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from shallows.cluster import gap_statistic
    >>> X, _ = make_blobs(90, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    >>> gap_statistic(X, range(1, 6), random_state=0).best
    3
    """
    check_arguments(gap_statistic, locals())
    X = _check_samples("gap_statistic", X)
    numbers = _check_numbers("gap_statistic", n_clusters, len(X))
    if not np.ptp(X, axis=0).any():
        raise ValueError("gap_statistic: all samples are equal, there is nothing to compare.")
    rng = as_generator(random_state)
    mean = X.mean(axis=0)
    axes = np.linalg.svd(X - mean, full_matrices=False)[2]
    turned = (X - mean) @ axes.T if reference == "principal" else X - mean
    low, high = turned.min(axis=0), turned.max(axis=0)
    # Samples that are equal in each cluster still cost something, by rounding
    rounding = X.size * (8 * np.finfo(np.float64).eps * np.abs(X).max()) ** 2
    least = max(float(rounding), SMALLEST_COST)

    def log_costs(data):
        return np.log(np.maximum(_costs(data, numbers, n_init, rng), least))

    drawn = [log_costs(rng.uniform(low, high, turned.shape)) for _ in range(n_references)]
    gaps = np.mean(drawn, axis=0) - log_costs(X)
    errors = np.std(drawn, axis=0) * np.sqrt(1 + 1 / n_references)
    enough = np.flatnonzero(gaps[:-1] >= gaps[1:] - errors[1:])
    best = numbers[enough[0]] if len(enough) else numbers[-1]
    return Gap(numbers, gaps, errors, int(best))


def chord_of(numbers, costs):
    """Return the straight line from the first point of a curve to its last."""
    if len(numbers) == 1:
        return np.array(costs, dtype=np.float64)
    share = (np.asarray(numbers) - numbers[0]) / (numbers[-1] - numbers[0])
    return costs[0] + (costs[-1] - costs[0]) * share


def bend_of(numbers, costs):
    """Return the number at which a curve lies farthest below its chord, or None."""
    below = chord_of(numbers, costs) - costs
    # The ends lie on the chord up to rounding
    return int(numbers[below.argmax()]) if below.max() > 1e-9 * costs[0] else None


def elbow_figure(**options: Unpack[Options]) -> Figure:
    """Return the figure of columns clusters, cost and chord: a point at each number, the chord."""
    across = axis("clusters", options, "x")
    across["scale"]["nice"] = False
    across["axis"] = {"tickMinStep": 1, "format": "d"}
    curve = {"type": "line", "point": {"filled": True, "size": 55}, "tooltip": True}
    chord = {"type": "line", "strokeWidth": 1.2, "color": INK, "opacity": 0.4}
    layers = []
    for mark, column in ((chord, "chord"), (curve, "cost")):
        up = axis(column, options, "y", "cost")
        up["scale"]["zero"] = True
        layers.append({"mark": mark, "encoding": {"x": across, "y": up}})
    return assemble(["clusters", "cost", "chord"], layers, options)


def _check_samples(owner, X):
    X = check_array(X, dtype=np.float64, order="C", input_name="X", estimator=owner)
    check_magnitude(owner, X)
    return X


def _check_numbers(owner, n_clusters, n_samples):
    numbers = np.array(list(n_clusters))
    whole = numbers.ndim == 1 and numbers.dtype.kind in "iu" and len(numbers) > 0
    if not whole or numbers[0] < 1 or numbers[-1] > n_samples or (np.diff(numbers) <= 0).any():
        raise ValueError(
            f"{owner}: n_clusters must be rising whole numbers from 1 to n_samples={n_samples}, "
            f"got {numbers.tolist()}."
        )
    return numbers


def _costs(X, numbers, n_init, rng, weights=None):
    """Return the least cost found for each number."""
    return np.array(
        [kmeans(X, int(k), rng, n_init=n_init, sample_weight=weights).inertia for k in numbers]
    )
