"""Ridge regression for many penalties from one decomposition, with leave-one-out and GCV."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import linalg
from sklearn.utils.validation import check_array, check_consistent_length

from shallows._core.contract.data import check_weights
from shallows._core.numerics.threads import map_blocks, quick_lapack
from shallows.linear._linear_model import two_dimensional
from shallows.linear._products import BLOCK_ROWS, of_array

MANY_PENALTIES = 10_000
GRAM_LIMIT = 1e-10  # smallest penalty, as share of the largest eigenvalue, that X'X resolves


@dataclass(frozen=True)
class RidgePath:
    """Ridge weights and their expected errors for many penalties.

    Parameters
    ----------
    alphas : ndarray of shape (n_alphas,)
        Penalties.
    coef : ndarray of shape (n_alphas, n_targets, n_features)
        Weights.
    intercept : ndarray of shape (n_alphas, n_targets)
        Offsets.
    loo : ndarray of shape (n_alphas,)
        Mean squared error of predictions for samples left out, one at a time.
    gcv : ndarray of shape (n_alphas,)
        Generalized cross-validation: n RSS / (n - degrees of freedom)^2.
    degrees_of_freedom : ndarray of shape (n_alphas,)
        Trace of the hat matrix, offset included.
    """

    alphas: np.ndarray
    coef: np.ndarray
    intercept: np.ndarray
    loo: np.ndarray
    gcv: np.ndarray
    degrees_of_freedom: np.ndarray


class Spectrum(NamedTuple):
    """Inputs as P V' with orthogonal columns of P, whose squared norms are the eigenvalues.

    `targets` is P'Y, `yy` the squared norms of the targets, `rest` those of the part of the
    targets that no weights reach.
    """

    values: np.ndarray
    vectors: np.ndarray
    targets: np.ndarray
    x_mean: np.ndarray
    y_mean: np.ndarray
    yy: np.ndarray
    rest: np.ndarray
    weight: float


def ridge_path(X, y, alphas, *, fit_intercept=True, sample_weight=None) -> RidgePath:
    r"""Fit ridge regression for many penalties, and predict each sample by all others.

    One decomposition :math:`X = U S V'` serves every penalty. The error of sample i when it is
    left out follows from the fit to all samples, :math:`e_i / (1 - h_{ii})`, with the diagonal
    of the hat matrix [1]_; with an offset :math:`h_{ii}` contains its 1/n, so the result is
    that of refitting offset and weights without the sample.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Training data.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        Targets.
    alphas : array-like of shape (n_alphas,)
        Penalties of the sum form: squared error plus alpha times squared weights.
    fit_intercept : bool, default=True
        Whether to fit an offset, which is not penalised.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each sample; a sample of weight two counts as two samples, of which one is
        left out at a time.

    Returns
    -------
    path : RidgePath
        Weights, offsets, errors and degrees of freedom, one entry per penalty.

    References
    ----------
    .. [1] G. Golub, M. Heath and G. Wahba, "Generalized cross-validation as a method for
       choosing a good ridge parameter", Technometrics 21, 215-223, 1979.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.linear import ridge_path
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 3.0, 5.0])
    >>> path = ridge_path(X, y, [0.0, 2.0])
    >>> path.coef[:, 0, 0].round(6), path.degrees_of_freedom
    (array([2., 1.]), array([2. , 1.5]))
    """
    X = check_array(X, dtype=(np.float64, np.float32))
    y = check_array(y, ensure_2d=False, dtype=np.float64)
    check_consistent_length(X, y)
    alphas = check_alphas("ridge_path", alphas)
    weights = check_weights(sample_weight, len(X))
    Y = two_dimensional(y)
    found = decompose(X, Y, weights, fit_intercept, alphas.min())
    coef, intercept = path_weights(found, alphas)
    return RidgePath(
        alphas,
        coef,
        intercept,
        leave_one_out(found, X, Y, weights, alphas, fit_intercept),
        generalized(found, alphas, fit_intercept),
        found.weight - freedom_left(found, alphas, fit_intercept),
    )


def check_alphas(owner, alphas):
    """Return penalties as a float array: finite, not negative, not absurdly many."""
    alphas = np.atleast_1d(np.asarray(alphas))
    if alphas.ndim != 1 or not 0 < len(alphas) <= MANY_PENALTIES or alphas.dtype.kind not in "iuf":
        raise ValueError(
            f"{owner}: alphas must be between 1 and {MANY_PENALTIES} penalties in one "
            f"dimension, got {alphas.dtype} of shape {alphas.shape}."
        )
    alphas = alphas.astype(np.float64)
    if not np.isfinite(alphas).all() or (alphas < 0).any():
        bad = alphas[~(np.isfinite(alphas) & (alphas >= 0))][0]
        raise ValueError(f"{owner}: penalties must be finite and not negative, got {bad}.")
    return alphas


def decompose(X, Y, weights, fit_intercept, smallest=0.0) -> Spectrum:
    """Return the spectrum of X'X, or by an SVD where X'X would blur the smallest penalty."""
    if X.shape[0] > X.shape[1]:
        found = of_products(of_array(X, Y, weights, fit_intercept))
        if smallest >= GRAM_LIMIT * found.values.max(initial=0.0) or not isinstance(X, np.ndarray):
            return found
    X = X if isinstance(X, np.ndarray) else X.toarray()
    x_mean, y_mean = np.zeros(X.shape[1]), np.zeros(Y.shape[1])
    if fit_intercept:
        x_mean, y_mean = (np.average(part, axis=0, weights=weights) for part in (X, Y))
    roots = np.sqrt(weights)[:, None]
    with quick_lapack(min(X.shape)):
        left, values, right = linalg.svd((X - x_mean) * roots, full_matrices=False)
    Y = (Y - y_mean) * roots
    rounding = max(X.shape) * np.finfo(np.float64).eps * values.max(initial=0.0)
    values = np.where(values > rounding, values, 0.0)
    inner = (values > 0)[:, None] * (left.T @ Y)
    yy, rest = (Y**2).sum(axis=0), ((Y - left @ inner) ** 2).sum(axis=0)
    targets = values[:, None] * inner
    return Spectrum(values**2, right.T, targets, x_mean, y_mean, yy, rest, weights.sum())


def of_products(products) -> Spectrum:
    """Return the spectrum that sums of products hold."""
    with quick_lapack(len(products.xx)):
        values, vectors = linalg.eigh(products.xx)
    rounding = len(values) * np.finfo(np.float64).eps * values[-1]
    values = np.where(values > rounding, values, 0.0)
    targets = np.where(values[:, None] > 0, vectors.T @ products.xy, 0.0)
    explained = (targets**2 / np.where(values > 0, values, 1.0)[:, None]).sum(axis=0)
    return Spectrum(
        values,
        vectors,
        targets,
        products.x_mean,
        products.y_mean,
        products.yy,
        np.maximum(products.yy - explained, 0.0),
        products.weight,
    )


def shrinkage(values, alphas):
    """Return 1 / (value + alpha), one row per penalty; 0 for 0 + 0, which has no direction."""
    total = values + alphas[:, None]
    return np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)


def path_weights(found, alphas):
    """Return weights of shape (n_alphas, n_targets, n_features) and offsets."""
    inner = shrinkage(found.values, alphas)[:, None, :] * found.targets.T
    coef = inner @ found.vectors.T
    return coef, found.y_mean - coef @ found.x_mean


def residual_squares(found, alphas):
    """Return the residual sum of squares per penalty, summed over targets, without cancelling."""
    live = found.values > 0
    shares = (found.targets[live] ** 2).sum(axis=1) / found.values[live]
    missed = alphas[:, None] / (found.values[live] + alphas[:, None])
    return missed**2 @ shares + found.rest.sum()


def freedom_left(found, alphas, fit_intercept):
    """Return the samples less the degrees of freedom used, per penalty."""
    live = found.values > 0
    spare = found.weight - fit_intercept - live.sum()
    return spare + (alphas[:, None] / (found.values[live] + alphas[:, None])).sum(axis=1)


def generalized(found, alphas, fit_intercept):
    """Return the GCV score per penalty, infinite where no degree of freedom is left."""
    left = freedom_left(found, alphas, fit_intercept)
    enough = left > 1e-12 * found.weight
    score = found.weight * residual_squares(found, alphas) / np.where(enough, left, 1.0) ** 2
    return np.where(enough, score, np.inf)


def leave_one_out(found, X, Y, weights, alphas, fit_intercept):
    """Return the mean squared leave-one-out error per penalty, summed over targets.

    Of a sample that weighs more than one, one is left out; of others, all there is.
    """
    shrunk = shrinkage(found.values, alphas).T
    unit = np.minimum(weights, 1.0)
    live = found.values > 0

    def block(rows):
        part = X[rows] if isinstance(X, np.ndarray) else X[rows].toarray()
        moved = (part - found.x_mean) @ found.vectors[:, live]
        leverage = moved**2 @ shrunk[live] + (1.0 / found.weight if fit_intercept else 0.0)
        left = np.maximum(1 - unit[rows, None] * leverage, 0.0)
        left = np.where(left > 1e-10, left, np.nan)
        total = np.zeros(len(alphas))
        for k in range(Y.shape[1]):
            fitted = moved @ (found.targets[live, k, None] * shrunk[live])
            errors = (Y[rows, k, None] - found.y_mean[k] - fitted) / left
            total += weights[rows] @ errors**2
        return total

    total = np.sum(map_blocks(block, X.shape[0], BLOCK_ROWS), axis=0) / found.weight
    return np.where(np.isnan(total), np.inf, total)
