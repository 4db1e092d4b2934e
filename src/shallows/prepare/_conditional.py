"""The distribution of missing values under a Gaussian, given the observed values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

LEAST_EIGENVALUE = 1e-8  # of the correlation matrix; below it the inverse is inaccurate
GROUP_SIZE = 2**18  # entries of the inverse matrices in one batch


class Conditional(NamedTuple):
    """Conditional mean per row, conditional covariance, and log density of the observed part."""

    mean: np.ndarray
    covariance: np.ndarray
    log_density: np.ndarray


def conditional(mean, covariance, missing, seen):
    """Return the conditional distribution of the missing columns given the seen columns.

    Parameters
    ----------
    mean : ndarray of shape (d,)
        Mean of all columns.
    covariance : ndarray of shape (d, d)
        Covariance of all columns.
    missing : ndarray of bool, shape (d,)
        Which columns are missing.
    seen : ndarray of shape (n, d - number of missing)
        Values of the other columns.

    Returns
    -------
    conditional : Conditional
        For every row.
    """
    own = covariance[np.ix_(missing, missing)]
    if missing.all():
        return Conditional(np.tile(mean, (len(seen), 1)), own, np.zeros(len(seen)))
    # Regression on the seen columns: mean_m + C_ms C_ss^-1 (x_s - mean_s).
    factor = cho_factor(covariance[np.ix_(~missing, ~missing)], lower=True)
    centred = seen - mean[~missing]
    solved = cho_solve(factor, centred.T).T
    log_volume = 2 * np.log(np.diag(factor[0])).sum() + centred.shape[1] * np.log(2 * np.pi)
    log_density = -0.5 * ((centred * solved).sum(axis=1) + log_volume)
    # Remaining covariance: C_mm - C_ms C_ss^-1 C_sm, the same for all rows.
    across = covariance[np.ix_(missing, ~missing)]
    left = own - across @ cho_solve(factor, across.T)
    return Conditional(mean[missing] + solved @ across.T, left, log_density)


class Filled(NamedTuple):
    """Rows with conditional means in their gaps, summed covariances, and log densities."""

    rows: np.ndarray
    spread: np.ndarray
    log_density: np.ndarray


def fill_all(X, mean, covariance, groups):
    r"""Replace all gaps by conditional means, using the inverse covariance :math:`\Lambda`.

    The missing part has the covariance :math:`\Lambda_{mm}^{-1}` and the mean :math:`\mu_m -
    \Lambda_{mm}^{-1} \Lambda_{mo} (x_o - \mu_o)`. So the matrix to invert for a row is only as
    large as its number of gaps, and all rows with equally many gaps form one batch.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Rows, NaN for gaps.
    mean : ndarray of shape (d,)
        Mean.
    covariance : ndarray of shape (d, d)
        Covariance.
    groups : list of (rows, columns)
        From `gap_groups`.

    Returns
    -------
    filled : Filled or None
        None if the covariance is too close to singular for an accurate inverse.
    """
    d = len(mean)
    scale = np.sqrt(covariance.diagonal())
    # The eigenvalues of the correlation matrix do not depend on the units of the columns.
    values, vectors = np.linalg.eigh(covariance / scale / scale[:, None])
    if not values[0] > LEAST_EIGENVALUE:
        return None
    inverse = (vectors / values) @ vectors.T / scale / scale[:, None]
    centred = np.nan_to_num(X - mean)
    pulled = centred @ inverse
    log_volume = np.full(len(X), np.log(values).sum() + 2 * np.log(scale).sum())
    log_volume += d * np.log(2 * np.pi)
    spread = np.zeros(d * d)
    for rows, columns in groups:
        # Missing values are centred zeros so far; solve for them in all rows of the group at once.
        own = inverse[columns[:, :, None], columns[:, None, :]]
        left = np.linalg.inv(own)
        force = pulled[rows[:, None], columns]
        centred[rows[:, None], columns] = -np.einsum("nij,nj->ni", left, force)
        log_volume[rows] += np.linalg.slogdet(own)[1] - columns.shape[1] * np.log(2 * np.pi)
        pairs = columns[:, :, None] * d + columns[:, None, :]
        spread += np.bincount(pairs.ravel(), left.ravel(), minlength=d * d)
    # Log density of the observed part: full Gaussian at the filled row, corrected by |Lambda_mm|.
    distance = np.einsum("ij,ij->i", centred @ inverse, centred)
    return Filled(centred + mean, spread.reshape(d, d), -0.5 * (distance + log_volume))


def gap_groups(gaps):
    """Group rows with equally many gaps: pairs (rows, columns), columns (n_rows, n_gaps)."""
    counts, groups = gaps.sum(axis=1), []
    for count in np.unique(counts[counts > 0]):
        alike = np.flatnonzero(counts == count)
        for first in range(0, len(alike), max(1, GROUP_SIZE // count**2)):
            rows = alike[first : first + max(1, GROUP_SIZE // count**2)]
            groups.append((rows, np.nonzero(gaps[rows])[1].reshape(len(rows), count)))
    return groups


def combine(parts, shares, rng=None):
    """Return the mean of a mixture of conditionals or, with a generator, random draws.

    Parameters
    ----------
    parts : list of Conditional
        One per component.
    shares : ndarray of shape (n, n_components)
        Probability of each component, per row.
    rng : numpy.random.Generator or None, default=None
        Generator for draws; None for the mean.

    Returns
    -------
    values : ndarray of shape (n, n_missing)
        Values for the gaps.
    """
    if rng is None:
        return sum(share[:, None] * part.mean for share, part in zip(shares.T, parts, strict=True))
    # Draw the component of each row, then the values within the component.
    chosen = (rng.random((len(shares), 1)) > shares.cumsum(axis=1)).sum(axis=1)
    chosen = np.minimum(chosen, len(parts) - 1)
    values = np.empty_like(parts[0].mean)
    for k, part in enumerate(parts):
        rows = chosen == k
        noise = rng.multivariate_normal(
            np.zeros(len(part.covariance)), part.covariance, size=rows.sum(), method="eigh"
        )
        values[rows] = part.mean[rows] + noise
    return values


def mixture_parameters(model, n_features):
    """Return means, full covariance matrices and weights, for any covariance type."""
    lacking = [n for n in ("means_", "covariances_", "weights_") if not hasattr(model, n)]
    if lacking:
        raise ValueError(
            f"DensityImputer: model must have means_, covariances_ and weights_ after fit, but "
            f"{type(model).__name__} lacks {', '.join(lacking)}."
        )
    means = np.array(model.means_, dtype=np.float64)
    if means.ndim != 2 or means.shape[1] != n_features:
        raise ValueError(
            f"DensityImputer: the model's means must have {n_features} columns like X, "
            f"got shape {means.shape}."
        )
    given = np.asarray(model.covariances_, dtype=np.float64)
    kind = getattr(model, "covariance_type", None)
    if kind == "tied" or (kind is None and given.shape == (n_features, n_features)):
        full = np.tile(given, (len(means), 1, 1))
    elif given.ndim == 3:
        full = given.copy()
    elif given.ndim == 2:
        full = np.array([np.diag(variances) for variances in given])
    else:
        full = given[:, None, None] * np.eye(n_features)
    return means, full, np.array(model.weights_, dtype=np.float64)
