"""Random sign patterns, and copies with some signs flipped."""

from __future__ import annotations

import numpy as np

from shallows._core.contract.params import PositiveInt, Probability, check_arguments
from shallows._core.contract.rng import RandomState, as_generator


def make_patterns(
    n_patterns: PositiveInt, n_units: PositiveInt, *, random_state: RandomState = None
) -> np.ndarray:
    r"""Draw patterns of independent signs, +1 and -1 with equal probability.

    The overlap :math:`\xi \cdot \xi' / N` of two of them has mean 0 and standard deviation
    :math:`1 / \sqrt{N}`.

    Parameters
    ----------
    n_patterns : int
        Number of patterns P.
    n_units : int
        Length N of a pattern.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the signs.

    Returns
    -------
    patterns : ndarray of shape (n_patterns, n_units)
        Values -1.0 and 1.0.

    Examples
    --------
    >>> from shallows.data import make_patterns
    >>> make_patterns(2, 5, random_state=0).shape
    (2, 5)
    """
    check_arguments(make_patterns, locals())
    rng = as_generator(random_state)
    return 2.0 * rng.integers(2, size=(n_patterns, n_units)) - 1.0


def corrupt(patterns, fraction: Probability, *, random_state: RandomState = None) -> np.ndarray:
    """Flip the signs of a share of the entries of each pattern.

    Parameters
    ----------
    patterns : array-like of shape (n_units,) or (n_patterns, n_units)
        Patterns of -1 and 1.
    fraction : float
        Exactly ``round(fraction * n_units)`` entries are flipped, at random places.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the places.

    Returns
    -------
    corrupted : ndarray
        A changed copy.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.data import corrupt
    >>> int((corrupt(np.ones(10), 0.4, random_state=0) == -1).sum())
    4
    """
    check_arguments(corrupt, locals())
    rng = as_generator(random_state)
    corrupted = np.array(patterns, dtype=np.float64)
    rows = np.atleast_2d(corrupted)
    turned = round(fraction * rows.shape[1])
    places = rng.permuted(np.tile(np.arange(rows.shape[1]), (len(rows), 1)), axis=1)[:, :turned]
    np.put_along_axis(rows, places, -np.take_along_axis(rows, places, axis=1), axis=1)
    return corrupted
