"""Error rates and regions of a decision between known densities."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from shallows._core.numerics.log_sums import log_sums

SCOUTS = 2000  # draws that tell where a density lives
PANELS, NODES = 2000, 8
LEAST_MASS = 1e-6  # what quadrature may miss of all probability


class ErrorRate(NamedTuple):
    """Share of wrong decisions and its standard error."""

    rate: float
    standard_error: float


def by_quadrature(joint, classes, densities, rule):
    """Return the error rate by integration over one feature, or None where that fails."""
    draws = [draw(model, SCOUTS, np.random.default_rng(0)) for model in densities]
    if draws[0].shape[1] > 1:
        return None
    points = np.concatenate(draws).ravel()
    low, high, span = points.min(), points.max(), np.ptp(points)
    if (np.floor(points) == points).all():
        # Counts: a sum over whole numbers.
        nodes = np.arange(np.floor(low - span) - 10, np.ceil(high + span) + 11)
        weights = np.ones(len(nodes))
    else:
        # The integrand has a kink wherever the decision changes: Gauss-Legendre between these
        # points.
        edges = boundaries(joint, np.linspace(low - span, high + span, 4 * PANELS + 1))[0]
        edges = np.union1d(edges, np.linspace(low - span, high + span, PANELS + 1))
        x, w = np.polynomial.legendre.leggauss(NODES)
        half, middle = np.diff(edges) / 2, (edges[1:] + edges[:-1]) / 2
        nodes = (middle[:, None] + half[:, None] * x).ravel()
        weights = (half[:, None] * w).ravel()
    mass = np.exp(joint(nodes[:, None]))
    if abs(weights @ mass.sum(axis=1) - 1) > LEAST_MASS:
        return None
    return float(weights @ (mass.sum(axis=1) - _decided(mass, classes, nodes[:, None], rule)))


def by_sampling(joint, classes, priors, densities, rule, n_samples, rng):
    """Return the error rate as a mean over drawn samples, with its standard error."""
    counts = rng.multinomial(n_samples, priors)
    X = np.concatenate([draw(m, n, rng) for m, n in zip(densities, counts, strict=True) if n])
    logs = joint(X)
    posterior = np.exp(logs - log_sums(logs)[:, None])
    wrong = 1 - _decided(posterior, classes, X, rule)
    return ErrorRate(float(wrong.mean()), float(wrong.std(ddof=1) / np.sqrt(n_samples)))


def boundaries(joint, points):
    """Return the edges of the intervals of equal decision, and their decisions as indices."""
    decided = joint(points[:, None]).argmax(axis=1)
    turns = np.flatnonzero(decided[1:] != decided[:-1])

    def difference(x, left, right):
        values = joint(np.array([[x]]))[0]
        return float(values[left] - values[right])

    edges = [points[0]]
    for turn in turns:
        ends, pair = points[turn : turn + 2], decided[turn : turn + 2]
        with np.errstate(invalid="ignore"):
            # Where two classes change places, their difference has a root; a jump is put midway.
            values = [difference(x, *pair) for x in ends]
        if np.isfinite(values).all() and values[0] * values[1] < 0:
            edges.append(brentq(difference, *ends, args=tuple(pair), xtol=1e-14))
        else:
            edges.append(ends.mean())
    return np.array([*edges, points[-1]]), decided[np.concatenate([turns, [len(points) - 1]])]


def draw(model, n_samples, rng):
    """Draw samples of a density of ours or of SciPy."""
    if hasattr(model, "rvs"):
        found = np.asarray(model.rvs(size=n_samples, random_state=rng), dtype=float)
        return found.reshape(n_samples, -1)
    if not hasattr(model, "sample"):
        raise TypeError(f"{type(model).__name__} has no sample method, which error_rate needs.")
    found = model.sample(n_samples, random_state=rng)
    return found[0] if isinstance(found, tuple) else found


def _decided(mass, classes, X, rule):
    """Return the part of the mass that belongs to the class decided for."""
    if rule is None:
        return mass.max(axis=1)
    labels = np.asarray(rule(X))
    place = np.searchsorted(classes, labels)
    known = classes[np.minimum(place, len(classes) - 1)] == labels
    picked = mass[np.arange(len(mass)), np.minimum(place, len(classes) - 1)]
    return np.where(known, picked, 0.0)
