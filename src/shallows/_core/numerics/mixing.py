"""Has a Markov chain seen the whole space, and how many independent draws is it worth?

Ranks, folded draws and quantiles are used as Vehtari, Gelman, Simpson, Carpenter and Bürkner do
in "Rank-normalization, folding, and localization", Bayesian Analysis 16, 667-718, 2021. All
functions take chains of shape (n_chains, n_draws, n_quantities), with at least 4 draws, and give
one number per quantity: NaN for one that never changes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import ndtri
from scipy.stats import rankdata

Array = NDArray[np.float64]


def r_hat(chains: Array) -> Array:
    """Return how much wider all half-chains together are than one of them; near 1 when mixed.

    The larger of two ratios: that of the draws, which sees chains in different places, and that
    of their distances from the median, which sees chains of different spread. Normal scores of
    the ranks replace the values, so that heavy tails do no harm.
    """
    halves = _halves(chains)
    folded = np.abs(halves - np.median(chains, axis=(0, 1)))
    return np.fmax(_width_ratio(_normal_scores(halves)), _width_ratio(_normal_scores(folded)))


def bulk_size(chains: Array) -> Array:
    """Return the effective number of draws for the centre of the law, from normal scores."""
    return _size(_normal_scores(_halves(chains)))


def tail_size(chains: Array) -> Array:
    """Return the effective number of draws for the 5 % and the 95 % quantile, the smaller one."""
    low, high = np.quantile(chains, [0.05, 0.95], axis=(0, 1))
    halves = _halves(chains)
    return np.fmin(_size(1.0 * (halves <= low)), _size(1.0 * (halves <= high)))


def effective_size(chains: Array) -> Array:
    """Return how many independent draws would estimate the mean as well, if there is a mean."""
    return _size(_halves(chains))


def tail_index(chains: Array, sizes: Array) -> Array:
    """Return the index k of the Pareto law that fits the heavier tail, of each quantity.

    Moments of order 1 / k and above are infinite: a mean needs k below 1, and an estimate of it
    that settles in time k below about 0.7 (Vehtari, Simpson, Gelman, Yao and Gabry, "Pareto
    smoothed importance sampling", Journal of Machine Learning Research 25, 2024). Laws with
    light tails have k about 0, and so has a quantity with too few different values to judge.
    `sizes` are those of `tail_size`: the fewer, the more draws make a tail.
    """
    n_draws = chains.shape[0] * chains.shape[1]
    draws = chains.reshape(n_draws, -1)
    share = np.fmax(sizes / n_draws, 1 / n_draws)  # NaN for one that never changes
    n_tail = np.ceil(np.minimum(n_draws / 5, 3 * np.sqrt(n_draws / share))).astype(int)
    return np.array(
        [
            max(_pareto_index(x, n), _pareto_index(-x, n))
            for x, n in zip(draws.T, n_tail, strict=True)
        ]
    )


def autocovariance(chains: Array) -> Array:
    """Return the autocovariance of each chain at all lags, by a Fourier transform."""
    n_draws = chains.shape[1]
    length = next_fast_len(2 * n_draws)
    spectrum = rfft(chains - chains.mean(axis=1, keepdims=True), length, axis=1)
    return irfft(np.abs(spectrum) ** 2, length, axis=1)[:, :n_draws] / (n_draws - 1)


def _halves(chains: Array) -> Array:
    half = chains.shape[1] // 2
    return np.concatenate([chains[:, :half], chains[:, -half:]])


def _normal_scores(chains: Array) -> Array:
    """Return the normal quantiles of the ranks of all draws, as Blom places them."""
    n_draws = chains.shape[0] * chains.shape[1]
    ranks = rankdata(chains.reshape(n_draws, -1), axis=0).reshape(chains.shape)
    scores: Array = ndtri((ranks - 3 / 8) / (n_draws + 1 / 4))
    return scores


def _width_ratio(chains: Array) -> Array:
    within, pooled = _variances(chains)
    with np.errstate(divide="ignore", invalid="ignore"):  # chains that stand still
        return np.sqrt(pooled / within)


def _size(chains: Array) -> Array:
    """Divide the number of draws by the autocorrelation time.

    Autocorrelations are summed in pairs up to the first negative pair, made decreasing before
    (Geyer's initial monotone sequence); chains that disagree count less.
    """
    n_chains, n_draws, _ = chains.shape
    within, pooled = _variances(chains)
    with np.errstate(divide="ignore", invalid="ignore"):
        rho = 1 - (within - autocovariance(chains).mean(axis=0)) / pooled
    even = n_draws // 2 * 2
    pairs = rho[0:even:2] + rho[1:even:2]
    pairs = np.minimum.accumulate(np.maximum(pairs, 0) * np.cumprod(pairs > 0, axis=0), axis=0)
    time = np.maximum(2 * pairs.sum(axis=0) - 1, 1 / np.log10(n_chains * n_draws))
    return np.where(pooled > 0, n_chains * n_draws / time, np.nan)


def _variances(chains: Array) -> tuple[Array, Array]:
    """Return the variance within chains, and that of all draws together."""
    n_draws = chains.shape[1]
    within = chains.var(axis=1, ddof=1).mean(axis=0)
    between = chains.mean(axis=1).var(axis=0, ddof=1)
    still = chains.min(axis=(0, 1)) == chains.max(axis=(0, 1))  # whatever rounding makes of means
    within, between = np.where(still, 0.0, within), np.where(still, 0.0, between)
    return within, (n_draws - 1) / n_draws * within + between


def _pareto_index(draws: Array, n_tail: int) -> float:
    """Fit a generalised Pareto law to the largest draws, as Zhang and Stephens do (2009).

    Their estimate is a posterior mean over a grid of scales. It is pulled towards 1/2 as ten
    draws would.
    """
    order = np.sort(draws)[-n_tail - 1 :]
    tail = order[1:] - order[0]
    tail = tail[tail > 0]
    n = len(tail)
    if n < 5:
        return 0.0
    n_scales = 30 + int(np.sqrt(n))
    grid = 1 - np.sqrt(n_scales / (np.arange(1, n_scales + 1) - 0.5))
    thetas = 1 / tail[-1] + grid / (3 * tail[int(n / 4 + 0.5) - 1])
    thetas[thetas == 0] = np.finfo(float).tiny  # the limit of an exponential law
    indices = np.log1p(-thetas[:, None] * tail).mean(axis=1)
    fits = n * (np.log(-thetas / indices) - indices - 1)
    weights = np.exp(fits - fits.max())
    theta = weights @ thetas / weights.sum()
    return float((n * np.log1p(-theta * tail).mean() + 5) / (n + 10))
