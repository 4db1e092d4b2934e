"""Metropolis sampling."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from shallows._core.contract.rng import as_generator


class MetropolisSample(NamedTuple):
    """States of the chains, and the share of proposals accepted."""

    states: np.ndarray
    acceptance: float


def metropolis(
    log_density,
    start,
    n: int,
    *,
    width=1.0,
    proposal=None,
    acceptance: Literal["metropolis", "boltzmann"] = "metropolis",
    mode: Literal["global", "local"] = "global",
    burn_in: int = 0,
    thin: int = 1,
    random_state=None,
) -> MetropolisSample:
    r"""Sample by a random walk that rejects steps to regions of low density.

    A step to :math:`y` is accepted with probability :math:`\min(1, g(y) / g(x))`, or with
    :math:`g(y) / (g(y) + g(x))`, which accepts fewer steps. Otherwise the state is repeated. For
    symmetric proposals both rules are in detailed balance with g, of which only ratios are needed
    [1]_.

    Parameters
    ----------
    log_density : callable
        Logarithm of g, up to a constant, for states of shape (n_chains, n_dimensions); -inf if g
        is zero.
    start : array-like of shape (n_dimensions,) or (n_chains, n_dimensions)
        First state of one chain, or of several chains, which run in parallel.
    n : int
        Number of states to keep.
    width : float or array-like of shape (n_dimensions,), default=1.0
        Standard deviation of the steps. Small steps explore slowly, large ones are rejected.
    proposal : callable or None, default=None
        Takes states and a Generator and returns proposed states; must be symmetric. None adds
        normal steps of `width`.
    acceptance : {"metropolis", "boltzmann"}, default="metropolis"
        The acceptance rule.
    mode : {"global", "local"}, default="global"
        Whether to propose all coordinates together or one after the other.
    burn_in : int, default=0
        Number of steps before the first kept state.
    thin : int, default=1
        Steps between kept states.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the walk.

    Returns
    -------
    sample : MetropolisSample
        States of shape (n, n_dimensions) or (n_chains, n, n_dimensions), and the share accepted.

    References
    ----------
    .. [1] N. Metropolis et al., "Equation of state calculations by fast computing machines",
       Journal of Chemical Physics 21, 1087-1092, 1953.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.sampling import metropolis
    >>> sample = metropolis(
    ...     lambda x: -0.5 * (x**2).sum(axis=1), np.zeros((20, 2)), 2000, width=1.7, random_state=0
    ... )
    >>> sample.states.shape, sample.states.std().round(1)
    ((20, 2000, 2), np.float64(1.0))
    """
    if acceptance not in ("metropolis", "boltzmann") or mode not in ("global", "local"):
        raise ValueError(
            "metropolis: acceptance must be metropolis or boltzmann and mode global or local, got "
            f"{acceptance!r} and {mode!r}."
        )
    if mode == "local" and proposal is not None:
        raise ValueError('metropolis: mode="local" makes its own steps; give width, not proposal.')
    rng = as_generator(random_state)
    first = np.array(start, dtype=np.float64)
    x = np.atleast_2d(first)
    heights = _log(log_density, x)
    if not np.isfinite(heights).all():
        raise ValueError("metropolis: the density must be positive at the start.")
    width = np.broadcast_to(np.asarray(width, dtype=np.float64), x.shape[1:])
    coordinates = [None] if mode == "global" else list(range(x.shape[1]))
    states, accepted, tried = np.empty((n, *x.shape)), 0, 0
    for t in range(-burn_in, n * thin):
        for i in coordinates:
            # Propose: all coordinates at once, or one after the other.
            if proposal is not None:
                y = np.asarray(proposal(x, rng), dtype=np.float64)
            elif i is None:
                y = x + width * rng.standard_normal(x.shape)
            else:
                y = x.copy()
                y[:, i] += width[i] * rng.standard_normal(len(x))
            new = _log(log_density, y)

            # Accept with probability min(1, p(y) / p(x)), or p(y) / (p(x) + p(y)) for Boltzmann's
            # rule.
            gain = new - heights
            # 1 - u is never zero, so its logarithm is finite.
            draws = np.log1p(-rng.random(len(x)))
            chance = (
                np.minimum(gain, 0.0) if acceptance == "metropolis" else -np.logaddexp(0, -gain)
            )
            take = draws <= chance
            x, heights = np.where(take[:, None], y, x), np.where(take, new, heights)
            accepted, tried = accepted + int(take.sum()), tried + len(x)
        if t >= 0 and t % thin == thin - 1:
            states[t // thin] = x
    kept = states[:, 0] if first.ndim == 1 else states.transpose(1, 0, 2)
    return MetropolisSample(kept, accepted / max(tried, 1))


def _log(log_density, x):
    values = np.asarray(log_density(x), dtype=np.float64)
    if values.shape != (len(x),) or np.isnan(values).any() or (values == np.inf).any():
        raise ValueError(
            f"metropolis: log_density must give a number below infinity for each of {len(x)} "
            f"states, got shape {values.shape}."
        )
    return values
