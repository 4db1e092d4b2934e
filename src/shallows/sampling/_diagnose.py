"""Markov chains judged by what they gave."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.numerics.mixing import autocovariance, effective_size, split_r_hat


class ChainDiagnosis(NamedTuple):
    """What `diagnose` found, for each quantity.

    `r_hat` is near 1 where all parts of the chains agree. `effective_size` is the number of
    independent draws that tell the mean as well, `autocorrelation_time` the draws per one of
    those. `autocorrelation` has one row per lag. `standard_error` is that of the mean.
    """

    r_hat: np.ndarray
    effective_size: np.ndarray
    autocorrelation_time: np.ndarray
    autocorrelation: np.ndarray
    standard_error: np.ndarray


def diagnose(chains, max_lag: int = 100) -> ChainDiagnosis:
    """Tell how well Markov chains have mixed, and what their means are worth.

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

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.sampling import diagnose
    >>> draws = np.random.default_rng(0).normal(size=10_000)
    >>> bool(9000 < diagnose(draws).effective_size[0] < 11_000)
    True
    """
    chains = as_chains(chains, "diagnose")
    n_draws = chains.shape[1]
    covariance = autocovariance(chains).mean(axis=0)
    still = covariance[0] <= 0
    correlation = covariance[: min(max_lag + 1, n_draws)] / np.where(still, 1.0, covariance[0])
    size = effective_size(chains)
    total = chains.shape[0] * n_draws
    spread = chains.reshape(total, -1).std(axis=0, ddof=1)
    return ChainDiagnosis(
        split_r_hat(chains), size, total / size, correlation, spread / np.sqrt(size)
    )


def thin(chain, lag: int | None = None, burn_in: int = 0) -> np.ndarray:
    """Leave out the beginning of a chain, and then all but every lag-th state.

    Parameters
    ----------
    chain : array-like of shape (n_draws,) or (n_draws, d)
        States.
    lag : int or None, default=None
        Steps between the states kept; None takes the first lag at which no quantity has an
        autocorrelation above 0.05.
    burn_in : int, default=0
        States left out at the beginning.

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
        correlation = diagnose(kept, len(kept) - 1).autocorrelation.max(axis=1)
        low = np.flatnonzero(correlation <= 0.05)
        lag = int(low[0]) if len(low) else len(kept)
    return kept[::lag]


def as_chains(chains, owner):
    """Return floats of shape (n_chains, n_draws, n_quantities)."""
    chains = np.asarray(chains, dtype=np.float64)
    if chains.ndim == 1:
        chains = chains[:, None]
    if chains.ndim == 2:
        chains = chains[None]
    if chains.ndim != 3 or chains.shape[1] < 4 or not np.isfinite(chains).all():
        raise ValueError(
            f"{owner}: chains must hold at least 4 finite draws, got shape {chains.shape}."
        )
    return chains
