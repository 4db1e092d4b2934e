"""Has a Markov chain seen the whole space, and how many independent draws is it worth?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft

Array = NDArray[np.float64]


def split_r_hat(chains: Array) -> Array:
    """Return how much wider all half-chains together are than one of them, per quantity.

    Parameters
    ----------
    chains : ndarray of shape (n_chains, n_draws, n_quantities)
        At least 4 draws per chain.

    Returns
    -------
    r_hat : ndarray of shape (n_quantities,)
        Near 1 where the chains have mixed.
    """
    within, pooled = _variances(_halves(chains))
    return np.sqrt(pooled / np.maximum(within, np.finfo(float).tiny))


def effective_size(chains: Array) -> Array:
    """Return how many independent draws would estimate the mean as well, per quantity.

    Autocorrelations are summed in pairs up to the first negative pair, made decreasing before
    (Geyer's initial monotone sequence); chains that disagree count less.

    Parameters
    ----------
    chains : ndarray of shape (n_chains, n_draws, n_quantities)
        At least 4 draws per chain.

    Returns
    -------
    size : ndarray of shape (n_quantities,)
        Between 1 and about the number of draws.
    """
    chains = _halves(chains)
    n_chains, n_draws, _ = chains.shape
    within, pooled = _variances(chains)
    pooled = np.maximum(pooled, np.finfo(float).tiny)
    rho = 1 - (within - autocovariance(chains).mean(axis=0)) / pooled
    even = n_draws // 2 * 2
    pairs = rho[0:even:2] + rho[1:even:2]
    pairs = np.minimum.accumulate(np.maximum(pairs, 0) * np.cumprod(pairs > 0, axis=0), axis=0)
    time = np.maximum(2 * pairs.sum(axis=0) - 1, 1 / np.log10(n_chains * n_draws))
    return n_chains * n_draws / time


def _halves(chains: Array) -> Array:
    half = chains.shape[1] // 2
    return np.concatenate([chains[:, :half], chains[:, -half:]])


def _variances(chains: Array) -> tuple[Array, Array]:
    """Return the variance within chains, and that of all draws together."""
    n_draws = chains.shape[1]
    within = chains.var(axis=1, ddof=1).mean(axis=0)
    between = chains.mean(axis=1).var(axis=0, ddof=1)
    return within, (n_draws - 1) / n_draws * within + between


def autocovariance(chains: Array) -> Array:
    """Return the autocovariance of each chain at all lags, by a Fourier transform."""
    n_draws = chains.shape[1]
    length = next_fast_len(2 * n_draws)
    spectrum = rfft(chains - chains.mean(axis=1, keepdims=True), length, axis=1)
    return irfft(np.abs(spectrum) ** 2, length, axis=1)[:, :n_draws] / (n_draws - 1)
