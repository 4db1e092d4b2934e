"""Neurons that fire with a probability."""

from __future__ import annotations

import numpy as np

from shallows._core.contract.rng import as_generator
from shallows.descent._sigmoids import logistic


def stochastic_neuron(net, probability=logistic, random_state=None) -> np.ndarray:
    r"""Return +1 with probability :math:`P(net)`, else -1.

    With the logistic function of gain :math:`2 / T` these are the units of a Boltzmann machine at
    temperature :math:`T`.

    Parameters
    ----------
    net : array-like
        Net inputs.
    probability : callable, default=logistic
        The function :math:`P`, with values from 0 to 1.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the draws.

    Returns
    -------
    states : ndarray
        States +1 or -1, in the shape of `net`.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.neuron import stochastic_neuron
    >>> stochastic_neuron(np.full(10_000, 0.5), random_state=0).mean().round(1)
    np.float64(0.2)
    """
    net = np.asarray(net, dtype=np.float64)
    chance = np.asarray(probability(net))
    if not ((chance >= 0) & (chance <= 1)).all():
        raise ValueError(
            "stochastic_neuron: probability must give values from 0 to 1, got values from "
            f"{chance.min()} to {chance.max()}."
        )
    return np.where(as_generator(random_state).random(net.shape) < chance, 1.0, -1.0)
