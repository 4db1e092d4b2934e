"""Rejection sampling from under an envelope."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.contract.rng import as_generator

MOST_TRIES = 10**9


class RejectionSample(NamedTuple):
    """The draws, and the share of accepted proposals."""

    draws: np.ndarray
    acceptance: float


def rejection(density, propose, envelope, n: int, *, random_state=None) -> RejectionSample:
    r"""Draw from an envelope :math:`g_0 \geq f` and accept a draw with probability f / g_0.

    Accepted draws have the density f, which need not be normalised. The acceptance rate is the
    area under f divided by the area under g_0.

    Parameters
    ----------
    density : callable
        The density f of an array of draws.
    propose : callable
        Takes a number and a Generator, and returns that many draws from the normalised g_0.
    envelope : callable
        The envelope g_0 of an array of draws; nowhere below f.
    n : int
        Number of draws.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the draws.

    Returns
    -------
    sample : RejectionSample
        Draws, and the acceptance rate.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.sampling import rejection
    >>> sample = rejection(
    ...     lambda x: 6 * x * (1 - x),
    ...     lambda size, rng: rng.random(size),
    ...     lambda x: np.full(len(x), 1.5),
    ...     10_000,
    ...     random_state=0,
    ... )
    >>> round(sample.acceptance, 1)
    0.7
    """
    rng, kept, n_kept, tried, rate = as_generator(random_state), [], 0, 0, 0.5
    while n_kept < n:
        # As many tries as the rate so far lets expect to suffice.
        size = int(min(max((n - n_kept) / rate * 1.1, 100), 2**20))
        draws = np.asarray(propose(size, rng))
        heights, ceiling = np.asarray(density(draws)), np.asarray(envelope(draws))
        if (heights > ceiling * (1 + 1e-12)).any():
            worst = np.argmax(heights - ceiling)
            raise ValueError(
                "rejection: the envelope must not lie below the density, but at "
                f"{draws[worst]} it is {ceiling[worst]:.6g} and the density {heights[worst]:.6g}."
            )

        # A draw is kept with probability density over envelope.
        accepted = draws[rng.random(size) * ceiling < heights]
        kept.append(accepted)
        n_kept, tried = n_kept + len(accepted), tried + size
        rate = max(n_kept / tried, 1e-4)
        if tried > MOST_TRIES:
            raise ValueError(
                f"rejection: {n_kept} of {tried} tries were accepted. Find an envelope that lies "
                "closer to the density, or use a Markov chain."
            )
    total = sum(map(len, kept))
    return RejectionSample(np.concatenate(kept)[:n], total / tried)
