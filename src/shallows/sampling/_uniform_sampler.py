"""Samplers of a distribution with and without independent draws."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from shallows._core.contract.rng import as_generator


class SamplerCheck(NamedTuple):
    """Shares of a sequence in each bin, expected shares, and the largest difference."""

    shares: np.ndarray
    expected: np.ndarray
    gap: float


def uniform_sampler(
    kind: Literal["independent", "paired", "halves", "rotation", "walk"],
    n: int,
    *,
    eps: float = 0.01,
    random_state=None,
) -> np.ndarray:
    r"""Return a sequence whose frequencies become uniform on [0, 1).

    A sampler must visit every set as often as its probability requires, in the long run. Its draws
    need not be independent, nor identically distributed, nor random at all.

    Parameters
    ----------
    kind : {"independent", "paired", "halves", "rotation", "walk"}
        - ``"independent"``: independent draws
        - ``"paired"``: each draw twice
        - ``"halves"``: draws from the lower and the upper half in turns
        - ``"rotation"``: :math:`x_i = x_{i-1} + \sqrt 2` modulo 1, from 0 on
        - ``"walk"``: :math:`x_i = x_{i-1} + \epsilon y_i` modulo 1 with standard normal
          :math:`y_i`; slow
    n : int
        Length of the sequence.
    eps : float, default=0.01
        Step of ``"walk"``.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the draws.

    Returns
    -------
    sequence : ndarray of shape (n,)
        Values from 0 to 1.

    Examples
    --------
    >>> from shallows.sampling import uniform_sampler
    >>> uniform_sampler("rotation", 3).round(3)
    array([0.   , 0.414, 0.828])
    """
    rng = as_generator(random_state)
    if kind == "independent":
        return rng.random(n)
    if kind == "paired":
        return np.repeat(rng.random(-(-n // 2)), 2)[:n]
    if kind == "halves":
        return rng.random(n) / 2 + np.arange(n) % 2 / 2
    if kind == "rotation":
        return np.arange(n) * np.sqrt(2) % 1.0
    if kind == "walk":
        return (rng.random() + eps * np.cumsum(rng.standard_normal(n))) % 1.0
    raise ValueError(
        "uniform_sampler: kind must be independent, paired, halves, rotation or walk, "
        f"got {kind!r}."
    )


def check_sampler(sequence, cdf=None, *, bins=10) -> SamplerCheck:
    """Compare the shares of a sequence in bins with the probabilities of the bins.

    Parameters
    ----------
    sequence : array-like of shape (n,)
        Output of the sampler.
    cdf : callable or None, default=None
        Distribution function; None means uniform on [0, 1].
    bins : int or array-like of edges, default=10
        Number of bins from 0 to 1, or their edges.

    Returns
    -------
    check : SamplerCheck
        Shares, probabilities, and the largest gap.

    Examples
    --------
    >>> from shallows.sampling import check_sampler
    >>> check_sampler([0.1, 0.3, 0.6, 0.9], bins=2).gap
    0.0
    """
    edges = np.linspace(0, 1, bins + 1) if np.ndim(bins) == 0 else np.asarray(bins, dtype=float)
    sequence = np.asarray(sequence, dtype=np.float64)
    if sequence.ndim != 1 or not len(sequence):
        raise ValueError(
            f"check_sampler: sequence must be a vector of at least one value, got {sequence.shape}."
        )
    shares = np.histogram(sequence, edges)[0] / len(sequence)
    expected = np.diff(edges if cdf is None else cdf(edges))
    return SamplerCheck(shares, expected, float(np.abs(shares - expected).max()))
