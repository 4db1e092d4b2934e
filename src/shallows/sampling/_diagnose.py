"""Convergence diagnostics of Markov chains."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

from shallows._core.numerics.mixing import (
    autocovariance,
    bulk_size,
    effective_size,
    r_hat,
    tail_index,
    tail_size,
)

HEAVIEST_TAIL = 0.7  # largest tail index for which the mean converges in practice


class ChainDiagnosis(NamedTuple):
    """Diagnosis of the mixing of chains, for each quantity.

    Parameters
    ----------
    r_hat : ndarray of shape (d,)
        Near 1 if all parts of the chains agree in location and scale. Up to 1.01 is good.
    bulk_size, tail_size, mean_size : ndarray of shape (d,)
        Effective sample sizes: the number of independent draws with the same precision for the
        centre of the distribution, for its 5 % and 95 % quantiles, and for its mean (0 if the
        tails are too heavy for a mean). About 100 per chain are enough to trust the other numbers.
    tail_index : ndarray of shape (d,)
        Index k of the heavier tail: moments of order 1 / k and above are infinite.
    autocorrelation_time : ndarray of shape (d,)
        Number of draws per effective draw of `bulk_size`.
    autocorrelation : ndarray of shape (n_lags, d)
        Autocorrelation at lags 0, 1, 2, ...
    standard_error : ndarray of shape (d,)
        Standard error of the mean; infinite if `mean_size` is 0.
    """

    r_hat: np.ndarray
    bulk_size: np.ndarray
    tail_size: np.ndarray
    mean_size: np.ndarray
    tail_index: np.ndarray
    autocorrelation_time: np.ndarray
    autocorrelation: np.ndarray
    standard_error: np.ndarray


def diagnose(chains, max_lag: int = 100) -> ChainDiagnosis:
    r"""Diagnose the mixing of Markov chains and the precision of quantiles and means.

    :math:`\hat R` and the effective sizes are computed from ranks [1]_, so they also detect chains
    of different spread and heavy tails. A constant quantity gives NaN, with a warning.

    Parameters
    ----------
    chains : array-like of shape (n_draws,), (n_draws, d) or (n_chains, n_draws, d)
        States, without the burn-in.
    max_lag : int, default=100
        Largest lag of the autocorrelation that is returned.

    Returns
    -------
    diagnosis : ChainDiagnosis
        Numbers for each of d quantities.

    References
    ----------
    .. [1] A. Vehtari, A. Gelman, D. Simpson, B. Carpenter, P.-C. Bürkner, "Rank-normalization,
       folding, and localization: an improved R-hat for assessing convergence of MCMC", Bayesian
       Analysis 16, 667-718, 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.sampling import diagnose
    >>> draws = np.random.default_rng(0).normal(size=(4, 2500, 1))
    >>> found = diagnose(draws)
    >>> bool(found.r_hat[0] < 1.01 and 9000 < found.bulk_size[0] < 11_000)
    True
    >>> draws[0] *= 5
    >>> bool(diagnose(draws).r_hat[0] > 1.1)
    True
    """
    chains = as_chains(chains, "diagnose")
    n_draws = chains.shape[0] * chains.shape[1]
    bulk, tail = bulk_size(chains), tail_size(chains)
    index = tail_index(chains, tail)

    # Without a finite variance the mean has no standard error, whatever the autocorrelation.
    heavy, still = index > HEAVIEST_TAIL, np.isnan(bulk)
    mean = np.where(heavy, 0.0, effective_size(chains))
    spread = chains.reshape(n_draws, -1).std(axis=0, ddof=1)
    error = np.divide(spread, np.sqrt(mean), out=np.full_like(mean, np.inf), where=~heavy)
    if heavy.any():
        warnings.warn(
            f"diagnose: the tails of quantity {heavy.argmax()} are too heavy for a mean: their "
            f"index is {index[heavy][0]:.2f}, above {HEAVIEST_TAIL}. Report quantiles instead.",
            stacklevel=2,
        )
    if still.any():
        warnings.warn(
            f"diagnose: quantity {still.argmax()} is the same in all draws, which says nothing "
            "about how well the chains have mixed.",
            stacklevel=2,
        )
    return ChainDiagnosis(
        r_hat(chains),
        bulk,
        tail,
        mean,
        index,
        n_draws / bulk,
        _autocorrelation(chains, max_lag),
        error,
    )


def thin(chain, lag: int | None = None, burn_in: int = 0) -> np.ndarray:
    """Drop the beginning of a chain, then keep every lag-th state.

    Parameters
    ----------
    chain : array-like of shape (n_draws,) or (n_draws, d)
        States.
    lag : int or None, default=None
        Steps between kept states; None means the first lag at which no quantity has an
        autocorrelation above 0.05.
    burn_in : int, default=0
        Number of states dropped at the beginning.

    Returns
    -------
    states : ndarray
        Nearly independent states.

    Examples
    --------
    >>> from shallows.sampling import thin
    >>> thin([0, 1, 2, 3, 4, 5, 6], lag=2, burn_in=1)
    array([1, 3, 5])
    """
    chain = np.asarray(chain)
    if not 0 <= burn_in < len(chain) or (lag is not None and lag < 1):
        raise ValueError(
            f"thin: burn_in must be from 0 to {len(chain) - 1} and lag at least 1, got "
            f"burn_in={burn_in} and lag={lag}."
        )
    kept = chain[burn_in:]
    if lag is None:
        correlation = _autocorrelation(as_chains(kept, "thin"), len(kept)).max(axis=1)
        low = np.flatnonzero(correlation[1:] <= 0.05)
        lag = int(low[0]) + 1 if len(low) else len(kept)
    return kept[::lag]


def _autocorrelation(chains, max_lag):
    """Return one row per lag; zeros for a constant quantity."""
    covariance = autocovariance(chains).mean(axis=0)
    still = covariance[0] <= 0
    return covariance[: max_lag + 1] / np.where(still, 1.0, covariance[0])


def as_chains(chains, owner):
    """Return floats of shape (n_chains, n_draws, n_quantities)."""
    chains = np.asarray(chains, dtype=np.float64)
    if chains.ndim == 1:
        chains = chains[:, None]
    if chains.ndim == 2:
        chains = chains[None]
    if chains.ndim != 3 or chains.shape[1] < 4 or not np.isfinite(chains).all():
        raise ValueError(
            f"{owner}: chains must have at least 4 finite draws, got shape {chains.shape}."
        )
    return chains
