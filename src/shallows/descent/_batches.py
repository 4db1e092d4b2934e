"""Orders of examples and mini-batches, as indices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Order = Literal["permutation", "replacement", "cyclic"]


def example_order(
    n_samples: int, rng: np.random.Generator, order: Order = "permutation"
) -> NDArray[np.intp]:
    """Return the indices of one epoch.

    Parameters
    ----------
    n_samples : int
        Number of examples.
    rng : numpy.random.Generator
        Source of random numbers; a cyclic order draws none.
    order : {"permutation", "replacement", "cyclic"}
        Every example once in random order, independent uniform draws, or in their order.

    Returns
    -------
    array of int, shape (n_samples,)
        Indices of the examples in the order of presentation.

    Examples
    --------
    >>> sorted(example_order(4, np.random.default_rng(0)).tolist())
    [0, 1, 2, 3]
    """
    if order == "permutation":
        return rng.permutation(n_samples)
    if order == "replacement":
        return rng.integers(n_samples, size=n_samples)
    if order == "cyclic":
        return np.arange(n_samples)
    raise ValueError(f"order must be 'permutation', 'replacement' or 'cyclic', got {order!r}.")


def batches(
    n_samples: int,
    batch_size: int,
    rng: np.random.Generator,
    order: Order = "permutation",
) -> Iterator[NDArray[np.intp]]:
    """Yield the mini-batches of one epoch.

    Parameters
    ----------
    n_samples : int
        Number of examples.
    batch_size : int
        Examples per batch; the last batch may be smaller.
    rng : numpy.random.Generator
        Source of random numbers; a cyclic order draws none.
    order : {"permutation", "replacement", "cyclic"}
        Every example once in random order, independent uniform draws, or in their order.

    Yields
    ------
    array of int
        Indices of the examples of one batch.

    Examples
    --------
    >>> [batch.tolist() for batch in batches(5, 2, np.random.default_rng(0), "cyclic")]
    [[0, 1], [2, 3], [4]]
    """
    if batch_size < 1:
        raise ValueError(f"batch_size must be at least 1, got {batch_size}.")
    indices = example_order(n_samples, rng, order)
    for start in range(0, n_samples, batch_size):
        yield indices[start : start + batch_size]
