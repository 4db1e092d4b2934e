"""Gibbs sampling."""

from __future__ import annotations

import numpy as np

from shallows._core.contract.rng import as_generator


def gibbs(conditionals, start, n: int, *, burn_in: int = 0, random_state=None) -> np.ndarray:
    """Draw each coordinate in turn from its distribution given all others.

    A scan over all coordinates leaves the joint distribution invariant. Single draws satisfy
    detailed balance, the whole scan usually does not. If the support consists of parts that no
    change of a single coordinate connects, the chain never leaves the part in which it started.

    Parameters
    ----------
    conditionals : list of callables
        One per coordinate. Each takes the state and a Generator and returns a new value of its
        coordinate. States are arrays of shape (n_dimensions,), or (n_chains, n_dimensions) if the
        start has that shape.
    start : array-like of shape (n_dimensions,) or (n_chains, n_dimensions)
        First state.
    n : int
        Number of scans to keep.
    burn_in : int, default=0
        Number of scans before the first kept one.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the draws.

    Returns
    -------
    states : ndarray of shape (n, n_dimensions) or (n_chains, n, n_dimensions)
        The state after each scan.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.sampling import gibbs
    >>> def given_the_other(i):
    ...     return lambda x, rng: rng.normal(0.8 * x[1 - i], 0.6)
    >>> chain = gibbs([given_the_other(0), given_the_other(1)], [0.0, 0.0], 20_000, random_state=0)
    >>> np.corrcoef(chain.T)[0, 1].round(1)
    np.float64(0.8)
    """
    rng, state = as_generator(random_state), np.array(start, dtype=np.float64)
    if state.ndim not in (1, 2) or state.shape[-1] != len(conditionals):
        raise ValueError(
            f"gibbs: start must have one value for each of {len(conditionals)} conditionals, got "
            f"shape {state.shape}."
        )
    states = np.empty((n, *state.shape))
    for t in range(-burn_in, n):
        for i, draw in enumerate(conditionals):
            state[..., i] = draw(state, rng)
        if t >= 0:
            states[t] = state
    return states if state.ndim == 1 else states.transpose(1, 0, 2)
