"""One pass of expectation-maximisation over rows with missing values (NaN).

A gap is a hidden variable too: given what a row shows, each component knows its mean and its
covariance, and both enter the sums. That is right where values are missing at random.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular

from shallows._core.numerics.threads import block_slices
from shallows.density._mixture_steps import ILL_DEFINED, Mixture, Moments, shares_of

BLOCK_ROWS = 4096


def patterns_of(X):
    """Return the rows of each pattern of gaps, and which features they show."""
    shown, place = np.unique(~np.isnan(X), axis=0, return_inverse=True)
    order = np.argsort(place.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(place.ravel(), minlength=len(shown)))
    return [(rows, mask) for rows, mask in zip(np.split(order, ends[:-1]), shown, strict=True)]


def gap_pass(X, sample_weight, patterns, mixture, *, hard=False):
    """Return the weighted sum of log densities of what is shown, and the moments.

    First and second moments are taken about the means of the components.
    """
    n_components, n_features = mixture.means.shape
    total, mass = 0.0, np.zeros(n_components)
    first = np.zeros((n_components, n_features))
    second = np.zeros((n_components, n_features, n_features))
    for rows, mask in patterns:
        parts = _given_shown(mixture, mask)
        for block in block_slices(len(rows), BLOCK_ROWS):
            chosen = rows[block]
            away = X[chosen][:, mask] - mixture.means[:, None, mask]
            # Posteriors from the values that are there.
            found, shares = shares_of(_log_joint(mixture, parts, away), hard=hard)
            total += float(sample_weight[chosen] @ found)
            shares *= sample_weight[chosen]
            mass += shares.sum(axis=1)
            for k, (_, expected, spread) in enumerate(parts):
                # Missing values are replaced by their conditional means, and the conditional
                # covariance is added.
                filled = np.zeros((len(chosen), n_features))
                filled[:, mask] = away[k]
                filled[:, ~mask] = away[k] @ expected
                first[k] += shares[k] @ filled
                second[k] += (filled.T * shares[k]) @ filled
                second[k][np.ix_(~mask, ~mask)] += shares[k].sum() * spread
    return total, Moments(mass, first, second)


def gap_maximise(mixture, moments, reg_covar, variance=None):
    """Return the mixture that the moments make likeliest; one without weight stays."""
    kind, _, means, covariances = mixture
    mass, first, second = moments
    used = mass > 10 * np.finfo(float).eps
    divisor = np.where(used, mass, 1.0)
    step = np.where(used[:, None], first / divisor[:, None], 0.0)
    moved, weights = means + step, mass / mass.sum()
    if variance is not None:
        return Mixture(kind, np.full(len(mass), 1 / len(mass)), moved, covariances)

    # Moments about the old means, moved to the new ones.
    inner = second / divisor[:, None, None] - step[:, :, None] * step[:, None, :]
    floor = reg_covar * np.eye(means.shape[1])
    if kind == "tied":
        return Mixture(kind, weights, moved, np.einsum("k,kij->ij", weights, inner) + floor)
    if kind == "full":
        kept = used[:, None, None]
        return Mixture(kind, weights, moved, np.where(kept, inner + floor, covariances))
    fresh = np.diagonal(inner, axis1=1, axis2=2) + reg_covar
    if kind == "spherical":
        return Mixture(kind, weights, moved, np.where(used, fresh.mean(axis=1), covariances))
    return Mixture(kind, weights, moved, np.where(used[:, None], fresh, covariances))


def gap_log_joint(X, mixture):
    """Yield rows and the log joint of what they show, pattern by pattern."""
    for rows, mask in patterns_of(X):
        parts = _given_shown(mixture, mask)
        for block in block_slices(len(rows), BLOCK_ROWS):
            away = X[rows[block]][:, mask] - mixture.means[:, None, mask]
            yield rows[block], _log_joint(mixture, parts, away)


def _given_shown(mixture, mask):
    """Return per component: factor of the shown covariance, and how gaps follow from it.

    Gaps have the mean ``away @ expected`` about their own mean, and the covariance `spread`.
    """
    parts = []
    for covariance in full_covariances(mixture):
        between = covariance[np.ix_(mask, ~mask)]
        try:
            factor = cho_factor(covariance[np.ix_(mask, mask)], lower=True)
        except np.linalg.LinAlgError:
            raise ValueError(ILL_DEFINED) from None
        expected = cho_solve(factor, between) if between.size else between
        spread = covariance[np.ix_(~mask, ~mask)] - between.T @ expected
        parts.append((factor[0], expected, spread))
    return parts


def _log_joint(mixture, parts, away):
    with np.errstate(divide="ignore"):
        logs = np.repeat(np.log(mixture.weights)[:, None], away.shape[1], axis=1)
    for k, (factor, _, _) in enumerate(parts):
        if not factor.size:
            continue
        white = solve_triangular(factor, away[k].T, lower=True)
        logs[k] -= 0.5 * np.einsum("ji,ji->i", white, white)
        logs[k] -= np.log(factor.diagonal()).sum() + 0.5 * len(factor) * np.log(2 * np.pi)
    return logs


def full_covariances(mixture):
    """Return one covariance matrix per component, whatever the kind."""
    kind, _, means, covariances = mixture
    n_components, n_features = means.shape
    if kind in ("full", "tied"):
        return np.broadcast_to(covariances, (n_components, n_features, n_features))
    variances = np.broadcast_to(covariances.reshape(n_components, -1), means.shape)
    return variances[:, :, None] * np.eye(n_features)
